package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/packgen/packgen/compiler/store"
)

// diskTree is the tree as it is, seen through checks: no path below it leads
// through a symbolic link. What it learns of directories it keeps, so a target
// is dropped once directories have been made or removed.
type diskTree struct {
	dir  string // absolute, links resolved
	mu   sync.RWMutex
	seen map[string]dirState // by slash path below dir
}

// dirState is what is where a directory is wanted.
type dirState uint8

const (
	isDir   dirState = iota + 1
	isGone           // nothing there
	isOther          // a file there, or further up
)

func newDiskTree(dir string) *diskTree {
	return &diskTree{dir: dir, seen: map[string]dirState{".": isDir}}
}

// forget drops what is known of directories, which another process has made or removed.
func (t *diskTree) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.seen)
	t.seen["."] = isDir
}

// resolveTarget makes a path absolute and follows links in the part of it that
// exists. It returns the nearest existing directory too.
func resolveTarget(path string) (dir, existing string, err error) {
	return resolveBy(filepath.EvalSymlinks, path)
}

// resolveBy is resolveTarget with a function that follows links.
func resolveBy(follow func(string) (string, error), path string) (dir, existing string, err error) {
	if path == "" {
		return "", "", errors.New("publish: no target directory given")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", "", fmt.Errorf("publish into %s: %w", path, err)
	}
	rest := ""
	for at := abs; ; at = filepath.Dir(at) {
		// Looked at before it is followed: what another process makes in between is not
		// a link to nothing.
		before, _ := os.Lstat(at)
		real, err := follow(at)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			if before != nil && before.Mode()&fs.ModeSymlink != 0 {
				return "", "", fmt.Errorf("publish into %s: %s is a symbolic link to nothing", path, at)
			}
			rest = filepath.Join(filepath.Base(at), rest)
			continue
		}
		if err != nil && !errors.Is(err, syscall.ENOTDIR) {
			return "", "", fmt.Errorf("publish into %s: %w", path, err)
		}
		if err != nil { // a file further up: find it, to name it
			rest = filepath.Join(filepath.Base(at), rest)
			continue
		}
		info, err := os.Stat(real)
		if err != nil {
			return "", "", fmt.Errorf("publish into %s: %w", path, err)
		}
		if !info.IsDir() {
			return "", "", fmt.Errorf("publish into %s: %s is a file, not a directory", path, at)
		}
		return filepath.Join(real, rest), real, nil
	}
}

// abs returns the place of a slash path on disk.
func (t *diskTree) abs(path string) string {
	return filepath.Join(t.dir, filepath.FromSlash(path))
}

// parent returns the slash path of the directory that holds path.
func parent(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// directory looks at a directory and all above it.
func (t *diskTree) directory(dir string) (dirState, error) {
	t.mu.RLock()
	state := t.seen[dir]
	t.mu.RUnlock()
	if state != 0 {
		return state, nil
	}
	state, err := t.directory(parent(dir))
	if err == nil && state == isDir {
		state, err = lookAt(t.abs(dir))
	}
	if err != nil {
		return 0, err
	}
	t.note(dir, state)
	return state, nil
}

// note keeps what is where a directory is wanted.
func (t *diskTree) note(dir string, state dirState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen[dir] = state
}

func lookAt(path string) (dirState, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return isGone, nil
	case err != nil:
		return 0, err
	case info.Mode()&fs.ModeSymlink != 0:
		return 0, fmt.Errorf("%s %w; packgen writes through none inside a target", path, ErrSymlink)
	case info.IsDir():
		return isDir, nil
	}
	return isOther, nil
}

// found is what is at the path of a file.
type found struct {
	exists  bool       // a regular file
	stat    store.Stat // of that file
	blocked bool       // it is a directory, or a file is where a directory is wanted
}

// look finds what is at the path of a file. Links and devices are errors.
func (t *diskTree) look(path string) (found, error) {
	state, err := t.directory(parent(path))
	if err != nil {
		return found{}, err
	}
	if state == isGone {
		return found{}, nil
	}
	if state == isOther {
		return found{blocked: true}, nil
	}
	name := t.abs(path)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, nil
	case err != nil:
		return found{}, err
	case info.IsDir():
		return found{blocked: true}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return found{}, fmt.Errorf("%s %w; packgen does not replace it", name, ErrSymlink)
	case !info.Mode().IsRegular():
		return found{}, &BlockedError{path, name + " is neither a file nor a directory"}
	}
	return found{exists: true, stat: store.StatOf(info)}, nil
}

// compareBuffer is the size in bytes of the pieces in which files are compared.
const compareBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new([compareBuffer]byte) }}

// empty reports whether the directory holds nothing but the names to ignore.
func (t *diskTree) empty(ignore ...string) (bool, error) {
	entries, err := os.ReadDir(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
next:
	for _, e := range entries {
		for _, name := range ignore {
			if e.Name() == name {
				continue next
			}
		}
		return false, nil
	}
	return true, nil
}

// readDir lists a directory that is not a link.
func readDir(dir string) ([]fs.DirEntry, error) {
	if state, err := lookAt(dir); err != nil || state != isDir {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	return os.ReadDir(dir)
}

// firstExisting returns dir or the nearest directory above it that exists.
func firstExisting(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// same reports whether two paths are one file.
func (t *diskTree) same(a, b string) bool {
	x, errX := os.Lstat(t.abs(a))
	y, errY := os.Lstat(t.abs(b))
	return errX == nil && errY == nil && os.SameFile(x, y)
}
