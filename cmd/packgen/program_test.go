package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/packgen/packgen/compiler/disktest"
	"github.com/packgen/packgen/compiler/scratch"
)

// programDir holds the program that tests start as a process of its own.
var programDir string

func TestMain(m *testing.M) {
	disktest.Main()
	// doctor starts the hook of its own program, and that is this one when it is run in
	// process: with the arguments of a verb it is packgen.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	os.Exit(func() int {
		dir, err := scratch.NewDir("program")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		programDir = dir.Path
		defer dir.Remove()
		return m.Run()
	}())
}

// program returns the path of packgen, built once for all tests of a run. The
// test binary would do as well, but takes a third longer to start, and thousands
// of them are started.
func program(t testing.TB) string {
	t.Helper()
	name, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

var builtProgram = sync.OnceValues(func() (string, error) {
	name := filepath.Join(programDir, "packgen")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	args := []string{"build", "-ldflags=-s -w", "-o", name}
	if raceEnabled {
		args = append(args, "-race")
	}
	if testing.CoverMode() != "" {
		args = append(args, "-cover") // written to GOCOVERDIR
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, nil
})

// onPath makes a script find packgen.
func onPath(env *testscript.Env) error {
	name, err := builtProgram()
	env.Setenv("PATH", filepath.Dir(name)+string(filepath.ListSeparator)+env.Getenv("PATH"))
	return err
}

// environ is the environment of the process with other values of some variables.
func environ(values map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := values[name]; ok {
			return value
		}
		return os.Getenv(name)
	}
}

// runIn executes a command line in such an environment.
func runIn(t *testing.T, values map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := newApp(strings.NewReader(""), &out, &errs)
	a.Environment = environ(values)
	code = a.run(t.Context(), args)
	return code, out.String(), errs.String()
}
