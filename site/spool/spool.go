// Package spool keeps pieces of text in a temporary file until they are asked for
// again, so that a build holds no page in memory.
package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Spool keeps rendered text on disk between the visit of a page, when its tree
// is in memory, and the time the page is put together, when everything about
// its neighbours is known. Make one with [New] and close it.
type Spool struct {
	file *os.File
	name string // of the file, while it has one
	end  atomic.Int64
}

// Span is a piece of a spool.
type Span struct {
	Start, Size int64 // bytes
}

// New makes a spool below dir; "" is the system's directory for such files.
func New(dir string) (*Spool, error) {
	f, err := os.CreateTemp(dir, "packgen-site-*")
	if err != nil {
		return nil, fmt.Errorf("create the page spool: %w", err)
	}
	s := &Spool{file: f, name: f.Name()}
	// Where the system allows it, the file loses its name at once: then nothing
	// is left behind, whatever happens to the process.
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

// Put appends a piece. It may be called from several goroutines.
func (s *Spool) Put(data []byte) (Span, error) {
	size := int64(len(data))
	at := s.end.Add(size) - size
	if _, err := s.file.WriteAt(data, at); err != nil {
		return Span{}, fmt.Errorf("write the page spool: %w", err)
	}
	return Span{at, size}, nil
}

// Get reads a piece into buf, growing it as needed.
func (s *Spool) Get(p Span, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < p.Size {
		buf = make([]byte, p.Size)
	}
	buf = buf[:p.Size]
	if _, err := s.file.ReadAt(buf, p.Start); err != nil {
		return nil, fmt.Errorf("read the page spool: %w", err)
	}
	return buf, nil
}

// Open returns a reader of a piece.
func (s *Spool) Open(p Span) io.Reader { return io.NewSectionReader(s.file, p.Start, p.Size) }

// Close removes the file. A nil spool has nothing to close.
func (s *Spool) Close() error {
	if s == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
