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

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
)

const (
	smallFile  = 128 << 10 // bytes up to which a file is handed whole to a writer
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
	own    folder // of the adding goroutine

	ctx     context.Context
	group   *errgroup.Group
	jobs    chan job
	buffers chan []byte
}

// job is a small file, read and yet to be written.
type job struct {
	file *File
	data []byte
}

// newSink starts the writers of a sink; finish or abandon ends them.
func newSink(ctx context.Context, root *os.Root, l Limits) *sink {
	writers := min(runtime.GOMAXPROCS(0), maxWriters)
	s := &sink{
		root: root, limits: l, names: newNames(l), made: map[string]bool{".": true}, left: l.Bytes,
		own: folder{root: root}, jobs: make(chan job, writers), buffers: make(chan []byte, 3*writers),
	}
	s.group, s.ctx = errgroup.WithContext(ctx)
	for range cap(s.buffers) {
		s.buffers <- nil
	}
	for range writers {
		s.group.Go(s.writeSmall)
	}
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

// abandon ends the writers; nothing may be added afterwards.
func (s *sink) abandon() error {
	close(s.jobs)
	return errors.Join(s.group.Wait(), s.own.close())
}

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
	allowed := min(s.fileLimit(name), s.left)
	r = io.LimitReader(r, allowed+1)
	file := &File{Path: s.prefix + name}
	if err := s.makeFolder(path.Dir(file.Path)); err != nil {
		return err
	}
	buffer, err := s.buffer()
	if err != nil {
		return err
	}
	n, whole, err := fill(buffer, r)
	if whole {
		file.Size = int64(n)
		s.files, s.left = append(s.files, file), s.left-file.Size
		if err == nil && file.Size > allowed {
			err = s.tooLarge(name, allowed)
		}
		if err != nil {
			s.buffers <- buffer
			return err
		}
		return s.send(job{file, buffer[:n]})
	}
	err = s.writeLarge(file, io.MultiReader(bytes.NewReader(buffer), r))
	s.buffers <- buffer
	s.files, s.left = append(s.files, file), s.left-file.Size
	if err == nil && file.Size > allowed {
		err = s.tooLarge(name, allowed)
	}
	return err
}

// fill reads until the buffer is full, or whole: r ended, well or with an error.
func fill(buffer []byte, r io.Reader) (n int, whole bool, err error) {
	for n < len(buffer) {
		k, err := r.Read(buffer[n:])
		n += k
		switch {
		case errors.Is(err, io.EOF):
			return n, true, nil
		case err != nil:
			return n, true, err
		}
	}
	return n, false, nil
}

// buffer waits for a free buffer.
func (s *sink) buffer() ([]byte, error) {
	select {
	case b := <-s.buffers:
		if b == nil {
			b = make([]byte, smallFile)
		}
		return b[:cap(b)], nil
	case <-s.ctx.Done():
		return nil, context.Cause(s.ctx)
	}
}

func (s *sink) send(j job) error {
	select {
	case s.jobs <- j:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// writeSmall writes files until there are no more.
func (s *sink) writeSmall() (err error) {
	own := folder{root: s.root}
	defer func() { err = errors.Join(err, own.close()) }()
	for j := range s.jobs {
		sum := sha256.Sum256(j.data)
		j.file.SHA256 = hex.EncodeToString(sum[:])
		out, err := own.create(j.file.Path)
		if err != nil {
			return err
		}
		_, err = out.Write(j.data)
		if err := errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("write %s: %w", shown(j.file.Path), err)
		}
		s.buffers <- j.data
	}
	return nil
}

// writeLarge writes one file and fills in what it turned out to be.
func (s *sink) writeLarge(file *File, r io.Reader) error {
	out, err := s.own.create(file.Path)
	if err != nil {
		return err
	}
	sum := sha256.New()
	file.Size, err = io.Copy(io.MultiWriter(out, sum), r)
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return errors.Join(err, out.Close())
}

// makeFolder makes a folder and those above it.
func (s *sink) makeFolder(name string) error {
	if s.made[name] {
		return nil
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	s.made[name] = true
	return makeFolder(s.root, name)
}

// makeFolder makes one folder with the mode that folders have, whatever the umask.
func makeFolder(root *os.Root, name string) error {
	if err := root.Mkdir(name, folderMode); err != nil {
		return fmt.Errorf("make folder %s: %w", shown(name), err)
	}
	return root.Chmod(name, folderMode)
}

// folder makes files. It keeps the folder of the last one open, since an os.Root
// opens every folder on the way to a file again. It is for one goroutine.
type folder struct {
	root *os.Root
	name string
	open *os.Root
}

// create makes a new file with the mode that files have, whatever the umask.
func (f *folder) create(name string) (*os.File, error) {
	root, base := f.root, name
	if dir := path.Dir(name); dir != "." {
		if f.open == nil || f.name != dir {
			if err := f.close(); err != nil {
				return nil, err
			}
			open, err := regularfile.RootIn(f.root, dir)
			if err != nil {
				return nil, fmt.Errorf("open folder %s: %w", shown(dir), err)
			}
			f.name, f.open = dir, open
		}
		root, base = f.open, path.Base(name)
	}
	out, err := root.OpenFile(base, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", shown(name), err)
	}
	if err := out.Chmod(fileMode); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

func (f *folder) close() error {
	if f.open == nil {
		return nil
	}
	open := f.open
	f.open = nil
	return open.Close()
}
