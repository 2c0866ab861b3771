package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
)

// Target takes the files of a new tree, and knows those of the tree whose place that takes.
// All but Commit and Abort may be called from several goroutines. [Tx] is one on a disk.
type Target interface {
	// Put adds a file and says what that changes. Data may be reused after the call. A path
	// that was put before gives an error that wraps ErrDuplicate.
	Put(path string, data []byte) (Change, error)
	// PutFrom is Put for a file that is written in pieces.
	PutFrom(f File) (Change, error)
	// Keep adds files of the last tree as they are, without their bytes: all of them or, when
	// it returns false because one of them is not there untouched with that digest, none.
	Keep(files ...Kept) bool
	// Sum returns the digest of a file that was put or kept; false when none was, or the
	// target does not sum files up.
	Sum(path string) (Kept, bool)

	// Last returns the files of the last tree below a directory, such as "packs/handbook/",
	// in path order.
	Last(dir string) []string
	// LastSum returns the digest of a file of the last tree; false when it is not there
	// untouched.
	LastSum(path string) (Kept, bool)
	// ReadLast returns the bytes of a file of the last tree; an error when it is not there
	// untouched.
	ReadLast(path string) ([]byte, error)

	// Wants reports whether a file that takes long to make is to be made now.
	Wants(path string) bool

	// Commit puts the new tree in the place of the last one.
	Commit() (Summary, error)
	// Abort drops the new tree; after Commit it does nothing.
	Abort() error
}

// Nowhere is a target that drops what it takes, and had no tree before. A target that is one
// only in part holds it and has the methods that differ.
var Nowhere Target = nowhere{}

type nowhere struct{}

func (nowhere) Put(string, []byte) (Change, error) { return Created, nil }
func (nowhere) PutFrom(f File) (Change, error)     { return Created, f.Content(io.Discard) }
func (nowhere) Keep(...Kept) bool                  { return false }
func (nowhere) Sum(string) (Kept, bool)            { return Kept{}, false }
func (nowhere) Last(string) []string               { return nil }
func (nowhere) LastSum(string) (Kept, bool)        { return Kept{}, false }
func (nowhere) ReadLast(path string) ([]byte, error) {
	return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
}
func (nowhere) Wants(string) bool        { return true }
func (nowhere) Commit() (Summary, error) { return Summary{}, nil }
func (nowhere) Abort() error             { return nil }

// Options describe a target.
type Options struct {
	// Target is the directory to publish into. It is created when missing. A
	// target that is itself a symbolic link is followed, except below a protected
	// repository ([regularfile.Protect]); links inside it are
	// refused. Required.
	Target string
	// StateDir is where stage, pending manifest and lock live; several targets may share
	// one. When it is on another file system than the target, the stage is put
	// into a hidden directory inside the target instead. "" is a hidden
	// directory beside the target.
	StateDir string
	// Manifest is the path of the manifest below Target, such as
	// "manifest.json"; "" means that the caller owns deletion.
	Manifest string
	// DryRun compares only: nothing is written, locked or finished.
	DryRun bool
	// Remember keeps the digests of the files of the target in the state directory,
	// so that the next transaction need not read unchanged ones. It
	// is for targets with a manifest.
	Remember bool
	// Notice is the size in bytes from which the summary names a file; 0 names none.
	Notice int64
	// Wait is how long to wait for another process that publishes into the same
	// target; 0 fails at once with ErrLocked.
	Wait time.Duration
}

// Change says what happened, or would happen, to a file.
type Change string

// The operations, spelled as in run records (agent-knowledge section 9).
const (
	Created   Change = "created"
	Updated   Change = "updated"
	Deleted   Change = "deleted"
	Unchanged Change = "unchanged"
)

// Tally counts files and their bytes.
type Tally struct {
	Files int
	Bytes int64
}

func (t *Tally) add(size int64) {
	t.Files++
	t.Bytes += size
}

