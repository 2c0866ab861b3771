package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/bytesize"
)

const (
	smallFile  = 128 << 10 // bytes up to which a file is held whole, for another goroutine to write it
	maxWriters = 8         // more than that wait for the disk, or for one another

	fileMode   = 0o644
	folderMode = 0o755
)

// sink writes the files of one layer into a folder, hashing them on the way. One
// goroutine adds files; small ones are written by others.
type sink struct {
	root   *os.Root
	limits Limits
	prefix string // put before every path, with a slash at its end, or ""
	names  *names
	made   map[string]bool // folders that exist
	left   int64           // bytes that may still be unpacked
	files  []*File

	ctx     context.Context
	group   *errgroup.Group // the writers of small files
	buffers sync.Pool       // of *bytes.Buffer
}

// newSink starts a sink; finish or abandon ends its writers.
func newSink(ctx context.Context, root *os.Root, l Limits) *sink {
	s := &sink{root: root, limits: l, names: newNames(l), made: map[string]bool{".": true}, left: l.Bytes}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.group, s.ctx = errgroup.WithContext(ctx)
	s.group.SetLimit(min(runtime.GOMAXPROCS(0), maxWriters))
	return s
}

// finish waits for the writers and returns the files in path order.
func (s *sink) finish() ([]File, error) {
	if err := s.abandon(); err != nil {
		return nil, err
	}
	list := make([]File, len(s.files))
	for i, f := range s.files {
		list[i] = *f
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// abandon waits for the writers; nothing may be added afterwards.
func (s *sink) abandon() error { return s.group.Wait() }

// take checks the path of an entry and counts it.
func (s *sink) take(name string, isFolder bool) error {
	if r := checkPath(name, s.limits); r != nil {
		return r // before the prefix can make it look better
	}
	if r := s.names.add(s.prefix+name, isFolder); r != nil {
		return r
	}
	return nil
}

// allow refuses a file that says it has more bytes than it may.
func (s *sink) allow(name string, size int64) error {
	if limit := s.fileLimit(name); size > limit {
		return s.tooLarge(name, limit)
	}
	if size > s.left {
		return s.tooLarge(name, s.left)
	}
	return nil
}

// fileLimit is the number of bytes that a file may have.
func (s *sink) fileLimit(name string) int64 {
	if isArchiveName(name) {
		return s.limits.ArchiveBytes
	}
	return s.limits.FileBytes
}

func (s *sink) tooLarge(name string, limit int64) *Refusal {
	if limit == s.fileLimit(name) {
		return refuse(RuleTooLarge, name, hintLimit, "the file unpacks to more than %s, the limit for one file", bytesize.Text(limit))
	}
	return refuse(RuleTooLarge, name, hintLimit, "the files unpack to more than %s, the limit for all of them", bytesize.Text(s.limits.Bytes))
}

// write writes a file whose path was taken. It reads to the end of r, and never
// more than one byte beyond what the limits allow.
func (s *sink) write(name string, r io.Reader) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	allowed := min(s.fileLimit(name), s.left)
	r = io.LimitReader(r, allowed+1)
	file := &File{Path: s.prefix + name}
	if err := s.makeFolder(path.Dir(file.Path)); err != nil {
		return err
	}
	s.files = append(s.files, file)
	buffer := s.buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	size, err := io.CopyN(buffer, r, smallFile)
	isSmall := errors.Is(err, io.EOF)
	if err == nil {
		err = s.put(file, io.MultiReader(buffer, r))
		size = file.Size
	}
	if err != nil && !isSmall {
		return err
	}
	if s.left -= size; size > allowed {
		return s.tooLarge(name, allowed)
	}
	if isSmall {
		s.group.Go(func() error {
			defer s.buffers.Put(buffer)
			return s.put(file, buffer)
		})
	}
	return nil
}

// put writes one file, with the mode that files have whatever the umask, and fills in what
// it turned out to be.
func (s *sink) put(file *File, r io.Reader) error {
	out, err := s.root.OpenFile(file.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("create %s: %w", shown(file.Path), err)
	}
	if err := out.Chmod(fileMode); err != nil {
		return errors.Join(err, out.Close())
	}
	sum := sha256.New()
	file.Size, err = io.Copy(io.MultiWriter(out, sum), r)
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return errors.Join(err, out.Close())
}

// makeFolder makes a folder and those above it, with the mode that folders have whatever
// the umask.
func (s *sink) makeFolder(name string) error {
	if s.made[name] {
		return nil
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	s.made[name] = true
	if err := s.root.Mkdir(name, folderMode); err != nil {
		return fmt.Errorf("make folder %s: %w", shown(name), err)
	}
	return s.root.Chmod(name, folderMode)
}
