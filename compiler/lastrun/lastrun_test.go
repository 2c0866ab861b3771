package lastrun

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
)

// openBoth opens a pack with some outputs and a directory that is before it.
func openBoth(t *testing.T, inPack, before map[string]string) *Outputs {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	oktest.Write(t, dir, map[string]string{"KNOWLEDGE.md": "---\nname: p\ndescription: A pack.\n---\n# P\n"})
	oktest.Write(t, dir, inPack)
	p, _, err := pack.Open(dir)
	oktest.Check(t, err)
	t.Cleanup(func() { p.Close() })
	over := ""
	if before != nil {
		over = t.TempDir()
		oktest.Write(t, over, before)
	}
	e := oktest.Value(Open(p, over))(t)
	t.Cleanup(e.Close)
	return e
}

func TestWhatIsBeforeThePackIsReadFirst(t *testing.T) {
	e := openBoth(t, map[string]string{"compiled/a.md": "old", "compiled/b.md": "b"}, map[string]string{"compiled/a.md": "new"})
	for name, want := range map[string]string{"compiled/a.md": "new", "compiled/b.md": "b"} {
		if got, err := e.Read(name); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := e.Read("compiled/c.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := e.Read("../p/KNOWLEDGE.md"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a path that leaves the directory: %v", err)
	}
	if names, err := e.Names("compiled"); err != nil || !slices.Equal(names, []string{"a.md", "b.md"}) {
		t.Errorf("names %v, %v", names, err)
	}
}

func TestAFileIsComparedWithWhatIsWantedAndWhatWasRecorded(t *testing.T) {
	e := openBoth(t, map[string]string{"compiled/a.md": "a\n"}, nil)
	const sumOfA = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"
	for _, c := range []struct {
		name, wanted, recorded string
		want                   State
	}{
		{"compiled/a.md", "a\n", "", Same},
		{"compiled/a.md", "a\n", "0", Same},
		{"compiled/a.md", "a", sumOfA, Ours},
		{"compiled/a.md", "", sumOfA, Ours},
		{"compiled/a.md", "b\n", "", Foreign},
		{"compiled/a.md", "b\n", "0", Foreign},
		{"compiled/b.md", "b\n", sumOfA, Absent},
	} {
		if got, err := e.Compare(c.name, []byte(c.wanted), c.recorded); err != nil || got != c.want {
			t.Errorf("%s, %q, recorded %.4s: got %d, %v, want %d", c.name, c.wanted, c.recorded, got, err, c.want)
		}
	}
}

func TestCompileRunsAreListedNewestFirst(t *testing.T) {
	e := openBoth(t, map[string]string{
		"runs/compile-2026-06-01T08-00-00Z.json": "{}",
		"runs/compile-2026-06-03T08-00-00Z.json": "{}",
		"runs/eval-2026-06-04T08-00-00Z.json":    "{}",
		"runs/notes.txt":                         "x",
		"runs/mine.json":                         "{}",
	}, map[string]string{"runs/compile-2026-06-02T08-00-00Z.json": "{}"})
	list, stems, err := e.Runs()
	oktest.Check(t, err)
	var paths []string
	for _, r := range list {
		paths = append(paths, r.Path)
	}
	want := []string{"runs/compile-2026-06-03T08-00-00Z.json", "runs/compile-2026-06-02T08-00-00Z.json", "runs/compile-2026-06-01T08-00-00Z.json"}
	if !slices.Equal(paths, want) {
		t.Errorf("got %v", paths)
	}
	if len(stems) != 5 || !stems["mine"] || stems["notes"] {
		t.Errorf("stems %v", stems)
	}
	if _, err := e.Run(want[0]); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record that does not fit the schema: %v", err)
	}
	if _, err := e.Run("runs/gone.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a record that is gone: %v", err)
	}
}
