package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// Tx is one transaction on one target. Put, PutFrom and Delete may be called
// from several goroutines; Commit and Abort end it.
type Tx struct {
	ctx    context.Context // of the whole transaction, checked by every call
	o      Options
	layer  fileLayer
	target *target
	state  *state           // nil in a dry run
	old    *store.LargeTree // the files that the last run wrote, with sizes and digests
	known  *store.LargeTree // digests of unchanged files
	fine   bool             // file times distinguish changes within a second
	begun  time.Time

	mu      sync.Mutex
	entries entries
	dirs    map[string]bool  // folded directories above them
	clashes []string         // "a.md and A.md"
	nested  map[string]bool  // paths that are file and directory at once
	deletes map[string]int64 // path → size
	lasts   int32
	failed  error // first error of Put or Delete: Commit refuses
	done    bool
}

// Begin locks the target, finishes what an interrupted run left there, and
// checks that the target is ours to write. Every transaction must end with
// Commit or Abort. Cancelling ctx makes all calls fail until the moment in
// Commit from which the work can only be finished.
//
// The error is, or wraps, ErrLocked or ErrNotOurs in those cases.
func Begin(ctx context.Context, o Options) (*Tx, error) {
	return begin(ctx, o, osLayer{})
}

func begin(ctx context.Context, o Options, layer fileLayer) (*Tx, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := cmp.Or(regularfile.CheckWrite(o.Target), regularfile.CheckWrite(o.StateDir)); err != nil {
		return nil, fmt.Errorf("publish into %s: %w", o.Target, err)
	}
	dir, existing, err := resolveTarget(o.Target)
	if err != nil {
		return nil, err
	}
	t := &Tx{
		begun: time.Now(),
		ctx:   ctx, o: o, layer: layer, target: newTarget(dir),
		entries: newEntries(), dirs: map[string]bool{}, nested: map[string]bool{}, deletes: map[string]int64{},
	}
	if o.Manifest != "" {
		if err := checkPath(o.Manifest); err != nil {
			return nil, err
		}
		t.enterDirs(fold(o.Manifest))
	}
	if err := t.open(existing); err != nil {
		t.release()
		return nil, fmt.Errorf("publish into %s: %w", o.Target, err)
	}
	return t, nil
}

// open does the part of Begin that looks at the disk.
func (t *Tx) open(existing string) error {
	dir, err := stateDir(t.o, t.target.dir)
	if err != nil {
		return err
	}
	if !t.o.DryRun {
		t.state = &state{layer: t.layer, dir: dir, target: t.target, existing: existing}
		if err := openState(t.ctx, t.state, t.o); err != nil {
			return err
		}
		if err := t.state.recover(); err != nil {
			return err
		}
		t.target = t.state.target
	}
	if t.o.Manifest == "" {
		return nil
	}
	if t.o.Remember {
		t.fine = store.FineTimes(firstExisting(t.target.dir))
		t.known = store.OpenTree(filepath.Join(dir, treeName))
	}
	return t.claim(dir)
}

// claim reads the manifest, and refuses a target that holds something but no
// manifest.
func (t *Tx) claim(stateDir string) error {
	if t.recallManifest() {
		return nil
	}
	old, err := readManifest(t.target, t.o.Manifest)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotOurs, err)
	}
	t.old = old
	if old != nil {
		return nil
	}
	ours := ""
	if rel, err := filepath.Rel(t.target.dir, stateDir); err == nil {
		ours, _, _ = strings.Cut(filepath.ToSlash(rel), "/")
	}
	empty, err := t.target.empty(ours, stageInTarget, probeName)
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w (no %s in it)", ErrNotOurs, t.o.Manifest)
	}
	return nil
}

var _ Target = (*Tx)(nil)

// Wants implements [Target]: a disk takes every file.
func (t *Tx) Wants(string) bool { return true }

// Put implements [Target]. The path is a clean slash path.
func (t *Tx) Put(path string, data []byte) (Change, error) {
	return t.put(path, false, func(e *entry) error { return t.fill(e, data) })
}

func (t *Tx) put(path string, last bool, fill func(e *entry) error) (Change, error) {
	e, err := t.reserve(path, last)
	if err == nil && !e.refused {
		err = fill(e)
	}
	if err == nil {
		t.enter(e)
	}
	if err != nil {
		return "", t.fail(fmt.Errorf("publish %s: %w", path, err))
	}
	return e.change, nil
}

