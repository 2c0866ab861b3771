package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// script writes an executable file that prints a line.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the programs of the test are shell scripts")
	}
	path := filepath.Join(dir, name)
	oktest.Check(t, os.MkdirAll(dir, 0o755))
	oktest.Check(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return path
}

// Whatever PATH says, a program of the checkout that one works in is never found by its name.
func TestFindProgramPassesOverTheCheckout(t *testing.T) {
	checkout, own := t.TempDir(), t.TempDir()
	want := script(t, own, "helper", "echo own")
	for _, dir := range []string{".", "bin", "node_modules/.bin"} {
		script(t, filepath.Join(checkout, dir), "helper", "echo theirs")
	}
	link := filepath.Join(t.TempDir(), "link")
	oktest.Check(t, os.Symlink(checkout, link))
	t.Chdir(checkout)
	for _, first := range []string{"", ".", "./", "bin", "./bin", "node_modules/.bin", "../" + filepath.Base(checkout), checkout, checkout + "/", checkout + "/bin/..", link} {
		t.Setenv("PATH", strings.Join([]string{first, own, "."}, string(filepath.ListSeparator)))
		if got, err := FindProgram("helper"); err != nil || got != want {
			t.Errorf("with %q first in PATH: %q, error %v", first, got, err)
		}
		if got := ProgramPath(); got != "PATH="+own {
			t.Errorf("with %q first in PATH, programs get %s", first, got)
		}
		t.Setenv("PATH", first)
		if got, err := FindProgram("helper"); err == nil {
			t.Errorf("with %q as PATH: %q", first, got)
		}
	}
	t.Setenv("PATH", own)
	for _, name := range []string{"", ".", "..", "./helper", "bin/helper", "../helper", `bin\helper`, "missing", own} {
		if got, err := FindProgram(name); err == nil {
			t.Errorf("%q is the program %q", name, got)
		}
	}
	if got, err := FindProgram(want); err != nil || got != want {
		t.Errorf("%q, error %v", got, err)
	}
}

// A program that is asked works in an empty directory, and finds no program of the checkout
// either.
func TestOutputRunsInAnEmptyDirectory(t *testing.T) {
	checkout := t.TempDir()
	script(t, checkout, "theirs", "echo theirs")
	program := script(t, t.TempDir(), "helper", "pwd; ls -A; command -v theirs")
	t.Chdir(checkout)
	t.Setenv("PATH", ".:"+checkout+":/bin:/usr/bin")
	out, err := Output(exec.Command(program), 1<<10)
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err == nil || len(lines) != 1 || lines[0] == checkout {
		t.Errorf("it prints %q, error %v", out, err)
	}
	if _, err := Output(exec.Command(script(t, t.TempDir(), "long", "echo 12345678")), 4); err == nil {
		t.Error("what is longer than asked for is taken")
	}
}
