package packgentest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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

// FindProgram does so without a test. The folder PACKGEN_BIN holds the programs, where that is set;
// otherwise they are built, and kept in the user's cache by what they are made of.
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
	source := "github.com/packgen/packgen/cmd/" + name
	flags := buildFlags()
	key, err := digest(source, flags)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return kept(filepath.Join(cache, "packgen-test-programs"), key, file, func(to string) error {
		_, err := goTool(append(append([]string{"build"}, flags...), "-o", to, source)...)
		return err
	})
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

func goTool(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return string(out), nil
}

// sourceFiles lists the files that a program is made of, and its modules with their versions.
const sourceFiles = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}` +
	`{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .CgoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{range .SFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
	`{{else}}module {{.Module.Path}} {{.Module.Version}}{{"\n"}}{{end}}{{end}}`

// digest is a name for all that goes into a program. The files are read here, so that the
// test binary's result is cached only while they are the same.
func digest(source string, flags []string) (string, error) {
	list, err := goTool("list", "-deps", "-f", sourceFiles, source)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", runtime.Version(), flags)
	for _, name := range []string{"GOARCH", "GOEXPERIMENT", "GOFLAGS", "GOOS", "CGO_ENABLED"} {
		fmt.Fprintf(sum, "%s=%q\n", name, os.Getenv(name))
	}
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "module ") {
			fmt.Fprintln(sum, line)
			continue
		}
		data, err := os.ReadFile(line)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %x\n", line, sha256.Sum256(data))
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// holds are the locks of the programs in use. They end with the process.
var holds struct {
	sync.Mutex
	locks []*regularfile.FileLock
}

// unused is how long a program is kept that no test uses.
const unused = time.Hour

// kept returns the path of a file below root/key, and makes it where it does not exist.
// Only one process at a time is here; what it returns stays as long as it runs.
func kept(root, key, file string, build func(to string) error) (string, error) {
	if err := regularfile.MkdirAll(root, 0o777); err != nil {
		return "", err
	}
	all := regularfile.Lock(filepath.Join(root, "lock"))
	if err := all.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = all.Unlock() }()
	dir := filepath.Join(root, key)
	if err := regularfile.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	use := regularfile.Lock(filepath.Join(dir, "lock"))
	if err := use.RLock(); err != nil {
		return "", err
	}
	holds.Lock()
	holds.locks = append(holds.locks, use)
	holds.Unlock()
	path := filepath.Join(dir, file)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		removeUnused(root)
		whole := filepath.Join(dir, "new-"+file)
		if err := build(whole); err != nil {
			return "", err
		}
		if err := regularfile.Rename(whole, path); err != nil {
			return "", err
		}
	}
	now := time.Now()
	return path, os.Chtimes(dir, now, now)
}

// removeUnused removes the programs that no process holds and that none has asked for in a while.
func removeUnused(root string) {
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || time.Since(info.ModTime()) < unused {
			continue
		}
		dir := filepath.Join(root, e.Name())
		use := regularfile.Lock(filepath.Join(dir, "lock"))
		if free, err := use.TryLock(); err != nil || !free {
			continue
		}
		_ = use.Unlock()
		_ = regularfile.RemoveAll(dir)
	}
}
