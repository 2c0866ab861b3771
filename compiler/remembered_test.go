package compiler

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/pack"
)

// What is remembered of a file holds as long as nobody touches it, whoever lists the
// pack.
func TestWhatIsRememberedHoldsUntilAFileIsTouched(t *testing.T) {
	dir := packDir(t, sourced())
	state := filepath.Join(dir, stateName)
	look := func(name string) string {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		p, _, err := pack.OpenFS(root.FS(), dir)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := p.Stat(name)
		if !ok {
			t.Fatalf("%s is not listed", name)
		}
		return Remembered(state)(f)
	}
	if got := look("sources/s.md"); got != "" {
		t.Errorf("before a compile %q is remembered", got)
	}
	rememberDir(t, dir, Options{})
	believe(t, dir)
	if got := look("sources/s.md"); got != hexSum([]byte("one\n")) {
		t.Errorf("remembered is %q", got)
	}
	info, err := os.Stat(filepath.Join(dir, "sources/s.md"))
	if err != nil {
		t.Fatal(err)
	}
	tree{"sources/s.md": "two\n"}.write(t, dir)
	if err := os.Chtimes(filepath.Join(dir, "sources/s.md"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := look("sources/s.md"); got != "" {
		t.Errorf("after an edit that kept size and time %q is remembered", got)
	}
	if got := look("documents/a.md"); got == "" {
		t.Error("the other file is forgotten")
	}
}
