package regularfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// protected are the repositories of this process. What a checkout holds is a stranger's,
// its links too, so nothing that the process opens may forget them: the list is kept here and not
// by each caller.
var protected struct {
	sync.RWMutex
	roots   []string
	allowed []string // directories, as real paths, into which their links may lead when they are read
}

// ErrLink is a symbolic link where none may be.
var ErrLink = errors.New("is a symbolic link")

// linkError says which part of a path below a repository is a link.
type linkError struct {
	Link string // the part, as the path names it
	To   string // what it leads to, as the link says it
}

func (e *linkError) Error() string {
	return fmt.Sprintf("%s %v to %s; packgen writes through no link below a repository", e.Link, ErrLink, e.To)
}

// Is reports whether an error is [ErrLink].
func (e *linkError) Is(target error) bool { return target == ErrLink }

// Advice says what to do about the link.
func (e *linkError) Advice() string {
	return fmt.Sprintf("put a file or directory in the place of the link %s", e.Link)
}

// Protect makes every write of this process below a repository refuse links, and all that
// it reads there refuse those that lead out. The way to
// the repository may lead through links. The user's home directory and the root of the file
// system are never protected: they did not come from a stranger.
func Protect(root string) {
	root, err := filepath.Abs(root)
	if err != nil {
		return
	}
	home, _ := os.UserHomeDir()
	protected.Lock()
	defer protected.Unlock()
	for _, dir := range []string{root, RealPath(root)} {
		if dir != filepath.Dir(dir) && dir != filepath.Clean(home) && dir != RealPath(home) && !slices.Contains(protected.roots, dir) {
			protected.roots = append(protected.roots, dir)
		}
	}
}

// RealPath follows the links of a path, as far as it exists.
func RealPath(name string) string {
	for at, rest := name, ""; ; at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest) {
		// Of what does not exist the links would be read again for each part of the path.
		if _, err := os.Stat(at); err == nil {
			if real, err := filepath.EvalSymlinks(at); err == nil {
				return filepath.Join(real, rest)
			}
		}
		if at == filepath.Dir(at) {
			return filepath.Join(at, rest)
		}
	}
}

// CheckWrite returns a linkError if a part of a path below a protected repository is a
// link, the last one too. "" is no path.
func CheckWrite(name string) error {
	if name == "" {
		return nil // no place: the caller has none, or takes that of the system
	}
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	protected.RLock()
	defer protected.RUnlock()
	for _, root := range protected.roots {
		below, inside := strings.CutPrefix(name, root+string(filepath.Separator))
		if !inside {
			continue
		}
		if err := checkParts(root, below); err != nil {
			return err
		}
	}
	return nil
}

// CheckWriteIn is CheckWrite for a path below a root. A root leaves links alone that stay
// below it.
func CheckWriteIn(root *os.Root, name string) error {
	return CheckWrite(filepath.Join(root.Name(), name))
}

// checkParts is CheckWrite for the parts of a path below a root.
func checkParts(root, below string) error {
	at := root
	for part := range strings.SplitSeq(below, string(filepath.Separator)) {
		at += string(filepath.Separator) + part
		info, err := os.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && isLink(info) {
			to, _ := os.Readlink(at)
			return &linkError{at, to}
		}
	}
	return nil
}

// isLink reports a symbolic link, or on Windows a junction.
func isLink(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeSymlink != 0 || info.Mode()&fs.ModeIrregular != 0 && !info.Mode().IsRegular() && filepath.Separator == '\\'
}

