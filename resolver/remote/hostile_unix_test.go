//go:build unix

package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// What is in place of a file of an unpacked pack is not read, whatever it
// is and wherever it leads.
func TestAnUnpackedPackLeadsNowhereElse(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "it.md")
	write(t, outside, []byte("# It\n\nIt boils.\n")) // even when it has the right bytes
	for name, place := range map[string]func(name string) error{
		"a link out of the pack": func(name string) error { return os.Symlink(outside, name) },
		"a link to itself":       func(name string) error { return os.Symlink("it.md", name) },
		"a pipe":                 func(name string) error { return syscall.Mkfifo(name, 0o666) },
		"a directory":            func(name string) error { return os.Mkdir(name, 0o777) },
		"nothing":                func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s, o := publish(t, "kettle", "It boils."), options(t)
			file := filepath.Join(s.unpack(t, filepath.Join(o.Dir, "kettle")), "documents", "it.md")
			oktest.Check(t, errors.Join(os.Remove(file), place(file)))
			a := mustOpen(t, "kettle", o)
			if data, err := fs.ReadFile(a.FS, "documents/it.md"); err == nil || a.Damage() == nil {
				t.Errorf("read %q", data)
			}
			if err := a.Verify(context.Background()); err == nil {
				t.Error("it is verified")
			}
		})
	}
}
