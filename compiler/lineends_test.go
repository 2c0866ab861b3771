package compiler

import (
	"strings"
	"testing"
)

// inCRLF rewrites the files of a pack as git does on Windows.
func inCRLF(t *testing.T, dir string) {
	t.Helper()
	for name, text := range readTree(t, dir) {
		tree{name: strings.ReplaceAll(text, "\n", "\r\n")}.write(t, dir)
	}
}

// Line ends that git has changed make nothing another text: a compile changes nothing, an
// edit gets into splits and views, and no claim becomes stale, there and back.
func TestLineEndsOfACheckout(t *testing.T) {
	opt := Options{}
	files := quietPack("hybrid")
	for _, name := range []string{"documents/e.md", "documents/open-questions.md", "wiki/open-questions/q.md"} {
		delete(files, name) // they have findings of their own
	}
	files["wiki/whole.md"] = "# Whole\n\n- All of it. [source: sources/s.md]\n- A line. [source: sources/s.md#L3]\n"
	dir := packDir(t, files)
	compileDir(t, dir, opt)
	inCRLF(t, dir)
	before := readTree(t, dir)
	opt.Now = clock.AddDate(0, 0, 1)
	if r := compileDir(t, dir, opt); r.RunPath != "" || len(found(r)) > 0 {
		t.Errorf("a compile of other line ends wrote %q and reports %v", r.RunPath, found(r))
	}
	sameTree(t, "tree", readTree(t, dir), before)

	const page = "wiki/p1.md"
	tree{page: strings.Replace(before[page], "lead.", "quillword lead.", 1)}.write(t, dir)
	opt.Now = clock.AddDate(0, 0, 2)
	r := compileDir(t, dir, opt)
	if len(found(r)) > 0 || !strings.Contains(readTree(t, dir)["compiled/splits/wiki/p1.md"], "quillword") {
		t.Errorf("the edit is not in the split; reported is %v", found(r))
	}

	for name, text := range readTree(t, dir) { // committed there, and checked out elsewhere
		tree{name: strings.ReplaceAll(text, "\r\n", "\n")}.write(t, dir)
	}
	opt.Now = clock.AddDate(0, 0, 3)
	if r := compileDir(t, dir, opt); r.RunPath != "" || len(found(r)) > 0 {
		t.Errorf("back with LF a compile wrote %q and reports %v", r.RunPath, found(r))
	}
}

// A compiled file of which more than the line ends was changed stays its owner's.
func TestLineEndsDoNotHideAnEdit(t *testing.T) {
	dir := packDir(t, quietPack("hybrid"))
	compileDir(t, dir, Options{})
	const split = "compiled/splits/wiki/p1.md"
	tree{split: strings.ReplaceAll(readTree(t, dir)[split]+"By hand.\n", "\n", "\r\n")}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	if got := strings.Join(found(r), "\n"); !strings.Contains(got, "view-hand-edited") || !strings.Contains(readTree(t, dir)[split], "By hand.") {
		t.Errorf("reported is %q", got)
	}
}
