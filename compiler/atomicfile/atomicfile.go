package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
)

const (
	// BackupSuffix is added to the name of a file for the copy of what it held.
	BackupSuffix = ".bak"
	lockSuffix   = ".lock"
	// tempSuffix ends the names of files that are being written; Sweep removes old ones.
	tempSuffix = ".packgen"
	// sweepAge is how old a staged file is before it counts as abandoned: a write
	// takes far less.
	sweepAge  = time.Minute
	lockRetry = 5 * time.Millisecond
)

// TooLargeError says that a file is larger than what is read.
type TooLargeError struct {
	Name  string
	Limit int64 // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %s", e.Name, bytesize.Text(int64(e.Limit)))
}

// Read reads a regular file of at most limit bytes; a larger one is a
// *TooLargeError. It never waits for a pipe or a device.
func Read(name string, limit int64) ([]byte, error) {
	f, _, err := regularfile.Open(name)
	if errors.Is(err, regularfile.ErrFile) {
		return nil, fmt.Errorf("%s is %w", name, regularfile.ErrFile)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadOpen(f, name, limit)
}

// ReadOpen reads a file that is open already, as Read does.
func ReadOpen(f fs.File, name string, limit int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: regularfile.ErrFile}
	}
	if info.Size() > limit {
		return nil, &TooLargeError{name, limit}
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit { // it grew meanwhile
		return nil, &TooLargeError{name, limit}
	}
	return data.Bytes(), nil
}

// Write puts a file in place, its directory made when it is absent. The bytes
// are written beside it, reach the disk and then take its name in one step; so does the
// name before Write returns, where the system can do that. The
// mode of an earlier file is kept; a link is followed, so that what it names is
// replaced and not the link, except below a protected repository, where a link is an error.
// So is a link that leads to no file. What a writer
// that was killed left beside the file is removed.
func Write(name string, data []byte) error {
	return write(name, data, 0o644)
}

// destination is the file that a write to a name replaces, behind a link, and its mode; that
// of a file that does not exist yet is mode.
func destination(name string, mode fs.FileMode) (string, fs.FileMode, error) {
	// Looked at before it is followed: what another process makes in between is not
	// a link to nothing.
	before, _ := os.Lstat(name)
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	} else if before != nil && before.Mode()&fs.ModeSymlink != 0 {
		return "", 0, &fs.PathError{Op: "write", Path: name, Err: errors.New("it is a link that leads to no file")}
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, mode, nil
	case err != nil:
		return "", 0, err
	case !info.Mode().IsRegular():
		return "", 0, &fs.PathError{Op: "write", Path: name, Err: errors.New("not a regular file")}
	}
	return name, info.Mode().Perm(), nil
}

// write is Write; mode is for a file that does not exist yet.
func write(name string, data []byte, mode fs.FileMode) (err error) {
	if err := regularfile.CheckWrite(name); err != nil {
		return err
	}
	name, mode, err = destination(name, mode)
	if err != nil {
		return err
	}
	dir := filepath.Dir(name)
	if err := regularfile.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	Sweep(name)
	f, err := regularfile.CreateTemp(dir, "."+filepath.Base(name)+".*"+tempSuffix)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, regularfile.Remove(f.Name()))
		}
	}()
	if _, err = f.Write(data); err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = regularfile.Rename(f.Name(), name); err != nil {
		return err
	}
	regularfile.SyncDir(dir)
	return nil
}

// WriteBelow is Write for a file below a directory that no link leads out of, whatever another
// process does meanwhile. A link above the file, or in its place, is an error. With create, so
// is a file of that name: the error wraps fs.ErrExist.
func WriteBelow(dir, name string, data []byte, create bool) error {
	if err := regularfile.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := regularfile.Root(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := regularfile.CheckWriteIn(root, name); err != nil {
		return err
	}
	mode, err := placeBelow(root, name, create)
	if err != nil {
		return err
	}
	Sweep(filepath.Join(dir, filepath.FromSlash(name)))
	staged := path.Join(path.Dir(name), fmt.Sprintf(".%s.%d%s", path.Base(name), rand.Uint64(), tempSuffix))
	f, err := root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && create {
		// A link, unlike a rename, takes no name that another process took meanwhile.
		if err = root.Link(staged, name); err == nil || errors.Is(err, fs.ErrExist) {
			return errors.Join(err, root.Remove(staged))
		}
		err = nil // the file system has no links
	}
	if err == nil {
		err = root.Rename(staged, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(staged))
	}
	return nil
}

// placeBelow looks at the place of a file that WriteBelow is to write, makes the directory above
// it, and returns the mode for the file.
func placeBelow(root *os.Root, name string, create bool) (fs.FileMode, error) {
	switch info, err := root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return 0o666, root.MkdirAll(path.Dir(name), 0o777)
	case err != nil:
		return 0, err
	case create:
		return 0, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	case !info.Mode().IsRegular():
		return 0, fmt.Errorf("%s is not a regular file", name)
	default:
		return info.Mode().Perm(), nil
	}
}

// Sweep removes what writers that were killed left beside files. What cannot be
// removed stays: it does no harm.
func Sweep(names ...string) {
	for _, name := range names {
		prefix := "." + filepath.Base(name) + "."
		list, err := os.ReadDir(filepath.Dir(name))
		if err != nil {
			continue
		}
		for _, e := range list {
			number, ok := strings.CutPrefix(e.Name(), prefix)
			number, ours := strings.CutSuffix(number, tempSuffix)
			if !ok || !ours || number == "" || strings.Trim(number, "0123456789") != "" {
				continue
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > sweepAge {
				_ = regularfile.Remove(filepath.Join(filepath.Dir(name), e.Name()))
			}
		}
	}
}

// Backup copies a file to its name with BackupSuffix, in place of an earlier
// copy, and returns that name; "" when there is no such file.
func Backup(name string, limit int64) (string, error) {
	if err := regularfile.CheckWrite(name); err != nil {
		return "", err
	}
	data, err := Read(name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return name + BackupSuffix, writeCopy(name+BackupSuffix, data, name)
}

// writeCopy writes a copy of a file: what only its owner may read stays so.
func writeCopy(name string, data []byte, of string) error {
	info, err := os.Stat(of)
	if err == nil {
		err = write(name, data, info.Mode().Perm())
	}
	return err
}

// Lock waits until no other process holds the lock of a file, and takes it. The
// lock is a file of its own beside it.
func Lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := regularfile.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	lock := regularfile.Lock(name + lockSuffix)
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { _ = lock.Close() }, nil
}