// checkAbove is CheckWrite for what changes a name and not what it leads to.
func checkAbove(names ...string) error {
	for _, name := range names {
		if err := CheckWrite(filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

// MkdirAll is [os.MkdirAll] that refuses links below a protected repository.
func MkdirAll(dir string, mode fs.FileMode) error {
	if err := CheckWrite(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, mode)
}

// Mkdir is [os.Mkdir] that refuses links below a protected repository.
func Mkdir(dir string, mode fs.FileMode) error {
	if err := checkAbove(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, mode)
}

// MkdirTemp is [os.MkdirTemp] that refuses links below a protected repository.
func MkdirTemp(dir, pattern string) (string, error) {
	if err := CheckWrite(dir); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, pattern)
}

// CreateTemp is [os.CreateTemp] that refuses links below a protected repository.
func CreateTemp(dir, pattern string) (*os.File, error) {
	if err := CheckWrite(dir); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, pattern)
}

// Create is [os.OpenFile] for a new file, and refuses links below a protected repository.
func Create(name string, mode fs.FileMode) (*os.File, error) {
	if err := CheckWrite(name); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// WriteFile is [os.WriteFile] that refuses links below a protected repository.
func WriteFile(name string, data []byte, mode fs.FileMode) error {
	if err := CheckWrite(name); err != nil {
		return err
	}
	return os.WriteFile(name, data, mode)
}

// Rename is [os.Rename] that refuses links below a protected repository. A link that has
// the new name is replaced.
func Rename(from, to string) error {
	if err := checkAbove(from, to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Symlink is [os.Symlink] that refuses links above the name below a protected repository.
func Symlink(target, name string) error {
	if err := checkAbove(name); err != nil {
		return err
	}
	return os.Symlink(target, name)
}

// Remove is [os.Remove] that refuses links above the name below a protected repository.
func Remove(name string) error {
	if err := checkAbove(name); err != nil {
		return err
	}
	return os.Remove(name)
}

// RemoveAll is [os.RemoveAll] that refuses links above the name below a protected repository.
func RemoveAll(dir string) error {
	if err := checkAbove(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// ErrOutside is what lies outside of the repository that names it, or has a link to it.
var ErrOutside = errors.New("outside the repository")

// outsideError says what of a repository leads out of it.
type outsideError struct {
	Name string // as the repository names it
	To   string // where its links lead; the name itself when it has none
}

func (e *outsideError) Error() string {
	if e.To == e.Name {
		return fmt.Sprintf("%s is %v", e.Name, ErrOutside)
	}
	return fmt.Sprintf("%s: a link leads to %s, %v", e.Name, e.To, ErrOutside)
}

// Is reports whether an error is [ErrOutside].
func (e *outsideError) Is(target error) bool { return target == ErrOutside }

// Advice says who may name places elsewhere.
func (e *outsideError) Advice() string {
	return "name a place in the repository, or allow the directory with --allow-root DIR or " + AllowVariable
}

// AllowVariable names the directories of [Allow] in the environment, as a list like PATH.
const AllowVariable = "PACKGEN_ALLOW_ROOT"

// Allow lets links of protected repositories lead into directories when they are read. The
// user names them, never a checkout.
func Allow(dirs ...string) {
	protected.Lock()
	defer protected.Unlock()
	for _, dir := range dirs {
		dir, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		if dir = RealPath(dir); !slices.Contains(protected.allowed, dir) {
			protected.allowed = append(protected.allowed, dir)
		}
	}
}

// CheckRead returns an error that is [ErrOutside] if a path below a protected repository
// leads by a link to what is neither in the repository nor allowed, or into its .git.
func CheckRead(name string) error {
	full, err := filepath.Abs(name)
	if name == "" || err != nil {
		return err
	}
	protected.RLock()
	defer protected.RUnlock()
	real := ""
	for _, root := range protected.roots {
		below, inside := strings.CutPrefix(full, root+string(filepath.Separator))
		if !inside || real == "" && checkParts(root, below) == nil {
			continue
		}
		if real == "" {
			if real, err = filepath.EvalSymlinks(full); errors.Is(err, fs.ErrNotExist) {
				return nil // opening it says so
			}
			if err != nil {
				return err
			}
		}
		if contains(root, real) {
			if rel, err := filepath.Rel(RealPath(root), real); err != nil || IsGit(rel) {
				return &gitError{name}
			}
			return nil
		}
	}
	if real == "" || slices.ContainsFunc(protected.allowed, func(dir string) bool { return contains(dir, real) }) {
		return nil
	}
	return &outsideError{name, real}
}

// CheckInside returns an error that is [ErrOutside] if a path that a repository names is
// neither in the repository nor allowed, by its name or by a link.
func CheckInside(root, name string) error {
	real := RealPath(name)
	protected.RLock()
	defer protected.RUnlock()
	if contains(root, real) || slices.ContainsFunc(protected.allowed, func(dir string) bool { return contains(dir, real) }) {
		return nil
	}
	return &outsideError{name, real}
}

// contains reports whether a real path is a directory or below it.
func contains(dir, real string) bool {
	rel, err := filepath.Rel(RealPath(dir), real)
	return err == nil && filepath.IsLocal(rel)
}
