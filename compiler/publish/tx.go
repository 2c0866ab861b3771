package publish

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// Tx is one transaction on one target. Put, PutFrom and Delete may be called
// from several goroutines; Commit and Abort end it.
type Tx struct {
	ctx     context.Context // of the whole transaction, checked by every call
	o       Options
	layer   fileLayer
	target  *diskTree
	state   *state // nil in a dry run
	last    *lastTree
	next    *newTree
	settles bool // a commit leaves nothing pending
	fine    bool // file times distinguish changes within a second
	begun   time.Time

	mu     sync.Mutex
	failed error // first error of Put or Delete: Commit refuses
	done   bool
}

// Begin locks the target, drops what an interrupted run has staged, and
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
		ctx:   ctx, o: o, layer: layer, target: newDiskTree(dir),
	}
	if o.Manifest != "" {
		if err := checkPath(o.Manifest); err != nil {
			return nil, err
		}
	}
	t.last = &lastTree{target: t.target, manifest: o.Manifest}
	t.next = makeTree(t.target, o.Manifest)
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
		if err := t.state.clean(); err != nil {
			return err
		}
	}
	t.last.pending = store.OpenTree(filepath.Join(dir, pendingName))
	t.settles = t.last.pending == nil || t.o.Manifest != ""
	if t.o.Manifest == "" {
		return nil
	}
	if t.o.Remember {
		t.fine = store.FineTimes(firstExisting(t.target.dir))
		t.last.known = store.OpenTree(filepath.Join(dir, treeName))
	}
	return t.last.claim(dir)
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
		t.next.enter(e)
	}
	if err != nil {
		return "", t.fail(fmt.Errorf("publish %s: %w", path, err))
	}
	return e.change, nil
}

// reserve takes a path for the new tree, as long as the transaction has not ended.
func (t *Tx) reserve(path string, last bool) (*entry, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	done := t.done
	t.mu.Unlock()
	if done {
		return nil, errFinished
	}
	return t.next.reserve(path, last)
}

// fill compares the file with the target and stages it when it differs.
func (t *Tx) fill(e *entry, data []byte) error {
	e.size = int64(len(data))
	at, err := t.target.look(e.path)
	if err != nil {
		return err
	}
	if t.o.Manifest != "" {
		e.sum = sha256.Sum256(data)
	}
	same := at.exists && at.stat.Size == e.size
	if same && !t.last.isKnown(e, at) {
		if same, err = t.target.equal(e.path, Bytes(data)); err != nil {
			return err
		}
	}
	if same {
		e.change, e.stat = Unchanged, &at.stat
		return nil
	}
	t.differs(e, at)
	if t.state == nil {
		return nil
	}
	if t.o.Manifest == "" {
		e.sum = sha256.Sum256(data)
	}
	return t.state.stage(e, data)
}

