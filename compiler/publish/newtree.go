package publish

import (
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/store"
)

// newTree is what a transaction makes of a target.
type newTree struct {
	target   *diskTree
	manifest string // its path; "" without one

	mu      sync.Mutex
	entries entries
	dirs    map[string]bool       // folded directories above them
	clashes []string              // "a.md and A.md"
	nested  map[string]bool       // paths that are file and directory at once
	deletes map[string]store.File // by path
	lasts   int32
}

func makeTree(target *diskTree, manifest string) *newTree {
	n := &newTree{
		target: target, manifest: manifest,
		entries: newEntries(), dirs: map[string]bool{}, nested: map[string]bool{}, deletes: map[string]store.File{},
	}
	if manifest != "" {
		n.enterDirs(fold(manifest))
	}
	return n
}

// reserve takes a path for the new tree.
func (n *newTree) reserve(path string, last bool) (*entry, error) {
	if err := checkPath(path); err != nil {
		return nil, err
	}
	e, key := &entry{path: path, change: Created, at: -1}, fold(path)
	n.mu.Lock()
	defer n.mu.Unlock()
	other := ""
	if at := n.entries.find(key); at >= 0 {
		other = n.entries.path(at)
	}
	switch {
	case path == n.manifest, other == path:
		return nil, ErrDuplicate
	case other != "":
		// Which of the two came first depends on the scheduler, so Commit
		// reports the pair.
		n.clashes = append(n.clashes, min(other, path)+" and "+max(other, path))
		e.refused = true
	default:
		n.entries.add(e, key)
		if n.dirs[key] {
			n.nested[path] = true
			e.refused = true
		}
		if n.enterDirs(key) {
			e.refused = true
		}
	}
	if last {
		n.lasts++
		e.last = n.lasts
	}
	return e, nil
}

// enterDirs notes the directories above a folded path and reports whether one of
// them is a file of the new tree.
func (n *newTree) enterDirs(key string) (nested bool) {
	for dir := parent(key); dir != "."; dir = parent(dir) {
		if at := n.entries.find(dir); at >= 0 {
			n.nested[n.entries.path(at)] = true
			return true
		}
		if n.manifest != "" && dir == fold(n.manifest) {
			n.nested[n.manifest] = true
			return true
		}
		if n.dirs[dir] {
			return false
		}
		n.dirs[dir] = true
	}
	return false
}

// delete notes a file that goes.
func (n *newTree) delete(f store.File) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deletes[f.Path] = f
}

// enter notes what is known of an entry by now.
func (n *newTree) enter(e *entry) {
	if e.at >= 0 {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.entries.set(e)
	}
}

// fold is the form in which paths are compared where letter case and Unicode
// form do not count (agent-knowledge section 6.3).
func fold(path string) string {
	return strings.ToLower(norm.NFC.String(path))
}

// conflicts says which paths of the tree cannot be there together.
func (n *newTree) conflicts() error {
	if len(n.clashes) > 0 {
		slices.Sort(n.clashes)
		return fmt.Errorf("%w: %s", errCollision, shorten(n.clashes))
	}
	if len(n.nested) > 0 {
		return fmt.Errorf("%w: %s", errNested, shorten(slices.Sorted(maps.Keys(n.nested))))
	}
	return nil
}

// shorten joins the first few of a list.
func shorten(list []string) string {
	const shown = 5
	if len(list) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
	}
	return strings.Join(list, ", ")
}

// check refuses what would harm other files.
func (n *newTree) check(list files) error {
	var foreign, blocked []string
	for e := range list.all {
		if e.foreign {
			foreign = append(foreign, e.path)
		}
		if e.blocked && !n.roomFor(e.path) {
			blocked = append(blocked, e.path)
		}
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%w: %s", ErrNotOurs, shorten(foreign))
	}
	if len(blocked) > 0 {
		return &BlockedError{blocked[0], fmt.Sprintf("a directory or file %v of %s", ErrBlocked, shorten(blocked))}
	}
	return nil
}

