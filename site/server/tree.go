package server

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/site"
)

// digest is the SHA-256 of a file's bytes.
type digest [sha256.Size]byte

// siteTree is the files of a site. Their bytes are in one temporary file without a
// name, so that a site of any size takes little memory; the table of paths is in
// memory. It is safe for concurrent use.
type siteTree struct {
	dir string // where the temporary file is

	mu      sync.RWMutex
	files   map[string]entry
	offered map[string]bool // files that are made when somebody asks for them
	asked   map[string]bool // those of them that somebody has asked for
	waiting chan struct{}   // closed when the next content has been put
	ask     chan struct{}   // holds one value when somebody has asked

	spill scratch.File
	end   int64 // bytes written to spill
	live  int64 // bytes of spill that files still refer to
}

// entry is one file: where its bytes are, and what they are.
type entry struct {
	at, size int64 // bytes
	sum      digest
	plain    digest // of a page without the names of its stylesheets; otherwise sum
}

// FileChange is what a new content of the tree changes about one file.
type FileChange struct {
	publish.PathChange
	// Style says that a page changed in nothing but the names of its stylesheets.
	Style bool
}

// compactAbove is the number of bytes below which unused space is left alone.
const compactAbove = 64 << 20 // 64 MiB

// makeTree returns a tree without files. Dir is where its temporary file is made;
// "" is the system's. The caller closes the tree.
func makeTree(dir string) (*siteTree, error) {
	spill, err := openSpill(dir)
	if err != nil {
		return nil, err
	}
	return &siteTree{
		dir: dir, files: map[string]entry{}, offered: map[string]bool{}, asked: map[string]bool{},
		waiting: make(chan struct{}), ask: make(chan struct{}, 1), spill: spill,
	}, nil
}

// Ask asks for a file that is made only then, and returns what is closed when the tree
// has its next content; nil when the tree has no such file.
func (t *siteTree) Ask(path string) <-chan struct{} {
	path = site.MadeWith(path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.offered[path] {
		return nil
	}
	t.asked[path] = true
	select {
	case t.ask <- struct{}{}:
	default:
	}
	return t.waiting
}

// forget drops what was asked for: after a change it is made when somebody asks again.
func (t *siteTree) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.asked)
}

func openSpill(dir string) (scratch.File, error) {
	f, err := scratch.NewFile(dir, "serve")
	if err != nil {
		return f, fmt.Errorf("make a temporary file for the site: %w", err)
	}
	return f, nil
}

// Close drops all files.
func (t *siteTree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files = map[string]entry{}
	return t.spill.Close()
}

// Read returns the bytes and the digest of a file; ok is false when the tree has
// no such file.
func (t *siteTree) Read(path string) (data []byte, sum digest, ok bool, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	e, ok := t.files[path]
	if !ok {
		return nil, digest{}, false, nil
	}
	data = make([]byte, e.size)
	if _, err := t.spill.ReadAt(data, e.at); err != nil && !(err == io.EOF && e.size == 0) {
		return nil, digest{}, true, fmt.Errorf("read %s of the site: %w", path, err)
	}
	return data, e.sum, true, nil
}

// Sum returns the digest of a file; ok is false when the tree has no such file.
func (t *siteTree) Sum(path string) (sum digest, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	e, ok := t.files[path]
	return e.sum, ok
}

// Len returns the number of files.
func (t *siteTree) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.files)
}

// write appends bytes to the temporary file.
func (t *siteTree) write(data []byte) (at int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.spill.WriteAt(data, t.end); err != nil {
		return 0, fmt.Errorf("keep a file of the site: %w", err)
	}
	at = t.end
	t.end += int64(len(data))
	return at, nil
}

// keep appends the bytes of a file to the temporary file, unless they are those that the
// tree has, and says how they differ from those.
func (t *siteTree) keep(path string, data []byte) (entry, publish.Change, error) {
	sum := digest(sha256.Sum256(data))
	t.mu.RLock()
	e, known := t.files[path]
	t.mu.RUnlock()
	if known && e.sum == sum {
		return e, publish.Unchanged, nil
	}
	at, err := t.write(data)
	if err != nil {
		return e, "", err
	}
	e = entry{at, int64(len(data)), sum, sum}
	if strings.HasSuffix(path, ".html") {
		e.plain = sha256.Sum256(styleName.ReplaceAll(data, nil))
	}
	if known {
		return e, publish.Updated, nil
	}
	return e, publish.Created, nil
}

