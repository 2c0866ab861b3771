package publish

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// treeName is the file of a state directory that holds the digests of a target.
const treeName = "files"

// lastTree is what is known of the files that earlier runs have put into a target.
type lastTree struct {
	target   *diskTree
	manifest string           // its path; "" without one
	files    *store.LargeTree // those of the last run, with sizes and digests; nil without a manifest
	known    *store.LargeTree // digests of unchanged files
	pending  *store.LargeTree // what interrupted runs have put, or were to delete
}

// claim reads the manifest, and refuses a target that holds something but no
// manifest.
func (l *lastTree) claim(stateDir string) error {
	if !l.recallManifest() {
		old, err := readManifest(l.target, l.manifest)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotOurs, err)
		}
		l.files = old
	}
	if l.pending != nil {
		return l.addPending()
	}
	if l.files != nil {
		return nil
	}
	ours := ""
	if rel, err := filepath.Rel(l.target.dir, stateDir); err == nil {
		ours, _, _ = strings.Cut(filepath.ToSlash(rel), "/")
	}
	empty, err := l.target.empty(ours, stageInTarget, probeName)
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w (no %s in it)", ErrNotOurs, l.manifest)
	}
	return nil
}

// recallManifest takes the list of the files that an earlier run wrote from what is
// known, the manifest among them, when nobody has touched that since.
func (l *lastTree) recallManifest() bool {
	f := l.known.Find(l.manifest)
	if f == nil {
		return false
	}
	at, err := l.target.look(l.manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) && !l.target.holds(f, at) {
		return false
	}
	for f := range l.known.All {
		if checkPath(f.Path) != nil {
			return false
		}
	}
	if l.known.Err() != nil {
		return false
	}
	l.files = l.known
	return true
}

// sameManifest returns the manifest that is in the target when it is known to
// be the one of the new tree; otherwise nil.
func (l *lastTree) sameManifest(list files, last int32) *entry {
	f := l.known.Find(l.manifest)
	if f == nil || len(list.order)+1 != l.known.Len() {
		return nil
	}
	for e := range list.all {
		if old := l.known.Find(e.path); old == nil || old.Sum != e.sum || old.Stat.Size != e.size {
			return nil
		}
	}
	at, err := l.target.look(l.manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) {
		return nil
	}
	return &entry{path: l.manifest, change: Unchanged, stat: &at.stat, size: at.stat.Size, sum: f.Sum, last: last}
}

// addPending adds to the files of the last manifest those that an interrupted run has put,
// or was to delete. Of a file that both list, it takes what is in the target.
func (l *lastTree) addPending() error {
	last := l.files
	all, err := store.NewLargeTree(func(yield func(store.File, error) bool) {
		var next *store.File // the best one of its path
		for f := range inPathOrder(last.All, l.pending.All) {
			switch {
			case next == nil || next.Path != f.Path:
				if next != nil && !yield(*next, nil) {
					return
				}
				next = f
			case l.target.isThere(f):
				next = f
			}
		}
		if next != nil {
			yield(*next, nil)
		}
	})
	if last != l.known {
		_ = last.Close()
	}
	l.files = all
	return err
}

// isKnown reports whether a file of the target is known to hold what it should.
func (l *lastTree) isKnown(e *entry, at found) bool {
	f := l.known.Find(e.path)
	return f.AtRest(at.stat) && f.Sum == e.sum
}

// untouched returns a file that the last run wrote, and what is there; nil when somebody
// has changed or removed it since.
func (l *lastTree) untouched(path string) (*store.File, found) {
	last := l.file(path)
	if last == nil {
		return nil, found{}
	}
	at, err := l.target.look(path)
	if err != nil || !at.exists || at.stat.Size != last.Stat.Size {
		return nil, at
	}
	if f := l.known.Find(path); (f == nil || f.Sum != last.Sum || !f.AtRest(at.stat)) && !l.target.holds(last, at) {
		return nil, at
	}
	return last, at
}

// file returns a file that the last run wrote; nil when it wrote no such file.
func (l *lastTree) file(path string) *store.File {
	if path == l.manifest {
		return nil
	}
	return l.files.Find(path)
}

// close lets the trees go.
func (l *lastTree) close() {
	for _, tree := range []*store.LargeTree{l.files, l.known, l.pending} {
		_ = tree.Close()
	}
}

// holds reports whether a file that somebody may have touched holds what it did.
func (t *diskTree) holds(f *store.File, at found) bool {
	return at.stat.Size == f.Stat.Size && f.Sum.Known() && t.sum(f.Path) == f.Sum
}

// isThere reports whether the target has a file as it is listed.
func (t *diskTree) isThere(f *store.File) bool {
	at, err := t.look(f.Path)
	return err == nil && at.exists && t.holds(f, at)
}

// exists reports whether the target has a file of that path.
func (t *diskTree) exists(path string) bool {
	at, err := t.look(path)
	return err == nil && at.exists
}

// sum returns the digest of a file; the unknown one when it cannot be read.
func (t *diskTree) sum(path string) store.Digest {
	in, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return store.Digest{}
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return store.Digest{}
	}
	return store.Digest(sum.Sum(nil))
}
