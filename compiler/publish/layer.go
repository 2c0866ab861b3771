package publish

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	Sync(dir string, n int, files iter.Seq[string]) error // flushes n files that are in or below dir, and dir
	Writable(dir string) error                            // could files be created in dir?
}

// osLayer is the disk itself. Modes are the usual ones, the umask applies.
type osLayer struct{}

var _ fileLayer = osLayer{}

func (osLayer) MkdirAll(dir string) error    { return regularfile.MkdirAll(dir, 0o777) }
func (osLayer) Rename(from, to string) error { return regularfile.Rename(from, to) }
func (osLayer) RemoveAll(dir string) error   { return regularfile.RemoveAll(dir) }
func (osLayer) Writable(dir string) error    { return writable(dir) }

func (osLayer) Write(path string, data []byte) error { return writeFile(path, data) }

func (osLayer) Create(path string) (io.WriteCloser, error) {
	return regularfile.Create(path, 0o666)
}

func (osLayer) Remove(path string) error {
	if err := regularfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncEach is the number of files up to which syncing one by one is cheaper than
// syncing the file system they are on.
const syncEach = 16

func (osLayer) Sync(dir string, n int, files iter.Seq[string]) error {
	if n > syncEach {
		if done, err := syncFileSystem(dir); done {
			return err
		}
	}
	dirs := map[string]bool{dir: true}
	for name := range files {
		if err := syncFile(name); err != nil {
			return err
		}
		for at := filepath.Dir(name); len(at) > len(dir); at = filepath.Dir(at) {
			dirs[at] = true
		}
	}
	for at := range dirs {
		regularfile.SyncDir(at)
	}
	return nil
}

// SyncTree brings a directory and all files below it to the disk, so that it can take its
// name in one step that no power cut leaves half done.
func SyncTree(dir string) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	return osLayer{}.Sync(dir, len(files), slices.Values(files))
}

// stageAge is how old a stage beside its target is before it counts as abandoned: no
// run takes that long.
const stageAge = time.Hour

// SweepStages removes the directories with a prefix in their name, made by
// [os.MkdirTemp], in which runs that were killed staged what they wrote. What cannot be
// removed stays: it does no harm.
func SweepStages(dir, prefix string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || !e.IsDir() || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stageAge {
			_ = regularfile.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func syncFile(path string) error {
	f, _, err := regularfile.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
