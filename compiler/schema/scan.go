package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/packgen/packgen/compiler/amount"
)

// DecodeError says where a record is broken and why.
type DecodeError struct {
	Pointer string // JSON pointer to the value, "" for the whole record
	Line    int    // 1-based
	Column  int    // 1-based, in bytes
	Message string
	Cause   error // what the message says, where another package found it; may be nil
}

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Cause }

// Error returns "line:column: pointer: message".
func (e *DecodeError) Error() string {
	if e.Pointer == "" {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("%d:%d: %s: %s", e.Line, e.Column, e.Pointer, e.Message)
}

// scanner reads JSON tokens, strictly (RFC 8259).
type scanner struct {
	data []byte
	dec  *jsontext.Decoder
	path []string // members and indexes down to the current value
	pass []string // lists of the record that are skipped
}

func newScanner(data []byte) *scanner {
	// Names given twice are found where they have a meaning, with both places.
	return &scanner{data: data, dec: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))}
}

// fail makes an error at an offset.
func (s *scanner) fail(at int, format string, args ...any) error {
	before := s.data[:min(at, len(s.data))]
	var pointer strings.Builder
	for _, p := range s.path {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p))
	}
	return &DecodeError{
		Pointer: pointer.String(),
		Line:    1 + bytes.Count(before, []byte("\n")),
		Column:  len(before) - bytes.LastIndexByte(before, '\n'),
		Message: fmt.Sprintf(format, args...),
	}
}

// at is the offset of the next token.
func (s *scanner) at() int {
	rest := s.data[s.dec.InputOffset():]
	return len(s.data) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
}

// end fails when anything but white space follows.
func (s *scanner) end() error {
	if rest := bytes.TrimLeft(s.data[s.dec.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return s.fail(len(s.data)-len(rest), "more text after the record")
	}
	return nil
}

// read reads the next token.
func (s *scanner) read() (jsontext.Token, error) {
	t, err := s.dec.ReadToken()
	return t, s.broken(err)
}

// broken says where text is not JSON.
func (s *scanner) broken(err error) error {
	if err == nil {
		return nil
	}
	at, fault := s.at(), err
	if bad, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, fault = int(bad.ByteOffset), bad.Err
	}
	if errors.Is(fault, io.EOF) || errors.Is(fault, io.ErrUnexpectedEOF) {
		return s.fail(len(s.data), "the record is cut short")
	}
	return s.fail(at, "not valid JSON: %v", fault)
}

// kind names what comes next, for messages.
func (s *scanner) kind() string {
	switch s.dec.PeekKind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return ""
}

// want reads the next token, which must be of a kind; what names it.
func (s *scanner) want(kind jsontext.Kind, what string) (jsontext.Token, error) {
	if found := s.kind(); found != "" && s.dec.PeekKind() != kind {
		return jsontext.Token{}, s.fail(s.at(), "want %s, found %s", what, found)
	}
	return s.read()
}

// elements reads an array, calling each before every element.
func (s *scanner) elements(each func(i int) error) error {
	if _, err := s.want('[', "an array"); err != nil {
		return err
	}
	s.path = append(s.path, "")
	for i := 0; s.dec.PeekKind() != ']'; i++ {
		s.path[len(s.path)-1] = strconv.Itoa(i)
		if err := each(i); err != nil {
			return err
		}
	}
	s.path = s.path[:len(s.path)-1]
	_, err := s.read()
	return err
}

// members reads an object, calling each with every name before its value; at is
// the offset of the name.
func (s *scanner) members(each func(name string, at int) error) error {
	if _, err := s.want('{', "an object"); err != nil {
		return err
	}
	for s.dec.PeekKind() != '}' {
		at := s.at()
		name, err := s.text()
		if err != nil {
			return err
		}
		s.path = append(s.path, name)
		if err := each(name, at); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	_, err := s.read()
	return err
}

// skip reads a value of any kind and drops it.
func (s *scanner) skip() error { return s.broken(s.dec.SkipValue()) }

// passOver reads a list without looking into it.
func (s *scanner) passOver() error {
	if found := s.kind(); found != "an array" && found != "" {
		return s.fail(s.at(), "want an array, found %s", found)
	}
	return s.skip()
}

// number reads a number that fits a float.
func (s *scanner) number() (float64, error) {
	at := s.at()
	t, err := s.want('0', "a number")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(t.String(), 64)
	if err != nil {
		return 0, s.fail(at, "%s is not a number", t)
	}
	return n, nil
}

// integer reads a number that has no fraction.
func (s *scanner) integer() (int64, error) {
	at := s.at()
	t, err := s.want('0', "an integer")
	if err != nil {
		return 0, err
	}
	n, ok := amount.Whole(t.String())
	if !ok {
		return 0, s.fail(at, "%s is not an integer", t)
	}
	return n, nil
}

// text reads a string.
func (s *scanner) text() (string, error) {
	t, err := s.want('"', "a string")
	return t.String(), err
}
