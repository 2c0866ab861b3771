package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/regularfile"
)

// fileLayer is every change that this package makes to a disk. Tests put a
// layer in its place that fails at a chosen operation, as a full disk or a kill
// would.
type fileLayer interface {
	MkdirAll(dir string) error
	Write(path string, data []byte) error       // a new file; fails when the path exists
	Create(path string) (io.WriteCloser, error) // Write in pieces
	Rename(from, to string) error
	Remove(path string) error // file or empty directory; an absent path is not an error
	RemoveAll(dir string) error
	Sync(dir string, files []string) error // flushes files that are in or below dir, and dir
	Writable(dir string) error             // could files be created in dir?
}

// osLayer is the disk itself. Modes are the usual ones, the umask applies.
type osLayer struct{}

var _ fileLayer = osLayer{}

func (osLayer) MkdirAll(dir string) error    { return os.MkdirAll(dir, 0o777) }
func (osLayer) Rename(from, to string) error { return os.Rename(from, to) }
func (osLayer) RemoveAll(dir string) error   { return os.RemoveAll(dir) }
func (osLayer) Writable(dir string) error    { return writable(dir) }

func (osLayer) Write(path string, data []byte) error { return writeFile(path, data) }

func (osLayer) Create(path string) (io.WriteCloser, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (osLayer) Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncEach is the number of files up to which syncing one by one is cheaper than
// syncing the file system they are on.
const syncEach = 16

func (osLayer) Sync(dir string, files []string) error {
	if len(files) > syncEach {
		if done, err := syncFileSystem(dir); done {
			return err
		}
	}
	dirs := map[string]bool{dir: true}
	for _, name := range files {
		if err := syncFile(name); err != nil {
			return err
		}
		for at := filepath.Dir(name); len(at) > len(dir); at = filepath.Dir(at) {
			dirs[at] = true
		}
	}
	for at := range dirs {
		syncDir(at)
	}
	return nil
}

func syncFile(path string) error {
	f, _, err := regularfile.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncDir makes new names durable where the system can; some file systems
// refuse to sync a directory, and then there is nothing to be done.
func syncDir(dir string) {
	if f, err := regularfile.OpenDir(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
