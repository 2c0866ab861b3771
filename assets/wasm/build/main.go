package main

//go:generate go run . -C ../../..

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	packedPath = "assets/dist/matcher.wasm.gz"
	notePath   = "assets/dist/matcher.json"
	// maxPacked is the most the packed module may weigh, in bytes: a page
	// fetches it when its reader tries the matcher.
	maxPacked = 655_360 // 640 KiB
)

// sourcePatterns name the files the module is made of, without tests.
func sourcePatterns() []string {
	return []string{"assets/wasm/*.go", "compiler/stem/*.go", "compiler/token/*.go", "resolver/loadout/*.go"}
}

// Note says what a committed module was made from.
type Note struct {
	Go      string   `json:"go"`      // version of the toolchain
	Sources string   `json:"sources"` // SHA-256 over the files below
	Files   []string `json:"files"`
	Wasm    Sum      `json:"wasm"`
	Packed  Sum      `json:"gzip"`
}

// Sum is the size of a file in bytes and its SHA-256.
type Sum struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func sum(data []byte) Sum {
	digest := sha256.Sum256(data)
	return Sum{len(data), hex.EncodeToString(digest[:])}
}

func main() {
	check := flag.Bool("check", false, "only compare the committed module's sources with the files")
	root := flag.String("C", ".", "the root of the module")
	flag.Parse()
	err := run(*root, *check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(root string, check bool) error {
	if check {
		return checkSources(root)
	}
	note, packed, err := build(root)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, packedPath), packed, 0o644); err != nil {
		return err
	}
	text, err := json.MarshalIndent(note, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, notePath), append(text, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d bytes, %d unpacked, %s\n", packedPath, note.Packed.Bytes, note.Wasm.Bytes, note.Go)
	return nil
}

// checkSources compares the hash of the sources with the one in the note.
func checkSources(root string) error {
	note, err := readNote(root)
	if err != nil {
		return err
	}
	_, hash, err := hashSources(root)
	if err != nil {
		return err
	}
	if hash != note.Sources {
		return fmt.Errorf("%s was made from other sources: run go run ./assets/wasm/build", packedPath)
	}
	return nil
}

func readNote(root string) (*Note, error) {
	data, err := os.ReadFile(filepath.Join(root, notePath))
	if err != nil {
		return nil, err
	}
	note := &Note{}
	if err := json.Unmarshal(data, note); err != nil {
		return nil, fmt.Errorf("read %s: %w", notePath, err)
	}
	return note, nil
}

// hashSources returns the source files, with slashes and sorted, and a hash of
// their names and contents.
func hashSources(root string) (files []string, hash string, err error) {
	for _, pattern := range sourcePatterns() {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, "", err
		}
		for _, path := range found {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, "", err
			}
			if !strings.HasSuffix(name, "_test.go") {
				files = append(files, filepath.ToSlash(name))
			}
		}
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return files, hex.EncodeToString(h.Sum(nil)), nil
}

// build compiles and packs the module.
func build(root string) (*Note, []byte, error) {
	dir, err := os.MkdirTemp("", "packgen-wasm-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "matcher.wasm")
	// No function is inlined, the runtime's neither: that takes some 25 KB off the packed module,
	// and a match in the browser is over before the next key is pressed all the same.
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w", "-gcflags=all=-l", "-o", out, "./assets/wasm")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	// The older collector of the runtime takes 13 KB off: a match makes little garbage.
	// Nothing else of the caller's settings may reach the bytes.
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWASM=", "GOFLAGS=", "GOEXPERIMENT=nogreenteagc", "GOWORK=off")
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("compile the matcher: %w", err)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		return nil, nil, err
	}
	packed, err := pack(module)
	if err != nil {
		return nil, nil, err
	}
	if len(packed) > maxPacked {
		return nil, nil, fmt.Errorf("the packed matcher has %d bytes, more than %d", len(packed), maxPacked)
	}
	version, err := toolchain(root)
	if err != nil {
		return nil, nil, err
	}
	note := &Note{Go: version, Wasm: sum(module), Packed: sum(packed)}
	note.Files, note.Sources, err = hashSources(root)
	return note, packed, err
}

// toolchain returns the version of the go command that builds in root.
func toolchain(root string) (string, error) {
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask go for its version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// pack compresses without a name or a time, so that equal input gives equal bytes.
func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
