//go:build unix

package archive

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// A pipe in place of a file would keep a check waiting forever, and a link
// would show what lies elsewhere.
func TestVerifyWaitsForNoPipeAndFollowsNoLinkOut(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	oktest.Check(t, os.WriteFile(outside, []byte("x"), 0o666))
	for what, put := range map[string]func(name string) error{
		"a pipe":   func(name string) error { return syscall.Mkfifo(name, 0o666) },
		"a link":   func(name string) error { return os.Symlink(outside, name) },
		"a circle": func(name string) error { return os.Symlink(filepath.Base(name), name) },
		"a folder": func(name string) error { return os.Mkdir(name, 0o777) },
	} {
		for _, name := range []string{"index.html", "packs/harbor/pack.json", "packs/harbor/pack.tar.gz"} {
			dir := t.TempDir()
			oktest.Check(t, os.CopyFS(dir, publishedSite(t)))
			at := filepath.Join(dir, filepath.FromSlash(name))
			oktest.Check(t, os.Remove(at))
			oktest.Check(t, put(at))
			root := oktest.Value(os.OpenRoot(dir))(t)
			defer root.Close()
			if _, got := verified(t, root.FS(), VerifyOptions{}); len(got) != 1 || got[0] != publishedMissing+" "+name {
				t.Errorf("%s for %s: %v", what, name, got)
			}
		}
	}
}