// differs notes that a file is not yet in the target as it will be.
func (t *Tx) differs(e *entry, at found) {
	e.change, e.blocked = Created, at.blocked
	if at.exists {
		e.change = Updated
		e.foreign = t.o.Manifest != "" && t.last.files.Find(e.path) == nil
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
	if at.exists {
		t.next.delete(store.File{Path: path, Stat: at.stat, Sum: t.target.sum(path)})
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
	t.next.entries.close()
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
	t.last.close()
	if t.state != nil {
		t.state.unlock()
	}
}

// The stage holds new files by their paths: content and what refers to it apart, because
// all content takes its place first. A directory that the target lacks comes with all its
// content in one rename.
const (
	contentStage = "content"
	lastStage    = "last"
)

// stage writes one file into the stage.
func (s *state) stage(e *entry, data []byte) error {
	name, err := s.makeRoom(e)
	if err != nil {
		return err
	}
	return s.layer.Write(name, data)
}

// stageFrom is stage for content that is written in pieces.
func (s *state) stageFrom(e *entry, content Content) error {
	name, err := s.makeRoom(e)
	if err != nil {
		return err
	}
	f, err := s.layer.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// makeRoom makes the directory that a file is staged in, once, and returns the name of the
// file on disk.
func (s *state) makeRoom(e *entry) (string, error) {
	if err := s.openStage(); err != nil {
		return "", err
	}
	name := s.staged(e)
	dir := filepath.Dir(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made[dir] {
		return name, nil
	}
	if err := s.layer.MkdirAll(dir); err != nil {
		return "", err
	}
	if s.made == nil {
		s.made = map[string]bool{}
	}
	s.made[dir] = true
	return name, nil
}

// staged is where a file is staged.
func (s *state) staged(e *entry) string {
	part := contentStage
	if e.last > 0 {
		part = lastStage
	}
	return filepath.Join(s.stagePath(s.inTarget), part, filepath.FromSlash(e.path))
}

// eachStaged yields where new files are staged.
func (s *state) eachStaged(list files) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range list.all {
			if e.change != Unchanged && !yield(s.staged(e)) {
				return
			}
		}
	}
}

// Content writes the bytes of a file. It may be called more than once and must
// write the same bytes every time.
type Content func(w io.Writer) error

// File is a file that is written in pieces because it may be too large to hold in memory.
type File struct {
	Path    string
	Content Content
	Last    bool // it refers to others, such as an index or a run record: it takes its place after all of them, in the order of the calls
	Differs bool // its content is known to differ from that of the existing file: they are not compared
}

// PutFrom implements [Target].
func (t *Tx) PutFrom(f File) (Change, error) {
	return t.put(f.Path, f.Last, func(e *entry) error {
		if f.Differs {
			at, err := t.target.look(e.path)
			if err != nil {
				return err
			}
			return t.stageFrom(e, at, f.Content)
		}
		return t.fillFrom(e, f.Content)
	})
}

// Bytes is the content of a file whose bytes are in memory.
func Bytes(data []byte) Content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// fillFrom compares the file with the target and stages it when it differs. A
// file that exists is compared first, so that an equal one is not written.
func (t *Tx) fillFrom(e *entry, content Content) error {
	at, err := t.target.look(e.path)
	if err != nil {
		return err
	}
	m := newMeter()
	if at.exists {
		same, err := t.target.equal(e.path, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
		if err != nil {
			return err
		}
		if same {
			e.size, e.sum, e.change, e.stat = m.size, m.total(), Unchanged, &at.stat
			return nil
		}
	}
	return t.stageFrom(e, at, content)
}

// stageFrom stages a file that differs from what the target holds.
func (t *Tx) stageFrom(e *entry, at found, content Content) (err error) {
	m := newMeter()
	if t.state == nil {
		err = content(m)
	} else {
		err = t.state.stageFrom(e, func(w io.Writer) error { return content(io.MultiWriter(m, w)) })
	}
	e.size, e.sum = m.size, m.total()
	t.differs(e, at)
	return err
}

// equal reports whether the file holds exactly what content writes. A file that cannot be
// read is not equal; writing will say why.
func (t *diskTree) equal(path string, content Content) (bool, error) {
	f, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return false, nil
	}
	defer f.Close()
	return Equal(f, content)
}

// Equal reports whether r gives exactly the bytes that content writes. The error
// is that of content.
func Equal(r io.Reader, content Content) (bool, error) {
	c := comparer{r: r, buf: buffers.Get().(*[compareBuffer]byte)}
	defer buffers.Put(c.buf)
	err := content(&c)
	if errors.Is(err, errDiffers) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n, err := io.ReadFull(r, c.buf[:1])
	return n == 0 && err == io.EOF, nil
}

var errDiffers = errors.New("the content differs")

// comparer is a sink that fails at the first byte that is not the one of r.
type comparer struct {
	r   io.Reader
	buf *[compareBuffer]byte
}

func (c *comparer) Write(data []byte) (int, error) {
	for done := 0; done < len(data); {
		piece := c.buf[:min(len(data)-done, compareBuffer)]
		if _, err := io.ReadFull(c.r, piece); err != nil || !bytes.Equal(piece, data[done:done+len(piece)]) {
			return done, errDiffers
		}
		done += len(piece)
	}
	return len(data), nil
}

// meter counts and hashes bytes.
type meter struct {
	size int64
	sum  hash.Hash
}

func newMeter() *meter { return &meter{sum: sha256.New()} }

func (m *meter) Write(data []byte) (int, error) {
	m.size += int64(len(data))
	return m.sum.Write(data)
}

func (m *meter) total() store.Digest { return store.Digest(m.sum.Sum(nil)) }
