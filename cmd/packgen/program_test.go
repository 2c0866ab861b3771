package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/packgen/packgen/cmd/packgentest"
)

func TestMain(m *testing.M) {
	// doctor starts the hook of its own program, and that is this one when it is run in
	// process: with the arguments of a verb it is packgen.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	os.Exit(m.Run())
}

// program returns the path of packgen.
func program(t testing.TB) string {
	t.Helper()
	return packgentest.Program(t, "packgen")
}

// onPath makes a script find packgen.
func onPath(env *testscript.Env) error {
	name, err := packgentest.FindProgram("packgen")
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
