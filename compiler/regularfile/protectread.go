package regularfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

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