// replace makes files the content of the tree.
func (t *siteTree) replace(files map[string]entry, offered map[string]bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files, t.offered, t.live = files, offered, 0
	close(t.waiting)
	t.waiting = make(chan struct{})
	for _, e := range files {
		t.live += e.size
	}
	if t.end < compactAbove || t.end < 2*t.live {
		return nil
	}
	return t.compact()
}

// compact copies the bytes that are in use into a new temporary file.
func (t *siteTree) compact() error {
	next, err := openSpill(t.dir)
	if err != nil {
		return err
	}
	moved := make(map[string]entry, len(t.files))
	end := int64(0)
	for path, e := range t.files {
		if _, err := io.Copy(io.NewOffsetWriter(next, end), io.NewSectionReader(t.spill, e.at, e.size)); err != nil {
			return errors.Join(fmt.Errorf("compact the site: %w", err), next.Close())
		}
		moved[path] = entry{end, e.size, e.sum, e.plain}
		end += e.size
	}
	old := t.spill
	t.files, t.spill, t.end = moved, next, end
	return old.Close()
}

// styleName matches the name of a stylesheet with the hash that is part of it.
var styleName = regexp.MustCompile(`assets/[a-z]+-[0-9A-Z]+\.css`)

// hasStyles reports whether the tree has every stylesheet that a page names.
func (t *siteTree) hasStyles(page []byte) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, name := range styleName.FindAll(page, -1) {
		if _, ok := t.files[string(name)]; !ok {
			return false
		}
	}
	return true
}

// draft is the next content of a tree. It is a sink for the files of a site; its
// methods may be called from several goroutines until Commit or Abort ends it.
type draft struct {
	tree *siteTree

	mu       sync.Mutex
	files    map[string]entry
	changed  []string        // files that were put and differ from those of the tree
	offered  map[string]bool // files that were not wanted
	restyle  bool            // a page names a stylesheet that the tree lacks
	err      error           // what Commit fails with
	complete bool            // it was committed
	ended    bool
}

// Wants reports whether a file is to be made now; it implements [publish.Target].
func (d *draft) Wants(path string) bool {
	if !site.Costly(path) {
		return true
	}
	d.tree.mu.RLock()
	asked := d.tree.asked[path]
	d.tree.mu.RUnlock()
	if !asked {
		d.mu.Lock()
		d.offered[path] = true
		d.mu.Unlock()
	}
	return asked
}

// Show makes the files that were put so far visible, beside those of the tree, and
// says what that changes. It shows nothing while a page has a stylesheet that comes
// later: pages and stylesheets change together.
func (d *draft) Show() []FileChange {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended || d.err != nil || d.restyle {
		return nil
	}
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	old, now := map[string]entry{}, map[string]entry{}
	for _, path := range d.changed {
		now[path] = d.files[path]
		if e, known := d.tree.files[path]; known {
			old[path] = e
		}
		d.tree.files[path] = d.files[path]
	}
	d.changed = nil
	return changesBetween(old, now)
}

// preview makes a file visible that is put later, and says what that changes. A page with
// a stylesheet that comes later is not shown: pages and stylesheets change together.
func (d *draft) preview(path string, data []byte) ([]FileChange, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended || d.err != nil || strings.HasSuffix(path, ".html") && !d.tree.hasStyles(data) {
		return nil, nil
	}
	e, _, err := d.tree.keep(path, data)
	if err != nil {
		return nil, err
	}
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	old := map[string]entry{}
	if before, known := d.tree.files[path]; known {
		old[path] = before
	}
	d.tree.files[path] = e
	return changesBetween(old, map[string]entry{path: e}), nil
}

// Begin starts the next content of the tree, from nothing: a file that is neither
// put nor kept is gone after Commit.
func (t *siteTree) Begin() *draft {
	return &draft{tree: t, files: make(map[string]entry, t.Len()), offered: map[string]bool{}}
}

