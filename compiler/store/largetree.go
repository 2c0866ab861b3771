package store

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// LargeTree is a Tree that is not held: files are read from where it is kept when they are
// asked for, some of them at once. A nil one knows nothing.
type LargeTree struct {
	n      int
	blocks []treeBlock

	mu   sync.Mutex
	at   io.ReaderAt // nil when closed
	end  int64       // of the files
	done func() error
	read [readBlocks]readBlock
	err  error
}

// treeBlock is blockFiles files that follow each other, fewer in the last one.
type treeBlock struct {
	from   int64
	before string // the path before its first
	first  string
}

// readBlock is a block that was read.
type readBlock struct {
	number int // 1 is the first; 0: none
	files  []File
}

const (
	blockFiles = 64
	readBlocks = 64        // that are held
	maxRecord  = 32 << 10  // bytes of a file in a tree: a longer one is damage
	treeWindow = 256 << 10 // bytes of a tree that are read at once
)

// OpenTree opens a tree that [UpdateTree] has kept; nil when there is none, or it is
// damaged, or another user's.
func OpenTree(name string) *LargeTree {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, _, err := regularfile.Open(name)
	if err != nil {
		return nil
	}
	t := openTree(f, info.Size()) // one that grows meanwhile is damaged
	if t == nil {
		_ = f.Close()
		return nil
	}
	t.done = f.Close
	return t
}

// NewLargeTree returns a tree of files in path order, which are kept until it is closed.
func NewLargeTree(files iter.Seq2[File, error]) (*LargeTree, error) {
	kept := &scratch.Bytes{}
	w := newTreeWriter(appender{kept})
	for f, err := range files {
		if err != nil {
			return nil, errors.Join(err, kept.Close())
		}
		w.add(&f)
	}
	_ = w.end() // bytes take all
	t := openTree(kept, kept.Size())
	if t == nil {
		return nil, errors.Join(errNotInOrder, kept.Close())
	}
	t.done = kept.Close
	return t, nil
}

var errNotInOrder = errors.New("the files are not in path order")

// appender writes to the end of bytes.
type appender struct{ to *scratch.Bytes }

func (a appender) Write(p []byte) (int, error) {
	a.to.Append(p)
	return len(p), nil
}

// openTree looks through a whole tree, once.
func openTree(at io.ReaderAt, size int64) *LargeTree {
	t := &LargeTree{at: at, end: size - int64(sealSize)}
	if t.end < 0 {
		return nil
	}
	sum := hashOf(treePurpose, nil)
	s := treeScan{in: bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(at, 0, t.end), sum), treeWindow), size: maxRecord}
	if r := s.window(); r.Str() != treeFormat || r.bad {
		return nil
	} else {
		s.pass(r)
	}
	for s.more() {
		if t.n%blockFiles == 0 {
			t.blocks = append(t.blocks, treeBlock{from: s.place, before: s.last})
		}
		f, ok := s.next()
		if !ok {
			return nil
		}
		if t.n%blockFiles == 0 {
			t.blocks[len(t.blocks)-1].first = f.Path
		}
		t.n++
	}
	var seal [sealSize]byte
	if _, err := at.ReadAt(seal[:], t.end); err != nil || s.err != nil || !sealed(sum, seal[:]) {
		return nil
	}
	return t
}

// treeScan reads the files of a tree one after another.
type treeScan struct {
	in    *bufio.Reader
	size  int // of what is looked at, in bytes
	place int64
	last  string // the path before
	err   error
}

// window is what comes next.
func (s *treeScan) window() *Reader {
	text, err := s.in.Peek(s.size)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return ReadBytes(text)
}

func (s *treeScan) more() bool {
	_, err := s.in.Peek(1)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return err == nil
}

// pass goes on to what a reader of the window has not read.
func (s *treeScan) pass(r *Reader) {
	n, _ := s.in.Discard(min(s.size, s.in.Buffered()) - len(r.s))
	s.place += int64(n)
}

// next reads a file, which must not come before the one before it.
func (s *treeScan) next() (f File, ok bool) {
	r := s.window()
	if f, ok = fileOf(r, s.last); ok {
		f.Path = strings.Clone(f.Path) // it is a part of the window
		s.pass(r)
		s.last = f.Path
	}
	return f, ok
}

// Len is how many files there are.
func (t *LargeTree) Len() int {
	if t == nil {
		return 0
	}
	return t.n
}

// Find returns a file; nil when it is not known.
func (t *LargeTree) Find(path string) *File {
	if t == nil {
		return nil
	}
	files := t.block(t.blockOf(path))
	i, ok := slices.BinarySearchFunc(files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
	if !ok {
		return nil
	}
	return &files[i]
}

// blockOf is the number of the block that a path is in when it is known; -1 for none.
func (t *LargeTree) blockOf(path string) int {
	i, found := slices.BinarySearchFunc(t.blocks, path, func(b treeBlock, path string) int { return strings.Compare(b.first, path) })
	if !found {
		i--
	}
	return i
}

// block returns the files of a block.
func (t *LargeTree) block(number int) []File {
	if number < 0 || number >= len(t.blocks) {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	slot := &t.read[number%readBlocks]
	if slot.number == number+1 {
		return slot.files
	}
	if t.at == nil {
		return nil
	}
	b := &t.blocks[number]
	to := t.end
	if number+1 < len(t.blocks) {
		to = t.blocks[number+1].from
	}
	size := int(min(to-b.from, maxRecord))
	s := treeScan{in: bufio.NewReaderSize(io.NewSectionReader(t.at, b.from, to-b.from), size), size: size, last: b.before}
	files := make([]File, 0, min(blockFiles, t.n-number*blockFiles))
	for len(files) < cap(files) {
		f, ok := s.next()
		if !ok {
			if t.err = s.err; t.err == nil {
				t.err = errDamaged
			}
			return nil
		}
		files = append(files, f)
	}
	*slot = readBlock{number + 1, files}
	return files
}

// All yields the files in path order. When they end early, Err says why.
func (t *LargeTree) All(yield func(f *File) bool) { t.From("")(yield) }

// From yields the files in path order from the one on that has a path or comes after it.
func (t *LargeTree) From(path string) iter.Seq[*File] {
	return func(yield func(f *File) bool) {
		if t == nil {
			return
		}
		for number := max(0, t.blockOf(path)); number < len(t.blocks); number++ {
			files := t.block(number)
			if files == nil {
				return
			}
			for i := range files {
				if files[i].Path >= path && !yield(&files[i]) {
					return
				}
			}
		}
	}
}

// Err is the error that kept files from being read, if any.
func (t *LargeTree) Err() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

// Close lets the tree go. It may be called more than once.
func (t *LargeTree) Close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at == nil {
		return nil
	}
	t.at = nil
	return t.done()
}

// UpdateTree is WriteTree for files in path order that are not held, where known is the tree
// in the file by now: nothing is written when it has the same files. Otherwise known is
// closed.
func UpdateTree(name string, known *LargeTree, files iter.Seq[File]) error {
	next, stop := iter.Pull(known.All)
	defer stop()
	n, same := 0, known != nil
	for f := range files {
		if before, ok := next(); !ok || *before != f {
			same = false
			break
		}
		n++
	}
	if same && n == known.Len() {
		return nil
	}
	return writeTree(name, files, func() { _ = known.Close() })
}
