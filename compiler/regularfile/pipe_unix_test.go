//go:build unix

package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// ends fails the test when a call does not return.
func ends(t *testing.T, what string, call func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s waits", what)
		return nil
	}
}

func TestNothingWaitsForAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	oktest.Check(t, errors.Join(syscall.Mkfifo(pipe, 0o666), os.Mkdir(filepath.Join(dir, "d"), 0o777)))
	root := oktest.Value(Root(dir))(t)
	defer root.Close()
	regularOnly := map[string]func() error{
		"Open":        func() error { return fault(Open(pipe)) },
		"a device":    func() error { return fault(Open(os.DevNull)) },
		"to append":   func() error { return fault(OpenFile(pipe, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)) },
		"to write":    func() error { return fault(OpenFile(pipe, os.O_WRONLY|os.O_TRUNC, 0o666)) },
		"OpenIn":      func() error { return fault(OpenIn(root, "pipe")) },
		"by the name": func() error { return fault(checkedOpen(pipe)) },
	}
	for what, fsys := range map[string]fs.FS{"FS": FS(root), "Dir": Dir(dir)} {
		regularOnly[what+".Open"] = func() error { _, err := fsys.Open("pipe"); return err }
		regularOnly[what+".ReadFile"] = func() error { _, err := fs.ReadFile(fsys, "pipe"); return err }
		regularOnly[what+".ReadDir"] = func() error { _, err := fs.ReadDir(fsys, "pipe"); return err }
	}
	for what, call := range regularOnly {
		if err := ends(t, what, call); !errors.Is(err, ErrFile) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, call := range map[string]func() error{
		"OpenDir": func() error { _, err := OpenDir(pipe); return err },
		"Root":    func() error { _, err := Root(pipe); return err },
		"RootIn":  func() error { _, err := RootIn(root, "pipe"); return err },
	} {
		if err := ends(t, what, call); err == nil {
			t.Errorf("%s opens a pipe", what)
		}
	}
	// A lock is no more than what the system holds for the file, whatever that is.
	if err := ends(t, "Lock", Lock(pipe).Lock); err != nil {
		t.Error(err)
	}
}

// checkedOpen is Open for a pipe that took the place of a file after it was looked
// at.
func checkedOpen(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noWait, 0)
	return checked(f, name, err)
}
