package compiler

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// What is remembered of a file holds as long as nobody touches it, whoever lists the
// pack.
func TestWhatIsRememberedHoldsUntilAFileIsTouched(t *testing.T) {
	dir := packDir(t, sourced())
	state := filepath.Join(dir, stateName)
	look := func(name string) string {
		root := oktest.Value(os.OpenRoot(dir))(t)
		defer root.Close()
		p, _, err := pack.OpenFS(root.FS(), dir)
		oktest.Check(t, err)
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
	if got := look("sources/s.md"); got != schema.SHA256([]byte("one\n")) {
		t.Errorf("remembered is %q", got)
	}
	info := oktest.Value(os.Stat(filepath.Join(dir, "sources/s.md")))(t)
	tree{"sources/s.md": "two\n"}.write(t, dir)
	oktest.Check(t, os.Chtimes(filepath.Join(dir, "sources/s.md"), info.ModTime(), info.ModTime()))
	if got := look("sources/s.md"); got != "" {
		t.Errorf("after an edit that kept size and time %q is remembered", got)
	}
	if got := look("documents/a.md"); got == "" {
		t.Error("the other file is forgotten")
	}
}

// TestATrimmedResultHasTheSameOutputs: what is dropped is nothing that a report names.
func TestATrimmedResultHasTheSameOutputs(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", "none"), "wiki/a.md": "# A\n\nText [x](lost.md).\n", "wiki/b.md": "# B\n\n## C\n\nText.\n",
	})
	trimmed := r.Trim()
	if diff := cmp.Diff(r.Run.Outputs, trimmed.Outputs()); diff != "" || len(trimmed.Outputs()) == 0 {
		t.Errorf("outputs:\n%s", diff)
	}
	if diff := cmp.Diff(r.Diagnostics, trimmed.Diagnostics); diff != "" || len(trimmed.Diagnostics) == 0 {
		t.Errorf("findings:\n%s", diff)
	}
	if trimmed.RunPath != r.RunPath || trimmed.Counts != r.Counts || trimmed.Run.Status != r.Run.Status {
		t.Errorf("got %+v", trimmed)
	}
	if len(trimmed.Index.Splits)+len(trimmed.Units)+len(trimmed.SourceMap.Claims) > 0 {
		t.Error("texts are kept")
	}
}
