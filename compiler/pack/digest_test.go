package pack

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// A file beyond what is read is told from another without being read whole.
func TestDigestOfALargeFileReadsPieces(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "large.bin")
	write := func(text string, at, size int64) {
		f := oktest.Value(os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666))(t)
		defer f.Close()
		oktest.Check(t, f.Truncate(size))
		if _, err := f.WriteAt([]byte(text), at); err != nil {
			t.Fatal(err)
		}
	}
	guide := "---\nname: a\ndescription: A pack. Use it for tests.\ntype: domain-reference\nprofile: document-first\nstatus: ready\n---\n"
	oktest.Check(t, os.WriteFile(filepath.Join(dir, EntryName), []byte(guide), 0o666))
	p, found, err := Open(dir)
	if err != nil || p == nil {
		t.Fatal(err, found)
	}
	defer p.Close()
	const size = 1 << 40 // sparse: reading it whole would take an hour
	seen := map[string]string{}
	for what, change := range map[string]func(){
		"empty":  func() { write("", 0, size) },
		"start":  func() { write("x", 0, size) },
		"end":    func() { write("y", size-1, size) },
		"longer": func() { write("", 0, size+1) },
	} {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		change()
		sum := oktest.Value(p.Digest("large.bin"))(t)
		if seen[sum] != "" {
			t.Errorf("%s and %s are the same", what, seen[sum])
		}
		seen[sum] = what
	}
	oktest.Check(t, os.WriteFile(name, []byte("small"), 0o666))
	whole, err := p.SHA256("large.bin")
	if got, _ := p.Digest("large.bin"); err != nil || got != whole {
		t.Errorf("of a small file the digest is %s, its hash %s: %v", got, whole, err)
	}
}

// Folders in each other without end are cut off with a finding, and the rest is listed.
func TestFoldersNestSoDeep(t *testing.T) {
	dir := t.TempDir()
	guide := "---\nname: a\ndescription: A pack. Use it for tests.\ntype: domain-reference\nprofile: document-first\nstatus: ready\n---\n"
	deepest := filepath.Join(dir, "documents", filepath.Join(slices.Repeat([]string{"d"}, 200)...))
	for _, err := range []error{
		os.WriteFile(filepath.Join(dir, EntryName), []byte(guide), 0o666), os.MkdirAll(deepest, 0o777),
		os.WriteFile(filepath.Join(deepest, "x.md"), []byte("# X\n"), 0o666), os.WriteFile(filepath.Join(dir, "documents/d/y.md"), []byte("# Y\n"), 0o666),
	} {
		oktest.Check(t, err)
	}
	p, found, err := Open(dir)
	if err != nil || p == nil {
		t.Fatal(err, found)
	}
	defer p.Close()
	if !p.Has("documents/d/y.md") || len(p.Files) != 2 {
		t.Errorf("listed: %v", p.Files)
	}
	if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.ID == "path-escape" }) {
		t.Errorf("found: %v", found)
	}
}
