package packgentest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/regularfile"
)

// Program returns the path of a program by its name below cmd/. The test binary would do as
// packgen, but takes a third longer to start, and thousands of them are started.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := FindProgram(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// FindProgram does so without a test. The folder PACKGEN_BIN holds the programs, where that is
// set; otherwise a folder of Go's build cache does, one for each checkout, and go builds there
// what has changed: a program within the checkout would be an input of each test that starts it.
func FindProgram(name string) (string, error) {
	once, _ := found.LoadOrStore(name, sync.OnceValues(func() (string, error) { return find(name) }))
	return once.(func() (string, error))()
}

var found sync.Map // by name, functions that return the path

func find(name string) (string, error) {
	file := name
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	if dir := os.Getenv("PACKGEN_BIN"); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("PACKGEN_BIN is %q: it must be an absolute path", dir)
		}
		_, err := os.Stat(filepath.Join(dir, file))
		return filepath.Join(dir, file), err
	}
	root, err := goTool("", "list", "-m", "-f", "{{.Dir}}", "github.com/packgen/packgen")
	if err != nil {
		return "", err
	}
	cache, err := goTool("", "env", "GOCACHE")
	if err != nil {
		return "", err
	}
	source := filepath.Join(root, "cmd", name) // which may be a module of its own
	if err := readSources(source); err != nil {
		return "", err
	}
	kind := "plain"
	switch {
	case Race:
		kind = "race"
	case testing.CoverMode() != "":
		kind = "cover"
	}
	checkout := sha256.Sum256([]byte(root))
	path := filepath.Join(cache, "packgen-tests", hex.EncodeToString(checkout[:8]), kind, file)
	if err := regularfile.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	lock := regularfile.Lock(path + "-building") // one process builds it, and the others find it done
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer lock.Close()
	_, err = goTool(source, append(append([]string{"build"}, buildFlags()...), "-o", path, ".")...)
	return path, err
}

// buildFlags are those of the test binary, so that both share what is compiled.
func buildFlags() []string {
	flags := []string{"-ldflags=-s -w", "-buildvcs=false"}
	if _, file, _, _ := runtime.Caller(0); !filepath.IsAbs(file) {
		flags = append(flags, "-trimpath")
	}
	if Race {
		flags = append(flags, "-race")
	}
	if testing.CoverMode() != "" {
		flags = append(flags, "-cover") // written to GOCOVERDIR
	}
	return flags
}

// goTool runs go in a directory; "" is the working one.
func goTool(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// sourceFiles lists the files of this repository that a program is made of.
const sourceFiles = `{{if .Module}}{{if or .Module.Main .Module.Replace}}{{$dir := .Dir}}` +
	`{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .CgoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .SFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`

// readSources reads the files that a program is made of, so that go keeps the result of the
// test binary only while they are the same.
func readSources(source string) error {
	list, err := goTool(source, "list", "-deps", "-f", sourceFiles, ".")
	if err != nil {
		return err
	}
	for name := range strings.Lines(list) {
		if _, err := os.ReadFile(strings.TrimSuffix(name, "\n")); err != nil {
			return err
		}
	}
	return nil
}
