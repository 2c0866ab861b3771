package repo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
)

// packFSOf opens a directory as the resolver reads packs.
func packFSOf(t *testing.T, dir string) (packFS, *packDirs) {
	t.Helper()
	root := oktest.Value(os.OpenRoot(dir))(t)
	dirs := &packDirs{}
	t.Cleanup(func() {
		dirs.close()
		root.Close()
	})
	return packFS{root, root.FS(), dirs}, dirs
}

// writeTree writes files below a directory and returns it.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	oktest.Write(t, dir, files)
	return dir
}

func TestPackFilesReadAsFromTheRoot(t *testing.T) {
	dir := writeTree(t, map[string]string{"KNOWLEDGE.md": "k", "a/b/c.md": "c", "a/d.md": "d", "e/f/g/h.md": "h"})
	fsys, _ := packFSOf(t, dir)
	if err := fstest.TestFS(fsys, "KNOWLEDGE.md", "a/b/c.md", "a/d.md", "e/f/g/h.md"); err != nil {
		t.Error(err)
	}
}

func TestOpenDirectoriesLeadNowhereElse(t *testing.T) {
	outside := writeTree(t, map[string]string{"secret.md": "secret"})
	dir := writeTree(t, map[string]string{"a/b.md": "b", "c/d.md": "d"})
	for link, to := range map[string]string{
		"a/absolute": outside, "a/file.md": filepath.Join(outside, "secret.md"), "a/up": "../../" + filepath.Base(outside), "a/aside": "../c", "a/aside.md": "../c/d.md",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	fsys, _ := packFSOf(t, dir)
	for range 2 { // the second time the directories are open
		for name, want := range map[string]string{"a/b.md": "b", "a/aside.md": "d", "a/aside/d.md": "d"} {
			if data, err := fs.ReadFile(fsys, name); err != nil || string(data) != want {
				t.Errorf("%s: %q, error %v", name, data, err)
			}
		}
		for _, name := range []string{"a/absolute/secret.md", "a/file.md", "a/up/secret.md", "../x", "a/../../x", "/etc/passwd", "a//b.md", "a/none/x.md"} {
			if data, err := fs.ReadFile(fsys, name); err == nil {
				t.Errorf("%s: %q", name, data)
			}
		}
		if _, err := fs.ReadDir(fsys, "a/absolute"); err == nil {
			t.Error("a directory outside is listed")
		}
	}
}

// More directories than are kept open, from several goroutines: some are closed
// while others read through them.
func TestFewDirectoriesStayOpen(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 3 * maxOpenDirs {
		files[fmt.Sprintf("deep/%d/x.md", i)] = fmt.Sprint(i)
	}
	fsys, dirs := packFSOf(t, writeTree(t, files))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for name, want := range files {
				if data, err := fs.ReadFile(fsys, name); err != nil || string(data) != want {
					t.Errorf("%s: %q, error %v", name, data, err)
				}
			}
		})
	}
	wait.Wait()
	if len(dirs.open) == 0 || len(dirs.open) > maxOpenDirs {
		t.Errorf("%d directories are open", len(dirs.open))
	}
}
