package oktest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Main runs the tests of a package in place of m.Run, and returns its exit code. Go keeps the
// result of a package with the name of each file that its tests opened, and asks for each of
// them again whether the result still counts, which takes as long as the tests where they made
// a million files. Files outside the module never count, so that Main takes them out.
func Main(m *testing.M) int {
	dir, err := os.Getwd()
	code := m.Run()
	log := flag.Lookup("test.testlogfile").Value.String()
	if log == "" || code != 0 {
		return code
	}
	if err == nil {
		err = dropInputsOutside(moduleOf(dir), log)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// moduleOf returns the nearest directory at or above dir that has a go.mod.
func moduleOf(dir string) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
	}
	return dir
}

// dropInputsOutside takes the absolute names of files outside the module from a test log, and
// what is in it more than once. A line is an operation, a blank and a name, and relative names
// belong to the directory that the last chdir names: a log with one stays as it is.
func dropInputsOutside(module, log string) error {
	text, err := os.ReadFile(log)
	if err != nil || bytes.Contains(text, []byte("\nchdir ")) {
		return err
	}
	kept, seen := bytes.NewBuffer(nil), map[string]bool{}
	for line := range strings.Lines(string(text)) {
		operation, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		isFile := operation == "open" || operation == "stat"
		if isFile && filepath.IsAbs(name) && name != module && !strings.HasPrefix(name, module+string(filepath.Separator)) || seen[line] {
			continue
		}
		seen[line] = true
		kept.WriteString(line)
	}
	return os.WriteFile(log, kept.Bytes(), 0o666)
}
