package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// tree reads a directory as path → content; "dir/" stands for an empty one.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if entries, _ := os.ReadDir(path); len(entries) == 0 {
				files[rel+"/"] = ""
			}
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			files[rel] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		files[rel] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		t.Fatal(err)
	}
	return files
}

// publishAll runs one whole transaction.
func publishAll(o Options, layer fileLayer, files map[string]string, deletes ...string) (Summary, error) {
	tx, err := begin(context.Background(), o, layer)
	if err != nil {
		return Summary{}, err
	}
	defer tx.Abort()
	tx.Interrupted()
	for _, path := range sortedKeys(files) {
		put := func() (Change, error) { return tx.Put(path, []byte(files[path])) }
		if strings.HasSuffix(path, ".json") {
			put = func() (Change, error) {
				return tx.PutFrom(File{Path: path, Content: Bytes([]byte(files[path])), Last: true})
			}
		}
		if _, err := put(); err != nil {
			return Summary{}, err
		}
	}
	for _, path := range deletes {
		if err := tx.Delete(path); err != nil {
			return Summary{}, err
		}
	}
	return tx.Commit()
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func mustPublish(t *testing.T, o Options, files map[string]string, deletes ...string) Summary {
	t.Helper()
	return oktest.Value(publishAll(o, osLayer{}, files, deletes...))(t)
}

func options(t *testing.T, manifest string) Options {
	dir := t.TempDir()
	return Options{Target: filepath.Join(dir, "out"), StateDir: filepath.Join(dir, "state"), Manifest: manifest}
}

var first = map[string]string{
	"a.html": "a", "b/c.html": "c", "b/d/e.html": "e", "swap": "file", "turn/x": "x", "Case.md": "old", "index.json": "1",
}
var second = map[string]string{
	"a.html": "A", "b/c.html": "c", "new/n.html": "n", "swap/in": "dir", "turn": "file", "case.md": "new", "index.json": "2",
	"new/deep/x.html": "x", "b/more/m.html": "m", "new/index.json": "3",
}

func TestManifestDecidesWhatGoes(t *testing.T) {
	o := options(t, "manifest.json")
	sum := mustPublish(t, o, first)
	if sum.Created.Files != len(first)+1 || sum.Deleted.Files+sum.Updated.Files+sum.Unchanged.Files != 0 {
		t.Errorf("first run: %+v", sum)
	}
	sum = mustPublish(t, o, second)
	got := tree(t, o.Target)
	manifest := got["manifest.json"]
	delete(got, "manifest.json")
	if diff := cmp.Diff(second, got); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	want := []PathChange{
		{"Case.md", Deleted}, {"a.html", Updated}, {"b/d/e.html", Deleted}, {"b/more/m.html", Created}, {"case.md", Created},
		{"index.json", Updated}, {"manifest.json", Updated}, {"new/deep/x.html", Created}, {"new/index.json", Created}, {"new/n.html", Created},
		{"swap", Deleted}, {"swap/in", Created}, {"turn", Created}, {"turn/x", Deleted},
	}
	if diff := cmp.Diff(want, slices.Collect(sum.Paths())); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	m, err := decodeManifest([]byte(manifest))
	if err != nil {
		t.Fatalf("manifest: %v\n%s", err, manifest)
	}
	if len(m) != len(second) || m[0].Path != "a.html" || m[0].Stat.Size != 1 ||
		m[0].Sum.String() != "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd" {
		t.Errorf("manifest: %+v", m)
	}
}

func TestSecondRunTouchesNothing(t *testing.T) {
	o := options(t, "manifest.json")
	mustPublish(t, o, first)
	old := time.Unix(1_000_000, 0)
	for path := range tree(t, o.Target) {
		oktest.Check(t, os.Chtimes(filepath.Join(o.Target, path), old, old))
	}
	sum := mustPublish(t, o, first)
	if sum.Unchanged.Files != len(first)+1 || len(slices.Collect(sum.Paths())) != 0 {
		t.Errorf("summary: %+v", sum)
	}
	for path := range tree(t, o.Target) {
		if info, err := os.Stat(filepath.Join(o.Target, path)); err != nil || !info.ModTime().Equal(old) {
			t.Errorf("%s was touched (%v)", path, err)
		}
	}
}

func TestASummaryNamesLargeFiles(t *testing.T) {
	for _, again := range []bool{false, true} {
		dir := t.TempDir()
		for range 2 {
			tx := oktest.Value(Begin(t.Context(), Options{Target: dir, Manifest: "manifest.json", Notice: 10}))(t)
			for name, text := range map[string]string{"b": "ten bytes.", "a/c": "more than ten", "d": "nine byte"} {
				if _, err := tx.Put(name, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			sum := oktest.Value(tx.Commit())(t)
			named := slices.DeleteFunc(sum.Noticed, func(p PathSize) bool { return p.Path == "manifest.json" })
			if want := []PathSize{{"a/c", 13}, {"b", 10}}; !slices.Equal(named, want) {
				t.Errorf("%v are named, not %v", named, want)
			}
			if sum.Size() < 32 {
				t.Errorf("the tree has %d bytes", sum.Size())
			}
			if !again {
				break
			}
		}
	}
}

func TestCallerOwnsDeletionWithoutManifest(t *testing.T) {
	o := options(t, "")
	oktest.Write(t, o.Target, map[string]string{"KNOWLEDGE.md": "mine", "compiled/splits/a/b.md": "b", "compiled/facts.md": "f"})
	sum := mustPublish(t, o, map[string]string{"compiled/facts.md": "F", "compiled/index.json": "i"}, "compiled/splits/a/b.md", "compiled/none.md")
	want := map[string]string{"KNOWLEDGE.md": "mine", "compiled/facts.md": "F", "compiled/index.json": "i"}
	if diff := cmp.Diff(want, tree(t, o.Target)); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	if sum.Deleted != (Tally{1, 1}) || sum.Updated != (Tally{1, 1}) || sum.Created != (Tally{1, 1}) {
		t.Errorf("summary: %+v", sum)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	o := options(t, "manifest.json")
	o.DryRun = true
	sum := mustPublish(t, o, first)
	if sum.Created.Files != len(first)+1 {
		t.Errorf("summary: %+v", sum)
	}
	if got := tree(t, filepath.Dir(o.Target)); len(got) != 0 {
		t.Errorf("a dry run wrote %v", got)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	o := options(t, "manifest.json")
	tx := oktest.Value(Begin(context.Background(), o))(t)
	if c, err := tx.Put("a", []byte("a")); c != Created || err != nil {
		t.Fatal(c, err)
	}
	oktest.Check(t, tx.Abort())
	if _, err := os.Lstat(o.Target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target was made: %v", err)
	}
	for path := range tree(t, o.StateDir) {
		if base := filepath.Base(path); base != "lock" && base != ".gitignore" {
			t.Errorf("left behind: %s", path)
		}
	}
	if _, err := tx.Commit(); err == nil {
		t.Error("a commit after an abort succeeded")
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, o *Options)
		files  map[string]string
		is     error
		says   string
	}{
		{"target holds files of others", func(t *testing.T, o *Options) {
			oktest.Write(t, o.Target, map[string]string{"thesis.doc": "years of work"})
		}, first, ErrNotOurs, "manifest.json"},
		{"manifest is damaged", func(t *testing.T, o *Options) {
			oktest.Write(t, o.Target, map[string]string{"manifest.json": `{"schema_version":1,"files":[{"path":"../../etc/passwd"`})
		}, first, ErrNotOurs, "manifest.json"},
		{"manifest names a path outside", func(t *testing.T, o *Options) {
			oktest.Write(t, o.Target, map[string]string{"manifest.json": `{"schema_version":1,"files":[{"path":"../x","size":1,"sha256":"` + strings.Repeat("0", 64) + `"}]}`})
		}, first, ErrNotOurs, "../x"},
		{"file of another stands at a path of ours", func(t *testing.T, o *Options) {
			mustPublish(t, *o, first)
			oktest.Write(t, o.Target, map[string]string{"CNAME": "example.org"})
		}, map[string]string{"CNAME": "example.com"}, ErrNotOurs, "CNAME"},
		{"target is a file", func(t *testing.T, o *Options) {
			oktest.Write(t, filepath.Dir(o.Target), map[string]string{"out": "x"})
		}, first, nil, "out is a file, not a directory"},
		{"target is below a file", func(t *testing.T, o *Options) {
			oktest.Write(t, filepath.Dir(o.Target), map[string]string{"out": "x"})
			o.Target = filepath.Join(o.Target, "deep", "er")
		}, first, nil, "out is a file, not a directory"},
		{"target is a link to nothing", func(t *testing.T, o *Options) {
			oktest.Check(t, os.Symlink("nowhere", o.Target))
		}, first, nil, "symbolic link to nothing"},
		{"no target", func(t *testing.T, o *Options) { o.Target = "" }, first, nil, "no target"},
		{"directory in the target is a link", func(t *testing.T, o *Options) {
			mustPublish(t, *o, map[string]string{"a": "a"})
			oktest.Check(t, os.Symlink(t.TempDir(), filepath.Join(o.Target, "b")))
		}, first, ErrSymlink, "b"},
		{"file in the target is a link", func(t *testing.T, o *Options) {
			mustPublish(t, *o, first)
			os.Remove(filepath.Join(o.Target, "a.html"))
			oktest.Check(t, os.Symlink("b/c.html", filepath.Join(o.Target, "a.html")))
		}, second, ErrSymlink, "a.html"},
		{"directory of others is in the way", func(t *testing.T, o *Options) {
			mustPublish(t, *o, first)
			oktest.Write(t, o.Target, map[string]string{"turn/mine": "m"})
		}, second, nil, "in the way of turn"},
		{"paths differ in letter case only", nil, map[string]string{"x/A.md": "1", "x/a.md": "2"}, errCollision, "x/A.md and x/a.md"},
		{"path leaves the target", nil, map[string]string{"../x": "1"}, nil, "not a clean relative path"},
		{"path is absolute", nil, map[string]string{"/x": "1"}, nil, "not a clean relative path"},
		{"path holds a backslash", nil, map[string]string{`a\b`: "1"}, nil, "backslash"},
		{"path holds a NUL", nil, map[string]string{"a\x00b": "1"}, nil, "control character"},
		{"path is the manifest", nil, map[string]string{"manifest.json": "1"}, ErrDuplicate, "manifest.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := options(t, "manifest.json")
			if tt.before != nil {
				tt.before(t, &o)
			}
			var was map[string]string
			if o.Target != "" {
				was = tree(t, o.Target)
			}
			_, err := publishAll(o, osLayer{}, tt.files)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error is %v, want one of %v that says %q", err, tt.is, tt.says)
			}
			if o.Target != "" {
				if diff := cmp.Diff(was, tree(t, o.Target)); diff != "" {
					t.Errorf("the target changed:\n%s", diff)
				}
			}
		})
	}
}

func TestDuplicatePathIsAnError(t *testing.T) {
	tx, err := Begin(context.Background(), options(t, ""))
	oktest.Check(t, err)
	defer tx.Abort()
	_, err = tx.Put("a", nil)
	_, err2 := tx.PutFrom(File{Path: "a", Content: Bytes(nil), Last: true})
	if err != nil || !errors.Is(err2, ErrDuplicate) {
		t.Errorf("first %v, second %v", err, err2)
	}
	if _, err := tx.Commit(); !errors.Is(err, ErrDuplicate) {
		t.Errorf("commit: %v", err)
	}
}

func TestOneRunAtATime(t *testing.T) {
	o := options(t, "")
	tx := oktest.Value(Begin(context.Background(), o))(t)
	if _, err := Begin(context.Background(), o); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", os.Getpid())) {
		t.Errorf("second run: %v", err)
	}
	o.Wait = time.Minute
	waited := make(chan error)
	go func() {
		tx, err := Begin(context.Background(), o)
		if err == nil {
			err = tx.Abort()
		}
		waited <- err
	}()
	if err := tx.Abort(); err != nil {
		t.Error(err)
	}
	if err := <-waited; err != nil {
		t.Errorf("waiting run: %v", err)
	}
}

func TestCancelLeavesTargetAsItWas(t *testing.T) {
	o := options(t, "manifest.json")
	mustPublish(t, o, first)
	was := tree(t, o.Target)
	ctx, cancel := context.WithCancel(context.Background())
	tx := oktest.Value(Begin(ctx, o))(t)
	if _, err := tx.Put("a.html", []byte("changed")); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := tx.Put("b.html", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if _, err := tx.Commit(); !errors.Is(err, context.Canceled) {
		t.Errorf("commit: %v", err)
	}
	if diff := cmp.Diff(was, tree(t, o.Target)); diff != "" {
		t.Errorf("the target changed:\n%s", diff)
	}
	mustPublish(t, o, second)
}

func TestPutFromManyGoroutines(t *testing.T) {
	o := options(t, "manifest.json")
	tx := oktest.Value(Begin(context.Background(), o))(t)
	want := map[string]string{}
	var wg sync.WaitGroup
	for i := range 300 {
		path := fmt.Sprintf("d%d/%d.html", i%7, i)
		want[path] = path
		wg.Go(func() {
			if _, err := tx.Put(path, []byte(path)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	got := tree(t, o.Target)
	delete(got, "manifest.json")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTargetMayBeALink(t *testing.T) {
	o := options(t, "manifest.json")
	real := t.TempDir()
	oktest.Check(t, os.Symlink(real, o.Target))
	mustPublish(t, o, map[string]string{"a": "a"})
	if got := tree(t, real)["a"]; got != "a" {
		t.Errorf("got %q", got)
	}
}
