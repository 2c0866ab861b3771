package regularfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gofrs/flock"
)

// ErrFile is what is where a regular file is wanted: a pipe, a device, a socket
// or a directory.
var ErrFile = errors.New("not a regular file")

// Open opens a file for reading. Links are followed, below a protected repository those that
// stay inside.
func Open(name string) (*os.File, fs.FileInfo, error) {
	return OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile is [os.OpenFile] for a regular file, or one that is made. To write, it refuses
// links below a protected repository.
func OpenFile(name string, flag int, perm fs.FileMode) (*os.File, fs.FileInfo, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		if err := CheckWrite(name); err != nil {
			return nil, nil, err
		}
	}
	if err := CheckRead(name); err != nil {
		return nil, nil, err
	}
	// Looked at first, since opening a device may do something.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrFile}
	}
	f, err := os.OpenFile(name, flag|noWait, perm)
	return checked(f, name, err)
}

// OpenIn opens a file below a root for reading.
func OpenIn(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|noWait, 0)
	return checked(f, name, err)
}

// checked closes what turns out not to be a regular file.
func checked(f *os.File, name string, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrFile}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// OpenDir opens a directory, by links as [Open] does.
func OpenDir(name string) (*os.File, error) {
	if name == "" {
		return os.Open(name) // an error
	}
	if err := CheckRead(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name + string(filepath.Separator))
	return f, named(err, name)
}

// SyncDir makes new names in a directory durable where the system can; some file systems
// refuse to sync a directory, and then there is nothing to be done.
func SyncDir(dir string) {
	if f, err := OpenDir(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Root is [os.OpenRoot], which waits for the other end of a pipe. It follows links as [Open]
// does.
func Root(dir string) (*os.Root, error) {
	if dir == "" {
		return os.OpenRoot(dir) // an error
	}
	if err := CheckRead(dir); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir + string(filepath.Separator))
	return root, named(err, dir)
}

// RootIn is [os.Root.OpenRoot], which waits for the other end of a pipe.
func RootIn(root *os.Root, name string) (*os.Root, error) {
	below, err := root.OpenRoot(name + "/.")
	return below, named(err, name)
}

// A FileLock is the lock of a file, which is made when it is taken.
type FileLock struct{ *flock.Flock }

// Lock returns the lock of a file.
func Lock(name string) *FileLock {
	return &FileLock{flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDONLY|noWait))}
}

// Lock waits for the lock and takes it.
func (l *FileLock) Lock() error {
	if err := CheckWrite(l.Path()); err != nil {
		return err
	}
	return l.Flock.Lock()
}

// RLock waits for the lock and takes it together with other readers.
func (l *FileLock) RLock() error {
	if err := CheckWrite(l.Path()); err != nil {
		return err
	}
	return l.Flock.RLock()
}

// TryLock takes the lock if no one holds it.
func (l *FileLock) TryLock() (bool, error) {
	if err := CheckWrite(l.Path()); err != nil {
		return false, err
	}
	return l.Flock.TryLock()
}

// TryRLock takes the lock together with other readers if no writer holds it.
func (l *FileLock) TryRLock() (bool, error) {
	if err := CheckWrite(l.Path()); err != nil {
		return false, err
	}
	return l.Flock.TryRLock()
}

// TryLockContext tries again and again to take the lock.
func (l *FileLock) TryLockContext(ctx context.Context, again time.Duration) (bool, error) {
	if err := CheckWrite(l.Path()); err != nil {
		return false, err
	}
	return l.Flock.TryLockContext(ctx, again)
}

// Reason is the text of an error without the path, for a message that names it already.
func Reason(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// IsGit reports a path with a part that is a .git, as file systems compare names: some
// ignore case, characters without a form, dots and blanks at the end, and what follows a
// colon, and know a short name.
func IsGit(path string) bool {
	for part := range strings.SplitSeq(strings.ToLower(filepath.ToSlash(path)), "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(withForm, part), ". ")
		number, short := strings.CutPrefix(part, "git~")
		if part == ".git" || short && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}

// withForm is a character, -1 for an invisible one.
func withForm(c rune) rune {
	if unicode.Is(unicode.Cf, c) {
		return -1
	}
	return c
}

// gitError says that a link of a repository leads to what git keeps of it: addresses with
// passwords, and tokens of a pipeline.
type gitError struct{ name string }

func (e *gitError) Error() string {
	return fmt.Sprintf("%s: a link leads into a directory .git", e.name)
}

// Is reports whether an error is [ErrOutside]: what git keeps came with no checkout.
func (e *gitError) Is(target error) bool { return target == ErrOutside }

// Advice says what to do about the link.
func (e *gitError) Advice() string { return "replace the link by a file: .git is for git alone" }

// FS is [os.Root.FS] with regular files and directories alone.
func FS(root *os.Root) fs.FS {
	return tree{root.FS(), func(name string) (*os.File, error) { return root.OpenFile(name, os.O_RDONLY|noWait, 0) }}
}

// Dir is [os.DirFS] with regular files and directories alone. It follows links as [Open]
// does.
func Dir(dir string) fs.FS {
	return tree{os.DirFS(dir), func(name string) (*os.File, error) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := CheckRead(full); err != nil {
			return nil, err
		}
		return os.OpenFile(full, os.O_RDONLY|noWait, 0)
	}}
}

// tree is a file system whose files are opened by a function.
type tree struct {
	base fs.FS
	open func(name string) (*os.File, error)
}

var (
	_ fs.ReadDirFS  = tree{}
	_ fs.ReadFileFS = tree{}
	_ fs.StatFS     = tree{}
	_ fs.ReadLinkFS = tree{}
)

// Open opens a regular file or a directory.
func (t tree) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := t.open(name)
	if err != nil {
		return nil, named(err, name)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrFile}
	}
	if err != nil {
		f.Close()
		return nil, named(err, name)
	}
	return f, nil
}

// ReadFile reads a regular file.
func (t tree) ReadFile(name string) ([]byte, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, named(err, name)
}

// ReadDir lists a directory in the order of its names.
func (t tree) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.(*os.File).ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, named(err, name)
}

// Stat describes what is at a path, links followed.
func (t tree) Stat(name string) (fs.FileInfo, error) { return fs.Stat(t.base, name) }

// Lstat describes what is at a path.
func (t tree) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(t.base, name) }

// ReadLink returns what a link names.
func (t tree) ReadLink(name string) (string, error) { return fs.ReadLink(t.base, name) }

// named gives an error of the system the path below the file system.
func named(err error, name string) error {
	if at, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}
