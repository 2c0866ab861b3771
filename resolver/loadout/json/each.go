package json

import (
	"bytes"
	"errors"
	"io"

	"github.com/packgen/packgen/resolver/loadout"
)

// ErrWhole says that a text has to be read as a whole: it is not an index, or has the list of
// entries twice, or a fault whose place only Read finds.
var ErrWhole = errors.New("the index has to be read as a whole")

// ReadEach is Read for a text too large to be in memory: visit gets the entries one after
// another, and the index comes back without them. An error is that of r or of visit, or
// ErrWhole; what was visited then does not count.
func ReadEach(r io.Reader, visit func(entry loadout.Value) error) (*loadout.Index, error) {
	s := &stream{r: r, buf: make([]byte, 0, streamBuffer)}
	if s.next() != '{' {
		return nil, s.whole()
	}
	s.pos++
	head, listed := []byte{'{'}, false
	for first := true; ; first = false {
		c := s.next()
		if c == '}' {
			s.pos++
			break
		}
		if !first {
			if c != ',' {
				return nil, s.whole()
			}
			s.pos++
			head = append(head, ',')
		}
		key := bytes.Clone(s.value())
		name, err := parse(key, false, MaxIndex)
		if err != nil || name.Kind() != loadout.String || s.next() != ':' {
			return nil, s.whole()
		}
		s.pos++
		head = append(append(head, key...), ':')
		if name != `"entries"` || s.next() != '[' {
			head = append(head, s.value()...)
			continue
		}
		if listed {
			return nil, ErrWhole
		}
		listed = true
		if err := s.entries(visit); err != nil {
			return nil, err
		}
		head = append(head, "[]"...)
	}
	if s.next() != 0 || s.err != io.EOF || s.size > MaxIndex {
		return nil, s.whole()
	}
	v, err := parse(append(head, '}'), false, MaxIndex)
	if err != nil {
		return nil, ErrWhole
	}
	ix, _ := loadout.DecodeAtMost(v, 0)
	return ix, nil
}

// entries visits the entries of the list that begins here.
func (s *stream) entries(visit func(entry loadout.Value) error) error {
	s.pos++
	if s.next() == ']' {
		s.pos++
		return nil
	}
	for n := 0; ; n++ {
		text := s.value()
		p := &parser{in: text, out: make([]byte, 0, len(text))}
		if len(text) == 0 || n == MaxEntries || p.value(2) != nil || p.pos < len(text) {
			return s.whole()
		}
		if err := visit(loadout.Value(p.out)); err != nil {
			return err
		}
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return nil
		default:
			return s.whole()
		}
	}
}

// streamBuffer is how many bytes are read at once.
const streamBuffer = 256 << 10

// stream cuts a text into values, without a look at what they are.
type stream struct {
	r    io.Reader
	buf  []byte // from pos: read and not yet used
	pos  int
	size int64
	err  error // of r
}

// whole is the error of r, or ErrWhole.
func (s *stream) whole() error {
	if s.err != nil && s.err != io.EOF {
		return s.err
	}
	return ErrWhole
}

// more reads more, and keeps what comes from a place on; it reports whether there was some.
func (s *stream) more(from int) bool {
	if s.err != nil || s.size > MaxIndex {
		return false
	}
	s.buf = append(s.buf[:0], s.buf[from:]...)
	s.pos -= from
	if len(s.buf) == cap(s.buf) {
		s.buf = append(s.buf, 0)[:len(s.buf)]
	}
	n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
	s.buf, s.size, s.err = s.buf[:len(s.buf)+n], s.size+int64(n), err
	return n > 0 || err == nil && s.more(0)
}

// next skips space and returns the next byte, 0 at the end.
func (s *stream) next() byte {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch c := s.buf[s.pos]; c {
			case ' ', '\t', '\n', '\r':
			default:
				return c
			}
		}
		if !s.more(s.pos) {
			return 0
		}
	}
}

// value returns the text of the value that begins here, valid until the next call. Where
// it ends only brackets and quotes say: it may be none.
func (s *stream) value() []byte {
	if s.next() == 0 {
		return nil
	}
	start, depth, quoted := s.pos, 0, false
	for {
		if s.pos == len(s.buf) {
			if !s.more(start) {
				return s.buf[min(start, s.pos):s.pos]
			}
			start = 0
		}
		c := s.buf[s.pos]
		switch {
		case quoted && c == '\\':
			if s.pos+1 == len(s.buf) {
				if !s.more(start) {
					return nil
				}
				start = 0
			}
			s.pos++
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				s.pos++
				return s.buf[start:s.pos]
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth == 0 {
				return s.buf[start:s.pos]
			}
			if depth--; depth == 0 {
				s.pos++
				return s.buf[start:s.pos]
			}
		case depth == 0 && (c == ',' || c == ':' || c <= ' '):
			return s.buf[start:s.pos]
		}
		s.pos++
	}
}
