package packgen_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/torturetest"
)

// fuzzTargets lists the fuzz targets, each after its folder.
func fuzzTargets(t *testing.T) (list [][2]string) {
	t.Helper()
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	for file, text := range testFiles(t) {
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			list = append(list, [2]string{path.Dir(file), m[1]})
		}
	}
	return list
}

// Every fuzz target runs, for ten minutes in make torture and not at all otherwise, and
// finds nothing. Rounds are seconds.
func TestFuzzTargetsFindNothing(t *testing.T) {
	count := torturetest.Start(t, "fuzz", "every target", 0, 600)
	targets := fuzzTargets(t)
	if len(targets) < 50 {
		t.Fatalf("only %d targets are found", len(targets))
	}
	for _, f := range targets {
		if count.Rounds() == 0 {
			continue
		}
		cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+f[1]+"$", "-fuzztime", strconv.Itoa(count.Rounds())+"s", "-fuzzminimizetime", "10x", "./"+f[0])
		if out, err := cmd.CombinedOutput(); err != nil {
			count.Wrong("%s in %s: %v\n%s", f[1], f[0], err, out)
		}
		count.Done(count.Rounds())
	}
}

// testFiles reads the tests of the whole house.
func testFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			text, err := os.ReadFile(name)
			files[filepath.ToSlash(name)] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