// Put adds a file and says what that changes. Data may be reused after the call.
// A path that was put before gives an error that wraps [publish.ErrDuplicate].
func (d *draft) Put(path string, data []byte) (publish.Change, error) {
	e, change, err := d.tree.keep(path, data)
	if err != nil {
		return "", err
	}
	if err := d.add(path, e); err != nil {
		return "", err
	}
	if change == publish.Unchanged {
		return change, nil
	}
	restyle := strings.HasSuffix(path, ".html") && !d.tree.hasStyles(data)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changed = append(d.changed, path)
	d.restyle = d.restyle || restyle
	return change, nil
}

// PutFrom is Put for a file that is written in pieces. A draft becomes visible as a whole,
// so that no file is put after the others.
func (d *draft) PutFrom(f publish.File) (publish.Change, error) {
	var data bytes.Buffer
	if err := f.Content(&data); err != nil {
		return "", err
	}
	return d.Put(f.Path, data.Bytes())
}

// Keep implements [publish.Target].
func (d *draft) Keep(files ...publish.Kept) bool {
	found := make([]entry, len(files))
	d.tree.mu.RLock()
	for i, f := range files {
		e, known := d.tree.files[f.Path]
		if !known || e.sum != f.Sum {
			d.tree.mu.RUnlock()
			return false
		}
		found[i] = e
	}
	d.tree.mu.RUnlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, f := range files {
		if err := d.take(f.Path, found[i]); err != nil {
			d.err = errors.Join(d.err, err)
		}
	}
	return true
}

// Last implements [publish.Target]: the last files are those of the tree.
func (d *draft) Last(dir string) []string {
	d.tree.mu.RLock()
	defer d.tree.mu.RUnlock()
	var list []string
	for path := range d.tree.files {
		if strings.HasPrefix(path, dir) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// ReadLast returns the bytes of a file of the tree.
func (d *draft) ReadLast(path string) ([]byte, error) {
	data, _, ok, err := d.tree.Read(path)
	if err == nil && !ok {
		err = fmt.Errorf("the site has no %s", path)
	}
	return data, err
}

// LastSum returns the digest of a file of the tree.
func (d *draft) LastSum(path string) (publish.Kept, bool) {
	sum, ok := d.tree.Sum(path)
	return publish.Kept{Path: path, Sum: sum}, ok
}

// Sum returns the digest of a file that was put or kept.
func (d *draft) Sum(path string) (publish.Kept, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.files[path]
	return publish.Kept{Path: path, Sum: e.sum}, ok
}

func (d *draft) add(path string, e entry) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.take(path, e)
}

// take is add for who holds the lock.
func (d *draft) take(path string, e entry) error {
	if _, twice := d.files[path]; twice {
		return fmt.Errorf("%s: %w", path, publish.ErrDuplicate)
	}
	d.files[path] = e
	return nil
}

// Commit says that the draft is complete; publish is what shows it.
func (d *draft) Commit() (publish.Summary, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return publish.Summary{}, errEnded
	}
	d.complete = true
	return publish.Summary{}, d.err
}

var errEnded = errors.New("the draft has ended")

// publish makes the draft the content of the tree and says what changed, in path
// order.
func (d *draft) publish() ([]FileChange, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return nil, errEnded
	}
	if d.err != nil {
		return nil, d.err
	}
	d.ended = true
	d.tree.mu.RLock()
	changes := changesBetween(d.tree.files, d.files)
	d.tree.mu.RUnlock()
	return changes, d.tree.replace(d.files, d.offered)
}

// Abort drops the draft, unless it is complete.
func (d *draft) Abort() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.complete {
		d.ended, d.files = true, nil
	}
	return nil
}

// changesBetween compares two sets of files.
func changesBetween(old, now map[string]entry) []FileChange {
	var list []FileChange
	add := func(path string, change publish.Change, style bool) {
		list = append(list, FileChange{publish.PathChange{Path: path, Change: change}, style})
	}
	for path, e := range now {
		switch before, known := old[path]; {
		case !known:
			add(path, publish.Created, false)
		case before.sum != e.sum:
			add(path, publish.Updated, before.plain == e.plain)
		}
	}
	for path := range old {
		if _, stays := now[path]; !stays {
			add(path, publish.Deleted, false)
		}
	}
	slices.SortFunc(list, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return list
}
