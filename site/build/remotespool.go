package build

import (
	"crypto/sha256"
	"fmt"
	"io"
	"sync"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
)

// spooled takes the pages of a pack that is compiled for another machine: one after another
// in one file that nobody else sees, until the archive of the outputs is written. To make
// each of them a file takes longer than to make its bytes.
type spooled struct {
	publish.Target
	file scratch.File

	mu    sync.Mutex
	size  int64
	files map[string]spooledFile
}

// spooledFile is where the bytes of a file are.
type spooledFile struct {
	from, size int64
	sum        store.Digest
}

// newSpooled makes that file in a directory.
func newSpooled(dir string) (*spooled, error) {
	f, err := scratch.NewFile(dir, "pages")
	if err != nil {
		return nil, fmt.Errorf("make a place for pages: %w", err)
	}
	return &spooled{Target: publish.Nowhere, file: f, files: map[string]spooledFile{}}, nil
}

// Put implements [publish.Target].
func (s *spooled) Put(path string, data []byte) (publish.Change, error) {
	return s.PutFrom(publish.File{Path: path, Content: publish.Bytes(data)})
}

// PutFrom is Put for a file that is made in pieces.
func (s *spooled) PutFrom(f publish.File) (publish.Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.files[f.Path]; twice {
		return "", fmt.Errorf("publish %s: %w", f.Path, publish.ErrDuplicate)
	}
	sum := sha256.New()
	to := &counted{io.MultiWriter(io.NewOffsetWriter(s.file, s.size), sum), 0}
	if err := f.Content(to); err != nil {
		return "", fmt.Errorf("publish %s: %w", f.Path, err)
	}
	s.files[f.Path] = spooledFile{s.size, to.n, store.Digest(sum.Sum(nil))}
	s.size += to.n
	return publish.Created, nil
}

// counted counts what is written.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// Sum implements [publish.Target].
func (s *spooled) Sum(path string) (publish.Kept, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[path]
	return publish.Kept{Path: path, Sum: f.sum}, ok
}

// read returns the bytes of a file.
func (s *spooled) read(path string) ([]byte, error) {
	f, ok := s.files[path]
	if !ok {
		return nil, fmt.Errorf("%s was not made", path)
	}
	data := make([]byte, f.size)
	_, err := s.file.ReadAt(data, f.from)
	return data, err
}

func (s *spooled) close() { _ = s.file.Close() }
