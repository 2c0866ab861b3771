package site

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// spool keeps rendered text on disk between the visit of a page, when its tree
// is in memory, and the time the page is put together, when everything about
// its neighbours is known. A build holds no bodies in memory.
type spool struct {
	file *os.File
	name string // of the file, while it has one
	end  atomic.Int64
}

// span is a piece of a spool.
type span struct {
	off, size int64 // bytes
}

func newSpool(dir string) (*spool, error) {
	f, err := os.CreateTemp(dir, "packgen-site-*")
	if err != nil {
		return nil, fmt.Errorf("create the page spool: %w", err)
	}
	s := &spool{file: f, name: f.Name()}
	// Where the system allows it, the file loses its name at once: then nothing
	// is left behind, whatever happens to the process.
	if os.Remove(s.name) == nil {
		s.name = ""
	}
	return s, nil
}

// put appends a piece. It may be called from several goroutines.
func (s *spool) put(data []byte) (span, error) {
	size := int64(len(data))
	at := s.end.Add(size) - size
	if _, err := s.file.WriteAt(data, at); err != nil {
		return span{}, fmt.Errorf("write the page spool: %w", err)
	}
	return span{at, size}, nil
}

// get reads a piece into buf, growing it as needed.
func (s *spool) get(p span, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < p.size {
		buf = make([]byte, p.size)
	}
	buf = buf[:p.size]
	if _, err := s.file.ReadAt(buf, p.off); err != nil {
		return nil, fmt.Errorf("read the page spool: %w", err)
	}
	return buf, nil
}

// close removes the file. A nil spool has nothing to close.
func (s *spool) close() error {
	if s == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return err
}