// Summary says what a commit did, or would do in a dry run. Bytes are those of
// the new files, for Deleted those of the files that went.
type Summary struct {
	Created, Updated, Deleted, Unchanged Tally
	Noticed                              []PathSize // the files of Options.Notice, in path order

	all      files    // of the new tree
	manifest string   // the path of the one among them
	changed  files    // created and updated, in path order
	deleted  []string // sorted
}

// Paths yields what was created, updated or deleted, in path order.
func (s *Summary) Paths() iter.Seq[PathChange] {
	return func(yield func(c PathChange) bool) {
		deleted := s.deleted
		for e := range s.changed.all {
			for len(deleted) > 0 && deleted[0] < e.path {
				if !yield(PathChange{deleted[0], Deleted}) {
					return
				}
				deleted = deleted[1:]
			}
			if !yield(PathChange{e.path, e.change}) {
				return
			}
		}
		for _, path := range deleted {
			if !yield(PathChange{path, Deleted}) {
				return
			}
		}
	}
}

// Outside returns the files of the new tree that do not lie below a directory, in path
// order, the manifest left out.
func (s *Summary) Outside(dir string) []Kept {
	var list []Kept
	if s.all.of == nil {
		return nil
	}
	for e := range s.all.byPath().all {
		if !strings.HasPrefix(e.path, dir) && e.path != s.manifest {
			list = append(list, Kept{e.path, e.sum})
		}
	}
	return list
}

// Size is the size of the new tree in bytes.
func (s *Summary) Size() int64 { return s.Created.Bytes + s.Updated.Bytes + s.Unchanged.Bytes }

// PathSize is a file and its size in bytes.
type PathSize struct {
	Path string
	Size int64
}

// PathChange is one line of a Summary.
type PathChange struct {
	Path   string
	Change Change
}

// Errors that callers may want to tell apart.
var (
	// ErrLocked: another process publishes into the target.
	ErrLocked = errors.New("another run is writing there")
	// ErrNotOurs: the target holds files that no run of ours has written.
	ErrNotOurs = errors.New("it holds files that packgen has not written")
	// ErrDuplicate: one path was given twice.
	ErrDuplicate = errors.New("written twice in one run")
	// errCollision: two paths are one file where letter case does not count.
	errCollision = errors.New("paths differ only in letter case or Unicode form")
	// errNested: a path is a file of the new tree and a directory of it.
	errNested = errors.New("a path is both a file and a directory")
	// ErrSymlink: a directory or file of the target is a symbolic link.
	ErrSymlink = regularfile.ErrLink
	// ErrPath: a path is too long, or cannot be one of a published file.
	ErrPath = errors.New("cannot be the path of an output")
	// ErrBlocked: a directory is where a file belongs, or a file where a
	// directory does.
	ErrBlocked = errors.New("is in the way")
	// ErrInterrupted: some of the target may be changed, and not all; the next
	// run finishes it.
	ErrInterrupted = errors.New("interrupted half-way; the next run finishes the work")
	errFinished    = errors.New("the transaction has ended")
)

// BlockedError is [ErrBlocked] with the path of the first output that has no room.
type BlockedError struct {
	Path    string
	message string
}

func (e *BlockedError) Error() string { return e.message }

// Unwrap returns ErrBlocked.
func (e *BlockedError) Unwrap() error { return ErrBlocked }

// Names of our own inside a target.
const (
	stageInTarget = ".packgen-stage"
	probeName     = ".packgen-probe"
)

// maxPath is the longest path below a target, in bytes.
const maxPath = 1024

// checkPath refuses what is not a clean slash path below a target.
func checkPath(path string) error {
	bad := func(why string) error { return fmt.Errorf("publish %q: %w: %s", path, ErrPath, why) }
	switch {
	case path == "." || !fs.ValidPath(path):
		return bad("not a clean relative path")
	case len(path) > maxPath:
		return bad(fmt.Sprintf("longer than %d bytes", maxPath))
	case strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }):
		return bad("holds a control character or a backslash")
	}
	if first, _, _ := strings.Cut(path, "/"); first == stageInTarget || first == probeName {
		return bad("the name is reserved")
	}
	return nil
}
