package compiler

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// A file that somebody saves while it is compiled becomes one text or the other,
// and the next compile has the new one.
func TestAFileThatChangesWhileItIsCompiledIsReadAgain(t *testing.T) {
	files := sourced()
	for i := range 8 {
		files[fmt.Sprintf("documents/more-%d.md", i)] = fmt.Sprintf("# More %d\n\n- old [source: sources/s.md#L1]\n", i)
	}
	dir := packDir(t, files)
	rewrite := func(path string) {
		text := "# Saved meanwhile\n\n- new [source: sources/s.md#L1]\n"
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666); err != nil {
			t.Error(err)
		}
		files[path] = text
	}
	rememberDir(t, dir, Options{Jobs: 1, Visit: func(u *Unit) error {
		switch u.Doc.Path {
		case "documents/more-2.md":
			rewrite("documents/more-2.md") // was read
			rewrite("documents/more-5.md") // is read later
		}
		return nil
	}})
	rememberDir(t, dir, Options{})
	fresh := packDir(t, files)
	compileDir(t, fresh, Options{})
	got, want := readTree(t, dir), readTree(t, fresh)
	for _, m := range []map[string]string{got, want} {
		maps.DeleteFunc(m, func(name, _ string) bool { return filepath.Dir(name) == runsDir })
	}
	sameTree(t, "saved meanwhile", got, want)
}
