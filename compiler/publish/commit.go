package publish

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
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
	list := t.next.entries.inOrder()
	t.dropOld()
	manifest, err := t.putManifest(list)
	if err != nil {
		return Summary{}, err
	}
	if manifest != nil {
		t.next.entries.add(manifest, fold(manifest.path))
		list.order = append(list.order, int32(manifest.at))
	}
	if err := t.next.check(list); err != nil {
		return Summary{}, err
	}
	d, err := t.next.orderDeletions(list)
	if err != nil {
		return Summary{}, err
	}
	d.after = append(d.after, t.last.undone(t.next, t.settles)...)
	sum := t.next.summary(list, t.o.Notice)
	if err := cmp.Or(t.next.entries.err, t.last.files.Err()); err != nil {
		return Summary{}, err
	}
	if t.state == nil {
		return sum, nil
	}
	if err := t.carryOut(list, d); err != nil {
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
	return t.next.conflicts()
}

// dropOld marks the files of the old manifest that this run did not put.
func (t *Tx) dropOld() {
	for f := range t.last.files.All {
		path := f.Path
		if at := t.next.entries.find(fold(path)); at >= 0 && t.next.entries.path(at) == path || path == t.o.Manifest {
			continue
		}
		if at, err := t.target.look(path); err == nil && at.exists {
			t.next.deletes[path] = *f
		}
	}
}

// putManifest compares and stages the manifest, which takes the last place.
func (t *Tx) putManifest(list files) (*entry, error) {
	if t.o.Manifest == "" {
		return nil, nil
	}
	if e := t.last.sameManifest(list, t.next.lasts+1); e != nil {
		return e, nil
	}
	sorted := list
	if t.next.lasts > 0 {
		sorted = list.byPath()
	}
	e := &entry{path: t.o.Manifest, last: t.next.lasts + 1}
	if err := t.fillFrom(e, func(w io.Writer) error { return writeManifest(w, sorted) }); err != nil {
		return nil, err
	}
	e.foreign = false // claim has read it, or there was none
	return e, nil
}

// carryOut writes the pending manifest and changes the target.
func (t *Tx) carryOut(list files, d deletions) error {
	changed := false
	for e := range list.all {
		changed = changed || e.change != Unchanged
	}
	if !changed && len(d.before)+len(d.after) == 0 {
		return t.finish()
	}
	if err := t.next.writable(t.layer, list); err != nil {
		return err
	}
	if err := t.state.sync(list); err != nil {
		return err
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	if err := t.state.writePending(t.last.pending, t.next, list); err != nil {
		return err
	}
	err := mover{t.state, newDiskTree(t.target.dir)}.all(list, d)
	if err == nil {
		err = t.finish()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInterrupted, err)
	}
	return nil
}

// finish drops what was staged and, where nothing is left to settle, what is pending.
func (t *Tx) finish() error {
	if t.settles {
		_ = t.last.pending.Close()
		if err := t.state.layer.Remove(t.state.pendingPath()); err != nil {
			return err
		}
	}
	return t.state.clean()
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
		now = settle(t.fine, written)
	}
	target := newDiskTree(t.target.dir) // directories have been made
	sorted := list.byPath()
	_ = store.UpdateTree(filepath.Join(t.state.dir, treeName), t.last.known, func(yield func(f store.File) bool) {
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
func settle(fine bool, written int) int64 {
	const many = 100
	if fine && written >= many {
		time.Sleep(store.FineWindow + time.Millisecond)
	}
	return time.Now().UnixNano()
}

// deletions are the files that a commit removes.
type deletions struct {
	before []string // those that make room for new files
	after  []string
}

// mover carries out what a commit has decided. Nothing of it is ever done again: the run
// after one that was killed compares the target again.
type mover struct {
	state  *state
	target *diskTree // as it becomes
}

func (m mover) all(list files, d deletions) error {
	if err := m.deleteAll(d.before); err != nil {
		return err
	}
	m.target.forget() // directories have gone
	if err := m.state.layer.MkdirAll(m.target.dir); err != nil {
		return err
	}
	moved := "" // a directory, with a slash, that has come with all its content
	for e := range list.all {
		switch {
		case e.change == Unchanged || e.last == 0 && moved != "" && strings.HasPrefix(e.path, moved):
			continue
		case e.last == 0:
			dir, err := m.moveDir(e.path)
			if err != nil {
				return err
			}
			if dir != "" {
				moved = dir + "/"
				continue
			}
		}
		if err := m.moveFile(e); err != nil {
			return err
		}
	}
	return m.deleteAll(d.after)
}

// moveDir moves the uppermost directory above a path that the target lacks and returns its
// path; "" when there is none.
func (m mover) moveDir(path string) (string, error) {
	dir := parent(path)
	state, err := m.target.directory(dir)
	if err != nil || state != isGone {
		return "", err
	}
	for above := parent(dir); dir != "."; above = parent(dir) {
		if state, err = m.target.directory(above); err != nil {
			return "", err
		}
		if state != isGone {
			break
		}
		dir = above
	}
	if dir == "." {
		return "", nil
	}
	from := filepath.Join(m.state.stagePath(m.state.inTarget), contentStage, filepath.FromSlash(dir))
	err = m.state.layer.Rename(from, m.target.abs(dir))
	if err == nil {
		m.target.note(dir, isDir)
		return dir, nil
	}
	if state, _ := lookAt(m.target.abs(dir)); state == isDir { // somebody has made it meanwhile
		m.target.forget()
		return "", nil
	}
	return "", err
}

// moveFile moves one file.
func (m mover) moveFile(e *entry) error {
	dir := parent(e.path)
	state, err := m.target.directory(dir)
	if err == nil && state != isDir {
		err = m.state.layer.MkdirAll(m.target.abs(dir))
		for ; err == nil && dir != "."; dir = parent(dir) {
			m.target.note(dir, isDir)
		}
	}
	if err == nil && e.blocked {
		err = m.removeHollow(m.target.abs(e.path))
	}
	if err != nil {
		return err
	}
	return m.state.layer.Rename(m.state.staged(e), m.target.abs(e.path))
}

// removeHollow removes a directory that is where a file goes and has no file
// in it. One that has is left, and the rename says so.
func (m mover) removeHollow(dir string) error {
	if state, err := lookAt(dir); err != nil || state != isDir {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return nil
		}
		if err := m.removeHollow(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	return m.state.layer.Remove(dir)
}

// deleteAll removes files and the directories they leave empty. What is gone or
// has become something else is skipped.
func (m mover) deleteAll(paths []string) error {
	var dirs []string
	for _, path := range paths {
		dirs = append(dirs, parent(path))
		state, err := m.target.directory(parent(path))
		if err != nil {
			return err
		}
		if state != isDir {
			continue
		}
		info, err := os.Lstat(m.target.abs(path))
		if err == nil && !info.IsDir() {
			err = m.state.layer.Remove(m.target.abs(path))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if err := m.prune(dir); err != nil {
			return err
		}
	}
	return nil
}

// prune removes a directory that is empty, and those above it that become so.
func (m mover) prune(dir string) error {
	for ; dir != "."; dir = parent(dir) {
		name := m.target.abs(dir)
		if state, err := lookAt(name); err != nil || state == isGone {
			continue // the one above may be empty too
		} else if state == isOther {
			return nil
		}
		entries, err := regularfile.OpenDir(name)
		if err != nil {
			return err
		}
		names, _ := entries.Readdirnames(1)
		entries.Close()
		if len(names) > 0 {
			return nil
		}
		if err := m.state.layer.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
