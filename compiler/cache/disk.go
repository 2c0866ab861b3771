package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Dir is a directory that holds a cache. Writing may fail as it likes: a cache
// that is not there costs time and nothing else.
type Dir string

// maxSize is the largest cache file in bytes that is read.
const maxSize = 1 << 30

// open reads a cache file with the checks of unseal.
func (d Dir) open(name, key string) (*Reader, uint32, error) {
	path := filepath.Join(string(d), name)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil, 0, errDamaged // opening a pipe would wait
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return unseal(f, info.Size(), key)
}

// write puts a cache file in place, whole or not at all.
func (d Dir) write(name string, w *Writer) (sum uint32, err error) {
	data, sum := w.seal()
	if err := os.MkdirAll(string(d), 0o777); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(string(d), name+".*")
	if err != nil {
		return 0, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(string(d), name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return sum, err
}

// sweep removes files that were never put in place.
func (d Dir) sweep() {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".cache.") && e.Type().IsRegular() {
			_ = d.remove(e.Name())
		}
	}
}

// remove drops a cache file.
func (d Dir) remove(name string) error {
	if err := os.Remove(filepath.Join(string(d), name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
