package compiler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// A store is shared by machines: the same program must have the same identity on each.
func TestACopyOfTheProgramIsTheSameProgram(t *testing.T) {
	name := oktest.Value(os.Executable())(t)
	data := oktest.Value(os.ReadFile(name))(t)
	other := filepath.Join(t.TempDir(), "copy")
	oktest.Check(t, os.WriteFile(other, data, 0o777))
	long := time.Now().Add(-1000 * time.Hour)
	oktest.Check(t, os.Chtimes(other, long, long))
	if got := programAt(other); got == "" || got != Program() {
		t.Errorf("the copy is %q, the program %q", got, Program())
	}
	if linkedID(data[:min(len(data), idWithin)]) == "" {
		t.Error("the id of the linker is not found")
	}
}

func TestAProgramWithoutAnIDIsKnownByItsContent(t *testing.T) {
	dir := t.TempDir()
	id := func(text string) string {
		name := filepath.Join(dir, "program")
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o777))
		return programAt(name)
	}
	if a, b := id("one"), id("two"); a == "" || a == b || a != id("one") {
		t.Errorf("programs are known as %q and %q", a, b)
	}
	long := strings.Repeat("x", idWithin)
	if id(long+"a") == id(long+"b") {
		t.Error("the end of a program does not count")
	}
	if id(id("a")) == "" {
		t.Error("text of an id is a program, too")
	}
}

func TestAMarkOfTheLinkerIsFoundInFilesOfOtherSystems(t *testing.T) {
	if got := linkedID([]byte("MZ....\xff Go build ID: \"a/b\"\n \xff code")); got != "a/b" {
		t.Errorf("it is %q", got)
	}
	for _, cut := range []string{"", "\xff Go build ID: \"a/b", "\x04\x00\x00\x00\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00x", "\x04\x00\x00\x00Go\x00\x00"} {
		if got := linkedID([]byte(cut)); got != "" {
			t.Errorf("%q has the id %q", cut, got)
		}
	}
}
