package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Commit makes the new tree visible and ends the transaction. When it fails with
// anything but ErrInterrupted the target is as it was. In a dry run it only
// says what would happen.
func (t *Tx) Commit() (Summary, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return Summary{}, fmt.Errorf("commit %s: %w", t.o.Target, errFinished)
	}
	t.done = true
	defer t.release()
	sum, err := t.commit()
	if err == nil {
		return sum, nil
	}
	if t.state != nil && !errors.Is(err, ErrInterrupted) {
		err = errors.Join(err, t.state.clean())
	}
	return Summary{}, fmt.Errorf("commit %s: %w", t.o.Target, err)
}

func (t *Tx) commit() (Summary, error) {
	if err := t.ready(); err != nil {
		return Summary{}, err
	}
	list := t.entries.inOrder()
	t.dropOld()
	manifest, err := t.putManifest(list)
	if err != nil {
		return Summary{}, err
	}
	if manifest != nil {
		t.entries.add(manifest, fold(manifest.path))
		list.order = append(list.order, int32(manifest.at))
	}
	j, err := t.plan(list)
	if err != nil {
		return Summary{}, err
	}
	sum := t.summary(list)
	if err := cmp.Or(t.entries.err, t.old.Err()); err != nil {
		return Summary{}, err
	}
	if t.state == nil {
		return sum, nil
	}
	if err := t.carryOut(j, list); err != nil {
		return sum, err
	}
	t.remember(list)
	return sum, nil
}

