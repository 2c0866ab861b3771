package archive_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/archive"
)

func memory(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, body := range files {
		m[name] = &fstest.MapFile{Data: []byte(body)}
	}
	return m
}

func TestListHashesEveryFileInPathOrder(t *testing.T) {
	got, err := archive.List(memory(map[string]string{"b": "", "a.md": "2", "a/c": "1", "a/.hidden": "3"}))
	want := []archive.File{
		{Path: "a.md", Size: 1, SHA256: archive.SHA256([]byte("2"))},
		{Path: "a/.hidden", Size: 1, SHA256: archive.SHA256([]byte("3"))},
		{Path: "a/c", Size: 1, SHA256: archive.SHA256([]byte("1"))},
		{Path: "b", SHA256: archive.SHA256(nil)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if got, err := archive.List(memory(nil)); len(got) != 0 || err != nil {
		t.Errorf("an empty tree: %v %v", got, err)
	}
	if _, err := archive.List(os.DirFS(filepath.Join(t.TempDir(), "no"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no tree: %v", err)
	}
}

func TestListRefusesLinksAndSpecialFiles(t *testing.T) {
	for rule, mode := range map[string]fs.FileMode{archive.RuleLink: fs.ModeSymlink, archive.RuleSpecial: fs.ModeNamedPipe} {
		fsys := fstest.MapFS{"a": {Data: []byte("x")}, "d/b": {Data: []byte("a"), Mode: mode}}
		_, err := archive.List(fsys)
		var r *archive.Refusal
		if !errors.As(err, &r) || r.Rule != rule || r.Path != "d/b" {
			t.Errorf("%s: %v", rule, err)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink(".", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	var r *archive.Refusal
	if _, err := archive.List(os.DirFS(dir)); !errors.As(err, &r) || r.Rule != archive.RuleLink {
		t.Error(err)
	}
}

// broken is a file system with a file that cannot be read to its end.
type broken struct{ fs.FS }

func (b broken) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if name == "b" {
		return failing{f}, err
	}
	return f, err
}

type failing struct{ fs.File }

var errDisk = errors.New("disk error")

func (failing) Read([]byte) (int, error) { return 0, errDisk }

func TestListSaysWhichFileCannotBeRead(t *testing.T) {
	_, err := archive.List(broken{memory(map[string]string{"a": "x", "b": "y", "c": "z"})})
	if !errors.Is(err, errDisk) || err.Error() != "hash b: disk error" {
		t.Error(err)
	}
}
