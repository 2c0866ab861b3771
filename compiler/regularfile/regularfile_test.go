package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestFilesAreOpenedAsUsual(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	f, _, err := OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666)
	oktest.Check(t, err)
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	root := oktest.Value(Root(dir))(t)
	defer root.Close()
	oktest.Check(t, os.MkdirAll(filepath.Join(dir, "b/c"), 0o777))
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "b/c/d"), nil, 0o666))
	if _, info, err := Open(name); err != nil || info.Size() != 4 {
		t.Errorf("%v, %v", info, err)
	}
	if _, info, err := OpenIn(root, "a"); err != nil || info.Size() != 4 {
		t.Errorf("%v, %v", info, err)
	}
	below := oktest.Value(RootIn(root, "b/c"))(t)
	defer below.Close()
	if _, _, err := OpenIn(below, "d"); err != nil {
		t.Error(err)
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"Open":   fault(Open(dir)),
		"OpenIn": fault(OpenIn(root, "b")),
	} {
		if !errors.Is(err, ErrFile) {
			t.Errorf("%s of a directory: %v", what, err)
		}
	}
	for what, open := range map[string]func() (*os.Root, error){
		"Root":   func() (*os.Root, error) { return Root(name) },
		"RootIn": func() (*os.Root, error) { return RootIn(root, "a") },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s opens a file", what)
		}
	}
	for what, fsys := range map[string]fs.FS{"FS": FS(root), "Dir": Dir(dir)} {
		if err := fstest.TestFS(fsys, "a", "b/c/d"); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	lock := Lock(filepath.Join(dir, "lock"))
	if err := lock.Lock(); err != nil {
		t.Error(err)
	}
	if taken, err := Lock(filepath.Join(dir, "lock")).TryLock(); taken || err != nil {
		t.Errorf("a lock is taken twice: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Error(err)
	}
}

func fault(_ *os.File, _ fs.FileInfo, err error) error { return err }
