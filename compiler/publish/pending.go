package publish

import (
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/store"
)

// The pending manifest is written before the first change to a target, and removed after
// the last one. It lists what a commit puts and what it deletes, with digests, and what was
// pending before: after a kill all of that is ours, though neither the manifest nor a
// caller's own record says so. A path may be there more than once, first as the run before
// all others has changed it. The list has the seal of the user: one that came with a
// checkout could delete what the user has.

const pendingName = "pending"

func (s *state) pendingPath() string { return filepath.Join(s.dir, pendingName) }

// writePending makes the pending manifest of a commit durable.
func (s *state) writePending(pending *store.LargeTree, n *newTree, list files) error {
	fresh := s.pendingPath() + ".new"
	err := store.UpdateTree(fresh, nil, func(yield func(store.File) bool) {
		sorted := inPathOrder(pending.All, inPathOrder(changedFiles(list), n.deletedFiles()))
		sorted(func(f *store.File) bool { return yield(*f) })
	})
	if err != nil {
		return err
	}
	if err := s.layer.Sync(s.dir, 1, slices.Values([]string{fresh})); err != nil {
		return err
	}
	_ = pending.Close()
	return s.layer.Rename(fresh, s.pendingPath())
}

// pendingFile is a file in the pending manifest, where the inode says what becomes of it.
func pendingFile(path string, size int64, sum store.Digest, change Change) store.File {
	return store.File{Path: path, Stat: store.Stat{Size: size, Inode: uint64(slices.Index(changes[:], change))}, Sum: sum}
}

// changeOf is what a run was to do with a file of the pending manifest.
func changeOf(f *store.File) Change { return changes[min(f.Stat.Inode, uint64(len(changes)-1))] }

// changedFiles yields the files that a commit puts, in path order.
func changedFiles(list files) iter.Seq[*store.File] {
	return func(yield func(*store.File) bool) {
		for e := range list.byPath().all {
			if f := pendingFile(e.path, e.size, e.sum, e.change); e.change != Unchanged && !yield(&f) {
				return
			}
		}
	}
}

// deletedFiles yields the files that a commit deletes, in path order.
func (n *newTree) deletedFiles() iter.Seq[*store.File] {
	return func(yield func(*store.File) bool) {
		for _, path := range slices.Sorted(maps.Keys(n.deletes)) {
			old := n.deletes[path]
			if f := pendingFile(path, old.Stat.Size, old.Sum, Deleted); !yield(&f) {
				return
			}
		}
	}
}

// inPathOrder yields the files of two lists, each in path order, in that order.
func inPathOrder(a, b iter.Seq[*store.File]) iter.Seq[*store.File] {
	return func(yield func(*store.File) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		other, more := next()
		for f := range a {
			for ; more && other.Path < f.Path; other, more = next() {
				if !yield(other) {
					return
				}
			}
			if !yield(f) {
				return
			}
		}
		for ; more; other, more = next() {
			if !yield(other) {
				return
			}
		}
	}
}

// Interrupted is a file that a run which was interrupted was to change.
type Interrupted struct {
	Path   string
	Sum    store.Digest // of the file as that run put it, or as it was to delete it
	Change Change
	There  bool // the file has that digest
}

// Interrupted returns the files that runs which were interrupted have changed in the target
// and nobody else since, and those that they were to delete, in path order. They are the
// caller's, though its own records do not say so. A caller who asks settles them: Commit
// removes those which such a run has created and this one did not put. It is for targets
// without a manifest.
func (t *Tx) Interrupted() []Interrupted {
	t.settles = true
	var list []Interrupted
	for f := range t.last.pending.All {
		i := Interrupted{f.Path, f.Sum, changeOf(f), t.target.isThere(f)}
		if !i.There && (i.Change != Deleted || t.target.exists(f.Path)) {
			continue
		}
		if n := len(list) - 1; n >= 0 && list[n].Path == i.Path {
			i.Change = list[n].Change
			list[n] = i
			continue
		}
		list = append(list, i)
	}
	return list
}

// undone lists what is pending that this run does not put, where there is something to
// remove: directories that deletions have emptied and, where the run settles all, files that
// were created.
func (l *lastTree) undone(n *newTree, settles bool) (list []string) {
	for f := range l.pending.All {
		if n.entries.find(fold(f.Path)) >= 0 {
			continue
		}
		created := settles && l.manifest == "" && changeOf(f) == Created && l.target.isThere(f)
		if created || !l.target.exists(f.Path) {
			list = append(list, f.Path)
		}
	}
	return list
}
