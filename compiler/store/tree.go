package store

import (
	"errors"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
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