// orderDeletions says which deletions come before the new files take their places.
func (n *newTree) orderDeletions(list files) (d deletions, err error) {
	above := n.directories(list)
	for _, path := range slices.Sorted(maps.Keys(n.deletes)) {
		var e entry
		at := n.entries.find(fold(path))
		if at >= 0 {
			e = n.entries.get(at)
		}
		switch {
		case e.path == path:
			return d, fmt.Errorf("%s is both written and deleted", path)
		case at >= 0 && e.change == Unchanged && n.target.same(e.path, path):
			delete(n.deletes, path) // one file under two names, where letter case does not count
		case at >= 0 || above[path] || n.under(path):
			d.before = append(d.before, path)
		default:
			d.after = append(d.after, path)
		}
	}
	return d, nil
}

// directories lists the directories of the new tree when one of its files is
// blocked; there is no need for them otherwise.
func (n *newTree) directories(list files) map[string]bool {
	blocked := false
	for e := range list.all {
		blocked = blocked || e.blocked
	}
	if !blocked {
		return nil
	}
	above := map[string]bool{}
	for e := range list.all {
		for dir := parent(e.path); dir != "." && !above[dir]; dir = parent(dir) {
			above[dir] = true
		}
	}
	return above
}

// under reports whether path lies below a path where the new tree has a file.
func (n *newTree) under(path string) bool {
	for dir := parent(path); dir != "."; dir = parent(dir) {
		if at := n.entries.find(fold(dir)); at >= 0 && n.entries.path(at) == dir {
			return true
		}
	}
	return false
}

// roomFor reports whether the deletions make room for a blocked path: the file
// above it goes, or everything in the directory that exists does.
func (n *newTree) roomFor(path string) bool {
	for dir := parent(path); dir != "."; dir = parent(dir) {
		if _, gone := n.deletes[dir]; gone {
			return true
		}
	}
	state, err := n.target.directory(path)
	return err == nil && state == isDir && n.emptied(path)
}

// emptied reports whether the deletions leave nothing in a directory.
func (n *newTree) emptied(dir string) bool {
	entries, err := readDir(n.target.abs(dir))
	if err != nil {
		return false
	}
	for _, e := range entries {
		path := dir + "/" + e.Name()
		if _, gone := n.deletes[path]; gone {
			continue
		}
		if !e.IsDir() || !n.emptied(path) {
			return false
		}
	}
	return true
}

// writable makes sure, before the first rename, that every directory which
// is and will be changed can be.
func (n *newTree) writable(layer fileLayer, list files) error {
	checked := map[string]bool{}
	check := func(path string) error {
		dir := parent(path)
		if checked[dir] {
			return nil
		}
		checked[dir] = true
		for state, err := n.target.directory(dir); dir != "." && (err != nil || state != isDir); state, err = n.target.directory(dir) {
			if dir = parent(dir); checked[dir] {
				return nil
			}
			checked[dir] = true
		}
		if dir == "." {
			return layer.Writable(firstExisting(n.target.dir))
		}
		return layer.Writable(n.target.abs(dir))
	}
	for e := range list.all {
		if e.change == Unchanged {
			continue
		}
		if err := check(e.path); err != nil {
			return err
		}
	}
	for path := range n.deletes {
		if err := check(path); err != nil {
			return err
		}
	}
	return nil
}

// summary counts what happens.
func (n *newTree) summary(list files, notice int64) Summary {
	s := Summary{all: list, manifest: n.manifest}
	for e := range list.all {
		if notice > 0 && e.size >= notice {
			s.Noticed = append(s.Noticed, PathSize{e.path, e.size})
		}
		switch e.change {
		case Created:
			s.Created.add(e.size)
		case Updated:
			s.Updated.add(e.size)
		default:
			s.Unchanged.add(e.size)
			continue
		}
		s.changed.order = append(s.changed.order, int32(e.at))
	}
	s.changed.of = &n.entries
	slices.SortFunc(s.changed.order, n.entries.compare)
	for _, f := range n.deletes {
		s.Deleted.add(f.Stat.Size)
	}
	s.deleted = slices.Sorted(maps.Keys(n.deletes))
	slices.SortFunc(s.Noticed, func(a, b PathSize) int { return strings.Compare(a.Path, b.Path) })
	return s
}

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
