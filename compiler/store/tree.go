package store

import (
	"bufio"
	"errors"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// Stat is what is known of a file without reading it. Times of 0 are those of a
// file system that keeps none.
type Stat struct {
	Size       int64 // bytes
	ModTime    int64 // nanoseconds since 1970, as the owner may set it
	ChangeTime int64 // the same of the last change of the file or its data, which nobody can set
	Inode      uint64
}

// StatOf returns what the file system says about a file.
func StatOf(info fs.FileInfo) Stat {
	s := Stat{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	s.fill(info.Sys())
	return s
}

// File is a file with its digest.
type File struct {
	Path string
	Stat Stat
	Sum  Digest
	// Quiet says that the file was at rest when it was looked at: any later change
	// shows in its times.
	Quiet bool
}

// Tree knows the digests of the files of a directory as they were when they were
// last looked at. A nil one knows nothing.
type Tree struct{ files []File }

// NewTree returns a tree of files in path order.
func NewTree(files []File) *Tree { return &Tree{files} }

// Files are all files in path order.
func (t *Tree) Files() []File {
	if t == nil {
		return nil
	}
	return t.files
}

// Find returns a file; nil when it is not known.
func (t *Tree) Find(path string) *File {
	if t == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(t.files, path, func(f File, path string) int { return strings.Compare(f.Path, path) })
	if !ok {
		return nil
	}
	return &t.files[i]
}

// AtRest reports whether a look at the file shows that nobody has touched it.
func (f *File) AtRest(now Stat) bool {
	return f != nil && f.Quiet && f.Stat == now && f.Sum.Known()
}

// How much older than the moment of looking at it a file must be for its times to show
// any later change: a younger one may be written again without. A file system may keep
// times to the second or two; the clock that a local one of today takes them from moves
// on at least every 10 ms.
const (
	coarseWindow = 2 * time.Second
	FineWindow   = 15 * time.Millisecond
)

// Quiet reports whether a file was at rest at a moment, in nanoseconds since 1970.
// Fine says that it lies on a file system whose times are of the local clock. The time
// of modification alone proves nothing: its owner may set it back. A file from the
// future, as after a clock was set back, is never at rest.
func Quiet(s Stat, moment int64, fine bool) bool {
	if s.ChangeTime == 0 {
		return false
	}
	window := coarseWindow
	// Times without digits below the millisecond are those of a coarse clock.
	if fine && s.ChangeTime%1e6 != 0 {
		window = FineWindow
	}
	return max(s.ModTime, s.ChangeTime) < moment-int64(window)
}

// treeFormat is the first text of a tree as it is kept.
const treeFormat = "packgen tree 3\n"

// treePurpose is what the seal of a tree is for.
const treePurpose = "tree"

// maxTree is the largest file of a tree in bytes that is read.
const maxTree = 1 << 30

// ReadTree reads a tree that WriteTree has kept; nil when there is none, or it is
// damaged, or another user's.
func ReadTree(name string) *Tree {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTree {
		return nil
	}
	f, _, err := regularfile.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data := make([]byte, info.Size()) // one that grows meanwhile is damaged
	if _, err := io.ReadFull(f, data); err != nil {
		return nil
	}
	return decodeTree(data)
}

// usualFile is about how many bytes a file of a tree has at least.
const usualFile = 80

func decodeTree(data []byte) *Tree {
	data, ok := Unseal(treePurpose, data)
	if !ok {
		return nil
	}
	r := ReadBytes(data)
	if r.Str() != treeFormat {
		return nil
	}
	t := &Tree{files: make([]File, 0, len(data)/usualFile)}
	last := ""
	for r.More() {
		f, ok := fileOf(r, last)
		if !ok || len(t.files) > 0 && f.Path == last {
			return nil
		}
		last = f.Path
		t.files = append(t.files, f)
	}
	if !r.Done() {
		return nil
	}
	return t
}

// fileOf reads a file of a tree, which must not come before the path that was read last.
func fileOf(r *Reader, last string) (f File, ok bool) {
	shared := r.Uint()
	if shared > len(last) {
		return f, false
	}
	f.Path = last[:shared] + r.Str()
	f.Quiet = r.Bool()
	f.Stat = Stat{Size: r.Int64(), ModTime: r.Int64()}
	f.Stat.ChangeTime = f.Stat.ModTime + r.Int64()
	f.Stat.Inode = uint64(r.Int64())
	f.Sum = r.Digest()
	return f, !r.bad && f.Path >= last
}

// treeWriter writes a tree, file by file.
type treeWriter struct {
	to   io.Writer
	w    Writer
	sum  hash.Hash
	last string
	err  error
}

func newTreeWriter(to io.Writer) *treeWriter {
	w := &treeWriter{to: to, sum: hashOf(treePurpose, nil)}
	w.w.Str(treeFormat)
	return w
}

// add adds a file, which comes after all before it.
func (t *treeWriter) add(f *File) {
	shared := 0
	for shared < min(len(t.last), len(f.Path)) && t.last[shared] == f.Path[shared] {
		shared++
	}
	w := &t.w
	w.Uint(shared)
	w.Str(f.Path[shared:])
	w.Bool(f.Quiet)
	w.Int64(f.Stat.Size)
	w.Int64(f.Stat.ModTime)
	w.Int64(f.Stat.ChangeTime - f.Stat.ModTime)
	w.Int64(int64(f.Stat.Inode))
	w.Digest(f.Sum)
	t.last = f.Path
	if len(w.b) >= treeBuffer {
		t.flush()
	}
}

// treeBuffer is how many bytes of a tree are written at once.
const treeBuffer = 64 << 10

func (t *treeWriter) flush() {
	if t.err == nil {
		t.sum.Write(t.w.b)
		_, t.err = t.to.Write(t.w.b)
	}
	t.w.Reset()
}

// end writes the seal.
func (t *treeWriter) end() error {
	t.flush()
	if t.err == nil {
		_, t.err = t.to.Write(sealOf(t.sum))
	}
	return t.err
}

// WriteTree keeps a tree in a file, whole or not at all. Nothing depends on it: a
// tree that does not exist costs time only.
func WriteTree(name string, t *Tree) error {
	return writeTree(name, slices.Values(t.Files()), func() {})
}

// writeTree is WriteTree for files in path order; ready is called before the file takes its
// place.
func writeTree(name string, files iter.Seq[File], ready func()) error {
	if err := regularfile.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	out, err := regularfile.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*"+tempEnding)
	if err != nil {
		return err
	}
	w := newTreeWriter(out)
	for f := range files {
		w.add(&f)
	}
	userKey().keep()
	if err = errors.Join(w.end(), out.Close()); err == nil {
		ready()
		err = regularfile.Rename(out.Name(), name)
	}
	if err != nil {
		_ = regularfile.Remove(out.Name())
	}
	return err
}

// RemoveTree drops a tree, and what processes that were killed left half-written
// beside it. The caller holds the lock of those who write there.
func RemoveTree(name string) error {
	if left, err := filepath.Glob(name + ".*" + tempEnding); err == nil {
		for _, path := range left {
			_ = regularfile.Remove(path)
		}
	}
	if err := regularfile.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

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
