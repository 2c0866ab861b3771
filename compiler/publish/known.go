package publish

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// treeName is the file of a state directory that holds the digests of a target.
const treeName = "files"

// isKnown reports whether a file of the target is known to hold what it should.
func (t *Tx) isKnown(e *entry, at found) bool {
	f := t.known.Find(e.path)
	return f.AtRest(at.stat) && f.Sum == e.sum
}

// recallManifest takes the list of the files that an earlier run wrote from what is
// known, the manifest among them, when nobody has touched that since.
func (t *Tx) recallManifest() bool {
	f := t.known.Find(t.o.Manifest)
	if f == nil {
		return false
	}
	at, err := t.target.look(t.o.Manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) && !t.holds(f, at) {
		return false
	}
	for f := range t.known.All {
		if checkPath(f.Path) != nil {
			return false
		}
	}
	if t.known.Err() != nil {
		return false
	}
	t.old = t.known
	return true
}

// sameManifest returns the manifest that is in the target when it is known to
// be the one of the new tree; otherwise nil.
func (t *Tx) sameManifest(list files) *entry {
	f := t.known.Find(t.o.Manifest)
	if f == nil || len(list.order)+1 != t.known.Len() {
		return nil
	}
	for e := range list.all {
		if old := t.known.Find(e.path); old == nil || old.Sum != e.sum || old.Stat.Size != e.size {
			return nil
		}
	}
	at, err := t.target.look(t.o.Manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) {
		return nil
	}
	return &entry{path: t.o.Manifest, change: Unchanged, stat: &at.stat, size: at.stat.Size, sum: f.Sum, last: t.lasts + 1}
}

// remember keeps the digests of the files of the target as they are after a commit.
// That they cannot be kept costs time only.
func (t *Tx) remember(list files) {
	if !t.o.Remember || t.state == nil {
		return
	}
	written := 0
	for e := range list.all {
		if e.change != Unchanged {
			written++
		}
	}
	begun := t.begun.UnixNano()
	now := begun
	if written > 0 {
		now = t.settle(written)
	}
	target := newTarget(t.target.dir) // directories have been made
	sorted := list.byPath()
	_ = store.UpdateTree(filepath.Join(t.state.dir, treeName), t.known, func(yield func(f store.File) bool) {
		for e := range sorted.all {
			f, moment := store.File{Path: e.path, Sum: e.sum}, begun
			if e.change == Unchanged {
				f.Stat = *e.stat
			} else {
				at, err := target.look(e.path)
				if err != nil || !at.exists || at.stat.Size != e.size {
					continue // another run was faster
				}
				f.Stat, moment = at.stat, now
			}
			f.Quiet = store.Quiet(f.Stat, moment, t.fine)
			if !yield(f) {
				return
			}
		}
	})
}

// settle returns the moment from which written files are looked at. Many are given
// the few milliseconds after which their times can be believed: to hash them would
// take the next run longer.
func (t *Tx) settle(written int) int64 {
	const many = 100
	if t.fine && written >= many {
		time.Sleep(store.FineWindow + time.Millisecond)
	}
	return time.Now().UnixNano()
}

// Kept is a file of a target with its digest.
type Kept struct {
	Path string
	Sum  [sha256.Size]byte
}

// Keep implements [Target].
func (t *Tx) Keep(files ...Kept) bool {
	found := make([]struct {
		*store.File
		at store.Stat
	}, len(files))
	for i := range files {
		f, at := t.untouched(files[i].Path)
		if f == nil || f.Sum != files[i].Sum {
			return false
		}
		found[i].File, found[i].at = f, at.stat
	}
	for i := range found {
		// The path that is known is held anyway; the other one is a part of a list.
		if !t.keep(found[i].File, &found[i].at) {
			break // Commit says why
		}
	}
	return true
}

// keep adds a file to the new tree as it is.
func (t *Tx) keep(f *store.File, at *store.Stat) bool {
	e, err := t.reserve(f.Path, false)
	if err != nil {
		_ = t.fail(fmt.Errorf("publish %s: %w", f.Path, err))
		return false
	}
	e.change, e.stat, e.size, e.sum = Unchanged, at, at.Size, f.Sum
	t.enter(e)
	return true
}

// holds reports whether a file that somebody may have touched holds what it did.
func (t *Tx) holds(f *store.File, at found) bool {
	if at.stat.Size != f.Stat.Size {
		return false
	}
	in, _, err := regularfile.Open(t.target.abs(f.Path))
	if err != nil {
		return false
	}
	defer in.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, in)
	return err == nil && store.Digest(sum.Sum(nil)) == f.Sum
}

// Sum implements [Target].
func (t *Tx) Sum(path string) (Kept, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.entries.find(fold(path))
	if at < 0 || t.entries.path(at) != path {
		return Kept{}, false
	}
	e := t.entries.get(at)
	return Kept{path, e.sum}, !e.refused
}

// PackKept writes a list of files.
func PackKept(w *store.Writer, files []Kept) {
	w.Uint(len(files))
	for i := range files {
		w.Str(files[i].Path)
		w.Digest(files[i].Sum)
	}
}

// UnpackKept reads what PackKept wrote.
func UnpackKept(r *store.Reader) []Kept {
	files := make([]Kept, r.CountOf(1+sha256.Size))
	for i := range files {
		files[i] = Kept{r.Str(), r.Digest()}
	}
	return files
}
