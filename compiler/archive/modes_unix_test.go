//go:build unix

package archive_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
)

func TestModesAndTimesOfTheArchiveAreIgnored(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	for _, data := range [][]byte{
		tarOf(t, item{name: "a/b.md", body: "x"}), // mode 0600
		zipOf(t, item{name: "a/b.md", body: "x", mode: 0o4777}),
	} {
		_, dir, err := extract(t, data, archive.Limits{})
		oktest.Check(t, err)
		for name, want := range map[string]fs.FileMode{".": fs.ModeDir | 0o755, "a": fs.ModeDir | 0o755, "a/b.md": 0o644} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil || info.Mode() != want {
				t.Errorf("%s: %v, want %v (%v)", name, info.Mode(), want, err)
			}
			if info.ModTime().Year() < 2000 {
				t.Errorf("%s has the time of the archive, %v", name, info.ModTime())
			}
		}
	}
}
