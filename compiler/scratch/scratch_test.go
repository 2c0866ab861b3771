package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// What a killed run left is removed by the next one when it is old and nobody owns it;
// what is in use, young or somebody else's stays.
func TestTheNextRunRemovesWhatAKilledOneLeft(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if os.TempDir() != tmp {
		t.Skip("SKIPPED: TMPDIR does not name the directory for temporary files here")
	}
	used := oktest.Value(NewDir("push"))(t)
	killed := oktest.Value(NewDir("push"))(t)
	killed.lock.Close() // as the system does when a process ends
	for _, name := range []string{"packgen-push-77/a", "packgen-pack-x/a", "other-1/a", "packgen-hook-12"} {
		oktest.Check(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(tmp, name)), 0o777), os.WriteFile(filepath.Join(tmp, name), nil, 0o666)))
	}
	empty := filepath.Join(tmp, "packgen-push-78")
	oktest.Check(t, os.Mkdir(empty, 0o777))
	exists := func(name string) bool {
		_, err := os.Lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return err == nil
	}
	next := func() {
		t.Helper()
		d, err := NewDir("verify")
		if err == nil {
			err = d.Remove()
		}
		if err != nil || exists(d.top) {
			t.Fatal(err)
		}
	}
	next()
	if !exists(killed.Path) || !exists(empty) {
		t.Error("what is young is removed")
	}
	old := time.Now().Add(-2 * oldAge)
	list := oktest.Value(os.ReadDir(tmp))(t)
	for _, e := range list {
		oktest.Check(t, os.Chtimes(filepath.Join(tmp, e.Name()), old, old))
	}
	next()
	for name, stays := range map[string]bool{
		used.Path: true, killed.top: false, empty: false, filepath.Join(tmp, "packgen-hook-12"): false,
		filepath.Join(tmp, "packgen-push-77"): true, filepath.Join(tmp, "packgen-pack-x"): true, filepath.Join(tmp, "other-1"): true,
	} {
		if exists(name) != stays {
			t.Errorf("%s exists: %t", name, !stays)
		}
	}
	if err := used.Remove(); err != nil || exists(used.top) {
		t.Errorf("it remains: %v", err)
	}
}

func TestAFileIsGoneWhenItIsClosed(t *testing.T) {
	dir := t.TempDir()
	f := oktest.Value(NewFile(dir, "spool"))(t)
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	oktest.Check(t, f.Close())
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v remain, %v", list, err)
	}
}