// enter notes what is known of an entry by now.
func (t *Tx) enter(e *entry) {
	if e.at >= 0 {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.entries.set(e)
	}
}

// reserve takes a path for the new tree.
func (t *Tx) reserve(path string, last bool) (*entry, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkPath(path); err != nil {
		return nil, err
	}
	e, key := &entry{path: path, change: Created, at: -1}, fold(path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil, errFinished
	}
	other := ""
	if at := t.entries.find(key); at >= 0 {
		other = t.entries.path(at)
	}
	switch {
	case path == t.o.Manifest, other == path:
		return nil, ErrDuplicate
	case other != "":
		// Which of the two came first depends on the scheduler, so Commit
		// reports the pair.
		t.clashes = append(t.clashes, min(other, path)+" and "+max(other, path))
		e.refused = true
	default:
		t.entries.add(e, key)
		if t.dirs[key] {
			t.nested[path] = true
			e.refused = true
		}
		if t.enterDirs(key) {
			e.refused = true
		}
	}
	if last {
		t.lasts++
		e.last = t.lasts
	}
	return e, nil
}

// enterDirs notes the directories above a folded path and reports whether one of
// them is a file of the new tree.
func (t *Tx) enterDirs(key string) (nested bool) {
	for dir := parent(key); dir != "."; dir = parent(dir) {
		if at := t.entries.find(dir); at >= 0 {
			t.nested[t.entries.path(at)] = true
			return true
		}
		if t.o.Manifest != "" && dir == fold(t.o.Manifest) {
			t.nested[t.o.Manifest] = true
			return true
		}
		if t.dirs[dir] {
			return false
		}
		t.dirs[dir] = true
	}
	return false
}

// fold is the form in which paths are compared where letter case and Unicode
// form do not count (agent-knowledge section 6.3).
func fold(path string) string {
	return strings.ToLower(norm.NFC.String(path))
}

// fill compares the file with the target and stages it when it differs.
func (t *Tx) fill(e *entry, data []byte) error {
	e.size = int64(len(data))
	if t.o.Manifest != "" {
		e.sum = sha256.Sum256(data)
	}
	at, err := t.target.look(e.path)
	if err != nil {
		return err
	}
	if at.exists && at.stat.Size == e.size && (t.isKnown(e, at) || t.target.equal(e.path, data)) {
		e.change, e.stat = Unchanged, &at.stat
		return nil
	}
	t.differs(e, at)
	if t.state == nil {
		return nil
	}
	return t.state.stage(e, at, data)
}

// differs notes that a file is not yet in the target as it will be.
func (t *Tx) differs(e *entry, at found) {
	e.change, e.blocked = Created, at.blocked
	if at.exists {
		e.change = Updated
		e.foreign = t.o.Manifest != "" && t.old.Find(e.path) == nil
	}
}

// Delete removes a file at Commit; deleting a missing file is a no-op. It is
// for targets without a manifest.
func (t *Tx) Delete(path string) error {
	err := t.ctx.Err()
	if err == nil && t.o.Manifest != "" {
		err = fmt.Errorf("the manifest decides what is deleted")
	}
	if err == nil {
		err = checkPath(path)
	}
	var at found
	if err == nil {
		at, err = t.target.look(path)
	}
	if err != nil {
		return t.fail(fmt.Errorf("delete %s: %w", path, err))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.exists {
		t.deletes[path] = at.stat.Size
	}
	return nil
}

// fail remembers that the new tree is not complete.
func (t *Tx) fail(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed == nil {
		t.failed = err
	}
	return err
}

// Abort drops what was staged and unlocks; the target is untouched. After
// Commit it does nothing, so that it can be deferred.
func (t *Tx) Abort() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil
	}
	t.done = true
	defer t.release()
	t.entries.close()
	if t.state == nil {
		return nil
	}
	err := t.state.clean()
	if err == nil && t.state.inTarget {
		_ = regularfile.Remove(t.target.dir) // made for the stage, if it is empty now
	}
	if err != nil {
		return fmt.Errorf("drop the stage of %s: %w", t.o.Target, err)
	}
	return nil
}

func (t *Tx) release() {
	_ = t.old.Close()
	_ = t.known.Close()
	if t.state != nil {
		t.state.unlock()
	}
}
