package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

func TestMain(m *testing.M) {
	// doctor starts the hook of its own program, and that is this one when it is run in
	// process: with the arguments of a verb it is packgen.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
	}
	os.Exit(awayFromHome(func() int { return oktest.Main(m) }))
}

// noHome is the home directory of all scripts.
const noHome = "/no-home"

// awayFromHome runs tests without the home directory and the cache of whoever runs them, so
// that commands that run within the test find nothing there. Go keeps its files where it has
// them.
func awayFromHome(run func() int) int {
	home, _ := os.UserHomeDir()
	cache, _ := os.UserCacheDir()
	config, _ := os.UserConfigDir()
	empty, err := os.MkdirTemp("", "packgen-cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(empty)
	values := map[string]string{"HOME": noHome, "USERPROFILE": noHome, "XDG_CACHE_HOME": empty, "XDG_CONFIG_HOME": empty}
	for name, value := range map[string]string{
		"GOPATH": filepath.Join(home, "go"), "GOCACHE": filepath.Join(cache, "go-build"), "GOENV": filepath.Join(config, "go", "env"),
	} {
		if os.Getenv(name) == "" {
			values[name] = value
		}
	}
	for name, value := range values {
		os.Setenv(name, value)
	}
	return run()
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

// read returns the text of a file.
func read(tb testing.TB, elements ...string) string {
	tb.Helper()
	return string(oktest.Value(os.ReadFile(filepath.Join(elements...)))(tb))
}

// commands returns what runs packgen in a directory, requires an exit code, and returns all
// that is printed, which has no password and no key.
func commands(t *testing.T, env map[string]string) func(want int, dir string, args ...string) string {
	return func(want int, dir string, args ...string) string {
		t.Helper()
		got, stdout, stderr := runIn(t, env, append([]string{"-C", dir}, args...)...)
		out := stdout + stderr
		if got != want || strings.Contains(out, fetchtest.RegistryPassword) || strings.Contains(out, "PRIVATE KEY") {
			t.Fatalf("packgen %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, want, out)
		}
		return out
	}
}
