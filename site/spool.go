package site

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/packgen/packgen/compiler/scratch"
)

// spool keeps texts that are made once and written more than once: in memory as long as
// they are few, otherwise in a file that nobody else sees. The zero value is empty.
type spool struct {
	buf  []byte
	file *scratch.File
	size int64 // bytes in the file
}

// maxSpool is how many bytes of texts are in memory at most.
const maxSpool = 8 << 20

// add adds a text, and a number that goes with it.
func (s *spool) add(text []byte, number int) error {
	s.buf = binary.AppendUvarint(s.buf, uint64(len(text)))
	s.buf = binary.AppendUvarint(s.buf, uint64(number))
	s.buf = append(s.buf, text...)
	if len(s.buf) < maxSpool {
		return nil
	}
	if s.file == nil {
		f, err := scratch.NewFile("", "spool")
		if err != nil {
			return fmt.Errorf("keep texts in a file: %w", err)
		}
		s.file = &f
	}
	n, err := s.file.Write(s.buf)
	s.size += int64(n)
	s.buf = s.buf[:0]
	if err != nil {
		return fmt.Errorf("keep texts in a file: %w", err)
	}
	return nil
}

// place is where the next text will be.
func (s *spool) place() int64 { return s.size + int64(len(s.buf)) }

// each calls visit with each text, which is valid until the next, and its number.
func (s *spool) each(visit func(text []byte, number int) error) error {
	return s.between(0, s.place(), visit)
}

// between is each for the texts from a place up to another.
func (s *spool) between(from, to int64, visit func(text []byte, number int) error) error {
	var all io.Reader = bytes.NewReader(s.buf[max(0, min(from, to)-s.size):max(0, to-s.size)])
	if s.file != nil && from < s.size {
		all = io.MultiReader(io.NewSectionReader(s.file, from, min(to, s.size)-from), all)
	}
	in := bufio.NewReaderSize(all, streamBuffer)
	var text []byte
	for {
		size, err := binary.ReadUvarint(in)
		if err == io.EOF {
			return nil
		}
		number, err2 := binary.ReadUvarint(in)
		if err == nil && err2 == nil {
			if uint64(cap(text)) < size {
				text = make([]byte, 2*size)
			}
			text = text[:size]
			_, err = io.ReadFull(in, text)
		}
		if err == nil {
			err = err2
		}
		if err != nil {
			return fmt.Errorf("read texts from a file: %w", err)
		}
		if err := visit(text, int(number)); err != nil {
			return err
		}
	}
}

// close removes the file, where the system keeps the name of an open one.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
