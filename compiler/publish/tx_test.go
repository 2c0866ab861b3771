package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// inPieces is a content that is written a few bytes at a time.
func inPieces(text string, calls *int) Content {
	return func(w io.Writer) error {
		*calls++
		for i := 0; i < len(text); i += 7 {
			if _, err := io.WriteString(w, text[i:min(i+7, len(text))]); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestContentInPiecesIsPublishedAsIfWhole(t *testing.T) {
	long := strings.Repeat("0123456789", compareBuffer/5)
	for _, tt := range []struct {
		name, was, is string
		want          Change
		calls         int
	}{
		{"new", "", long, Created, 1},
		{"equal", long, long, Unchanged, 1},
		{"empty", "", "", Created, 1},
		{"longer", long, long + "x", Updated, 2},
		{"shorter", long + "x", long, Updated, 2},
		{"other at the end", long + "x", long + "y", Updated, 2},
	} {
		for _, dry := range []bool{false, true} {
			o := options(t, "manifest.json")
			if tt.name != "new" && tt.name != "empty" {
				mustPublish(t, o, map[string]string{"d/f": tt.was})
			}
			o.DryRun = dry
			tx := oktest.Value(Begin(context.Background(), o))(t)
			calls := 0
			change, err := tx.PutFrom(File{Path: "d/f", Content: inPieces(tt.is, &calls), Last: true})
			if err != nil || change != tt.want || calls != tt.calls {
				t.Errorf("%s: %s, %d calls, %v; want %s, %d", tt.name, change, calls, err, tt.want, tt.calls)
			}
			sum := oktest.Value(tx.Commit())(t)
			if total := sum.Created.Bytes + sum.Updated.Bytes + sum.Unchanged.Bytes; total < int64(len(tt.is)) {
				t.Errorf("%s: %d bytes counted", tt.name, total)
			}
			if dry {
				continue
			}
			whole := options(t, "manifest.json")
			mustPublish(t, whole, map[string]string{"d/f": tt.is})
			if d := cmp.Diff(tree(t, whole.Target), tree(t, o.Target)); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
		}
	}
}

func TestContentThatFailsStopsTheCommit(t *testing.T) {
	o := options(t, "")
	mustPublish(t, o, map[string]string{"f": "was"})
	tx := oktest.Value(Begin(context.Background(), o))(t)
	broken := errors.New("broken")
	for _, path := range []string{"f", "new"} {
		if _, err := tx.PutFrom(File{Path: path, Content: func(io.Writer) error { return broken }}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := tx.Commit(); !errors.Is(err, broken) {
		t.Errorf("commit: %v", err)
	}
	if d := cmp.Diff(map[string]string{"f": "was"}, tree(t, o.Target)); d != "" {
		t.Error(d)
	}
}

func TestEqualComparesEveryByte(t *testing.T) {
	text := []byte(strings.Repeat("x", 3*compareBuffer))
	for _, at := range []int{0, compareBuffer - 1, compareBuffer, len(text) - 1} {
		other := bytes.Clone(text)
		other[at] = 'y'
		same, err := Equal(bytes.NewReader(other), func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if same || err != nil {
			t.Errorf("a difference at %d: %t, %v", at, same, err)
		}
	}
}

func TestAFileThatIsADirectoryTooIsRefused(t *testing.T) {
	for _, order := range [][]string{{"d/a.md", "d/a.md/c.md"}, {"d/a.md/b/c.md", "d/A.md"}, {"manifest.json/x"}} {
		o := options(t, "manifest.json")
		tx := oktest.Value(Begin(context.Background(), o))(t)
		for _, path := range order {
			if _, err := tx.Put(path, []byte("x")); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		if _, err := tx.Commit(); !errors.Is(err, errNested) {
			t.Errorf("%v: %v", order, err)
		}
		if got := tree(t, o.Target); len(got) > 0 {
			t.Errorf("%v: the target holds %v", order, got)
		}
	}
}

// counting counts the renames into a target.
type counting struct {
	osLayer
	renames *int
}

func (c counting) Rename(from, to string) error {
	*c.renames++
	return c.osLayer.Rename(from, to)
}

func TestANewDirectoryComesInOneRename(t *testing.T) {
	o, renames := options(t, ""), 0
	files := map[string]string{"p/a": "a", "p/b/c": "c", "p/b/d": "d", "q/x": "x", "top": "t"}
	if _, err := publishAll(o, counting{renames: &renames}, files); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(files, tree(t, o.Target)); d != "" {
		t.Error(d)
	}
	// The probe, the pending manifest, p, q and top.
	if renames != 5 {
		t.Errorf("%d renames", renames)
	}
}

func TestADirectoryMadeMeanwhileIsKept(t *testing.T) {
	o := options(t, "")
	tx := oktest.Value(Begin(context.Background(), o))(t)
	for _, path := range []string{"p/a", "p/b/c", "p/e/f"} {
		if _, err := tx.Put(path, []byte("new")); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Write(t, o.Target, map[string]string{"p/b/other": "theirs"})
	if _, err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"p/a": "new", "p/b/c": "new", "p/e/f": "new", "p/b/other": "theirs"}
	if d := cmp.Diff(want, tree(t, o.Target)); d != "" {
		t.Error(d)
	}
}
