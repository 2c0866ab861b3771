package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	pos  int
	path []string // members and indexes down to the current value
	pass []string // lists of the record that are passed over
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

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// accept takes the next byte when it is c.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

// kind names what comes next, for messages.
func (s *scanner) kind() string {
	switch c := s.peek(); {
	case c == 0 && s.pos >= len(s.data):
		return "the end of the file"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '"':
		return "a string"
	case c == '-' || c >= '0' && c <= '9':
		return "a number"
	case c == 't' || c == 'f':
		return "a boolean"
	case c == 'n':
		return "null"
	}
	return "something else"
}

// want fails with what was expected and what stands there.
func (s *scanner) want(what string) error {
	found := s.kind()
	return s.fail(s.pos, "want %s, found %s", what, found)
}

// word takes a literal such as true.
func (s *scanner) word(w string) bool {
	if s.peek() == w[0] && bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
		s.pos += len(w)
		return true
	}
	return false
}

// elements reads an array, calling each before every element.
func (s *scanner) elements(each func(i int) error) error {
	if !s.accept('[') {
		return s.want("an array")
	}
	if s.accept(']') {
		return nil
	}
	s.path = append(s.path, "")
	for i := 0; ; i++ {
		s.path[len(s.path)-1] = strconv.Itoa(i)
		if err := each(i); err != nil {
			return err
		}
		if s.accept(']') {
			break
		}
		if !s.accept(',') {
			return s.want(`"," or "]"`)
		}
	}
	s.path = s.path[:len(s.path)-1]
	return nil
}

// members reads an object, calling each with every name before its value; at is
// the offset of the name.
func (s *scanner) members(each func(name string, at int) error) error {
	if !s.accept('{') {
		return s.want("an object")
	}
	if s.accept('}') {
		return nil
	}
	for {
		s.peek()
		at := s.pos
		name, err := s.text()
		if err != nil {
			return err
		}
		if !s.accept(':') {
			return s.want(`":"`)
		}
		s.path = append(s.path, name)
		if err := each(name, at); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
		if s.accept('}') {
			return nil
		}
		if !s.accept(',') {
			return s.want(`"," or "}"`)
		}
	}
}

// maxDepth is how deep a value that is passed over may nest.
const maxDepth = 64

// skip reads a value of any kind and drops it.
func (s *scanner) skip(depth int) error {
	if depth > maxDepth {
		return s.fail(s.pos, "nested deeper than %d", maxDepth)
	}
	switch s.kind() {
	case "an object":
		return s.members(func(string, int) error { return s.skip(depth + 1) })
	case "an array":
		return s.elements(func(int) error { return s.skip(depth + 1) })
	case "a string":
		_, err := s.text()
		return err
	case "a number":
		_, err := s.number()
		return err
	}
	if s.word("true") || s.word("false") || s.word("null") {
		return nil
	}
	return s.want("a value")
}

// passOver finds the end of a list without looking into it.
func (s *scanner) passOver() error {
	if s.peek() != '[' {
		return s.want("an array")
	}
	for depth := 0; s.pos < len(s.data); s.pos++ {
		switch s.data[s.pos] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				s.pos++
				return nil
			}
		case '"':
			if !s.passString() {
				return s.want("the end of a string")
			}
		}
	}
	return s.want("the end of an array")
}

// passString moves on to the quotation mark that ends a string.
func (s *scanner) passString() bool {
	for {
		next := bytes.IndexByte(s.data[s.pos+1:], '"')
		if next < 0 {
			s.pos = len(s.data)
			return false
		}
		s.pos += 1 + next
		escapes := 0
		for s.data[s.pos-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return true
		}
	}
}

// digits reads what a number is written with; what names the kind wanted.
func (s *scanner) digits(what string) (start int, written string, err error) {
	c := s.peek()
	if c != '-' && (c < '0' || c > '9') {
		return 0, "", s.want(what)
	}
	start = s.pos
	for s.pos < len(s.data) && strings.IndexByte("+-.eE0123456789", s.data[s.pos]) >= 0 {
		s.pos++
	}
	return start, string(s.data[start:s.pos]), nil
}

// number reads a number that fits a float.
func (s *scanner) number() (float64, error) {
	start, written, err := s.digits("a number")
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(written, 64)
	if err != nil || !json.Valid([]byte(written)) {
		return 0, s.fail(start, "%s is not a number", written)
	}
	return n, nil
}

// integer reads a number that has no fraction.
func (s *scanner) integer() (int64, error) {
	start, written, err := s.digits("an integer")
	if err != nil {
		return 0, err
	}
	digits := strings.TrimPrefix(written, "-")
	n, err := strconv.ParseInt(written, 10, 64)
	if err != nil || len(digits) > 1 && digits[0] == '0' {
		return 0, s.fail(start, "%s is not an integer", written)
	}
	return n, nil
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if !s.accept('"') {
		return "", s.want("a string")
	}
	start := s.pos
	end := bytes.IndexAny(s.data[start:], "\"\\\n")
	if end < 0 {
		return "", s.fail(start-1, "string is not closed")
	}
	if s.data[start+end] != '"' {
		return s.escaped(start)
	}
	s.pos = start + end + 1
	return s.checked(s.data[start:start+end], start)
}

// checked refuses bytes that no JSON string holds.
func (s *scanner) checked(text []byte, start int) (string, error) {
	if i := bytes.IndexFunc(text, func(r rune) bool { return r < 0x20 }); i >= 0 {
		return "", s.fail(start+i, "control character in a string")
	}
	if !utf8.Valid(text) {
		return "", s.fail(start, "string is not UTF-8")
	}
	return string(text), nil
}

// escaped reads a string that holds a backslash.
func (s *scanner) escaped(start int) (string, error) {
	var b strings.Builder
	for from := start; ; from = s.pos {
		n := bytes.IndexAny(s.data[from:], `"\`)
		if n < 0 {
			return "", s.fail(start-1, "string is not closed")
		}
		plain, err := s.checked(s.data[from:from+n], from)
		if err != nil {
			return "", err
		}
		b.WriteString(plain)
		s.pos = from + n + 1
		if s.data[from+n] == '"' {
			return b.String(), nil
		}
		r, err := s.escape()
		if err != nil {
			return "", err
		}
		b.WriteRune(r)
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape() (rune, error) {
	at := s.pos - 1
	if s.pos >= len(s.data) {
		return 0, s.fail(at, "string is not closed")
	}
	c := s.data[s.pos]
	s.pos++
	if i := strings.IndexByte(`"\/bfnrt`, c); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	if c != 'u' {
		return 0, s.fail(at, "unknown escape in a string")
	}
	r, ok := s.hex()
	if ok && utf16.IsSurrogate(r) {
		ok = false
		if bytes.HasPrefix(s.data[s.pos:], []byte(`\u`)) {
			s.pos += 2
			low, hexed := s.hex()
			r = utf16.DecodeRune(r, low)
			ok = hexed && r != utf8.RuneError
		}
	}
	if !ok {
		return 0, s.fail(at, "broken \\u escape in a string")
	}
	return r, nil
}

// hex reads four hex digits.
func (s *scanner) hex() (rune, bool) {
	if s.pos+4 > len(s.data) {
		return 0, false
	}
	digits := string(s.data[s.pos : s.pos+4])
	n, err := strconv.ParseUint(digits, 16, 16)
	s.pos += 4
	return rune(n), err == nil
}