// ready reports the reasons against a commit before anything is looked at.
func (t *Tx) ready() error {
	if t.failed != nil {
		return t.failed
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if len(t.clashes) > 0 {
		slices.Sort(t.clashes)
		return fmt.Errorf("%w: %s", errCollision, shorten(t.clashes))
	}
	if len(t.nested) > 0 {
		return fmt.Errorf("%w: %s", errNested, shorten(slices.Sorted(maps.Keys(t.nested))))
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

// dropOld marks the files of the old manifest that this run did not put.
func (t *Tx) dropOld() {
	for f := range t.old.All {
		path := f.Path
		if at := t.entries.find(fold(path)); at >= 0 && t.entries.path(at) == path || path == t.o.Manifest {
			continue
		}
		if at, err := t.target.look(path); err == nil && at.exists {
			t.deletes[path] = f.Stat.Size
		}
	}
}

// putManifest compares and stages the manifest, which takes the last place.
func (t *Tx) putManifest(list files) (*entry, error) {
	if t.o.Manifest == "" {
		return nil, nil
	}
	if e := t.sameManifest(list); e != nil {
		return e, nil
	}
	sorted := list
	if t.lasts > 0 {
		sorted = list.byPath()
	}
	e := &entry{path: t.o.Manifest, last: t.lasts + 1}
	if err := t.fillFrom(e, func(w io.Writer) error { return writeManifest(w, sorted) }); err != nil {
		return nil, err
	}
	e.foreign = false // claim has read it, or there was none
	return e, nil
}

// plan orders the work, and refuses what would harm other files.
func (t *Tx) plan(list files) (journal, error) {
	j := journal{Version: journalVersion, InTarget: t.state != nil && t.state.inTarget}
	trees := map[string]bool{}
	var foreign, blocked []string
	for e := range list.all {
		if e.foreign {
			foreign = append(foreign, e.path)
		}
		if e.blocked && !t.roomFor(e.path) {
			blocked = append(blocked, e.path)
		}
		switch {
		case e.change == Unchanged:
		case e.tree != "":
			trees[e.tree] = true
		default:
			j.Renames = append(j.Renames, renameStep{From: int(e.staged), To: e.path, Size: e.size})
		}
	}
	if len(foreign) > 0 {
		return j, fmt.Errorf("%w: %s", ErrNotOurs, shorten(foreign))
	}
	if len(blocked) > 0 {
		return j, &BlockedError{blocked[0], fmt.Sprintf("a directory or file %v of %s", ErrBlocked, shorten(blocked))}
	}
	j.Trees = slices.Sorted(maps.Keys(trees))
	above := t.directories(list)
	for _, path := range slices.Sorted(maps.Keys(t.deletes)) {
		var e entry
		at := t.entries.find(fold(path))
		if at >= 0 {
			e = t.entries.get(at)
		}
		switch {
		case e.path == path:
			return j, fmt.Errorf("%s is both written and deleted", path)
		case at >= 0 && e.change == Unchanged && t.target.same(e.path, path):
			delete(t.deletes, path) // one file under two names, where letter case does not count
		case at >= 0 || above[path] || t.under(path):
			j.Before = append(j.Before, path)
		default:
			j.After = append(j.After, path)
		}
	}
	return j, nil
}

// directories lists the directories of the new tree when one of its files is
// blocked; there is no need for them otherwise.
func (t *Tx) directories(list files) map[string]bool {
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
func (t *Tx) under(path string) bool {
	for dir := parent(path); dir != "."; dir = parent(dir) {
		if at := t.entries.find(fold(dir)); at >= 0 && t.entries.path(at) == dir {
			return true
		}
	}
	return false
}

// roomFor reports whether the deletions make room for a blocked path: the file
// above it goes, or everything in the directory that exists does.
func (t *Tx) roomFor(path string) bool {
	for dir := parent(path); dir != "."; dir = parent(dir) {
		if _, gone := t.deletes[dir]; gone {
			return true
		}
	}
	state, err := t.target.directory(path)
	return err == nil && state == isDir && t.emptied(path)
}

// emptied reports whether the deletions leave nothing in a directory.
func (t *Tx) emptied(dir string) bool {
	entries, err := readDir(t.target.abs(dir))
	if err != nil {
		return false
	}
	for _, e := range entries {
		path := dir + "/" + e.Name()
		if _, gone := t.deletes[path]; gone {
			continue
		}
		if !e.IsDir() || !t.emptied(path) {
			return false
		}
	}
	return true
}

// carryOut writes the journal, does what it says and drops it.
func (t *Tx) carryOut(j journal, list files) error {
	if len(j.Trees)+len(j.Renames)+len(j.Before)+len(j.After) == 0 {
		return t.state.clean()
	}
	if err := t.writable(j); err != nil {
		return err
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if err := t.state.commit(j, list); err != nil {
		return err
	}
	err := run{t.layer, newTarget(t.target.dir), t.state.stagePath(j.InTarget)}.all(j)
	if err == nil {
		err = t.state.clean()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return nil
}

// writable makes sure, before the first rename, that every directory which
// is and will be changed can be.
func (t *Tx) writable(j journal) error {
	checked := map[string]bool{}
	check := func(path string) error {
		dir := parent(path)
		for state, err := t.target.directory(dir); dir != "." && (err != nil || state != isDir); state, err = t.target.directory(dir) {
			dir = parent(dir)
		}
		if checked[dir] {
			return nil
		}
		checked[dir] = true
		if dir == "." {
			return t.layer.Writable(firstExisting(t.target.dir))
		}
		return t.layer.Writable(t.target.abs(dir))
	}
	for _, r := range j.Renames {
		if err := check(r.To); err != nil {
			return err
		}
	}
	for _, path := range slices.Concat(j.Trees, j.Before, j.After) {
		if err := check(path); err != nil {
			return err
		}
	}
	return nil
}

// summary counts what happens.
func (t *Tx) summary(list files) Summary {
	s := Summary{all: list, manifest: t.o.Manifest}
	for e := range list.all {
		if t.o.Notice > 0 && e.size >= t.o.Notice {
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
	s.changed.of = &t.entries
	slices.SortFunc(s.changed.order, t.entries.compare)
	for _, size := range t.deletes {
		s.Deleted.add(size)
	}
	s.deleted = slices.Sorted(maps.Keys(t.deletes))
	slices.SortFunc(s.Noticed, func(a, b PathSize) int { return strings.Compare(a.Path, b.Path) })
	return s
}
