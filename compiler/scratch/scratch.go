package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
)

const (
	prefix   = "packgen-"
	lockName = "lock" // in a directory; its owner holds it
	workName = "work" // in a directory, what the owner uses of it
	// oldAge is how old something is before it counts as left: its owner locks it as soon
	// as it is made.
	oldAge = time.Hour
)

// Dir is a temporary directory. Another run never removes it before its owner has ended.
type Dir struct {
	Path string
	top  string
	lock *regularfile.FileLock
}

// NewDir makes a directory in the one for temporary files; kind, a word in lower case, is
// part of its name.
func NewDir(kind string) (*Dir, error) {
	sweep(os.TempDir())
	top, err := regularfile.MkdirTemp("", prefix+kind+"-*")
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: filepath.Join(top, workName), top: top, lock: regularfile.Lock(filepath.Join(top, lockName))}
	_, err = d.lock.TryLock()
	if err = errors.Join(err, regularfile.Mkdir(d.Path, 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("make a temporary directory: %w", err), d.Remove())
	}
	return d, nil
}

// Remove removes the directory with all that is in it.
func (d *Dir) Remove() error {
	return errors.Join(d.lock.Close(), regularfile.RemoveAll(d.top))
}

// File is a temporary file. It has no name where the system allows that, so that nothing is
// left of it, whatever happens to the process.
type File struct{ *os.File }

// NewFile makes a file in a directory, "" for the one for temporary files; kind is as for
// [NewDir].
func NewFile(dir, kind string) (File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := Create(dir, kind)
	if err != nil {
		return File{}, err
	}
	_ = regularfile.Remove(f.Name()) // where that fails Close does it
	return File{f}, nil
}

// Create makes a file in a directory that gets its name in time; kind is as for [NewDir].
func Create(dir, kind string) (*os.File, error) {
	sweep(dir)
	return regularfile.CreateTemp(dir, prefix+kind+"-*")
}

// NameLeft is the name of the file where it has one, otherwise "".
func (f File) NameLeft() string {
	if _, err := os.Lstat(f.Name()); err != nil {
		return ""
	}
	return f.Name()
}

// Close closes the file and removes it.
func (f File) Close() error {
	err := f.File.Close()
	if gone := regularfile.Remove(f.Name()); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// sweep removes what runs left in a directory that were killed. What cannot be removed
// stays: it does no harm.
func sweep(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		_, number, named := strings.Cut(rest, "-")
		if !ours || !named || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		info, err := e.Info()
		if err != nil || time.Since(info.ModTime()) < oldAge {
			continue
		}
		name := filepath.Join(dir, e.Name())
		switch {
		case info.Mode().IsRegular():
			_ = regularfile.Remove(name)
		case info.IsDir() && abandoned(name):
			_ = regularfile.RemoveAll(name)
		case info.IsDir():
			_ = regularfile.Remove(name) // empty when its owner was killed before it made the lock
		}
	}
}

// abandoned reports whether a directory has a lock that nobody holds.
func abandoned(dir string) bool {
	name := filepath.Join(dir, lockName)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	lock := regularfile.Lock(name)
	defer lock.Close()
	free, err := lock.TryLock()
	return err == nil && free
}
