//go:build unix

package archive

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in place of a file would keep a check waiting forever, and a link
// would show what lies elsewhere.
func TestVerifyWaitsForNoPipeAndFollowsNoLinkOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	for what, put := range map[string]func(name string) error{
		"a pipe":   func(name string) error { return syscall.Mkfifo(name, 0o666) },
		"a link":   func(name string) error { return os.Symlink(outside, name) },
		"a circle": func(name string) error { return os.Symlink(filepath.Base(name), name) },
		"a folder": func(name string) error { return os.Mkdir(name, 0o777) },
	} {
		for _, name := range []string{"index.html", "packs/harbor/pack.json", "packs/harbor/pack.tar.gz"} {
			dir := t.TempDir()
			if err := os.CopyFS(dir, publishedSite(t)); err != nil {
				t.Fatal(err)
			}
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.Remove(at); err != nil {
				t.Fatal(err)
			}
			if err := put(at); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			if _, got := verified(t, root.FS(), VerifyOptions{}); len(got) != 1 || got[0] != publishedMissing+" "+name {
				t.Errorf("%s for %s: %v", what, name, got)
			}
		}
	}
}
