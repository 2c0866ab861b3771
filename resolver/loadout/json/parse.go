package json

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/resolver/loadout"
)

// SyntaxError says where a text is not JSON or passes a limit.
type SyntaxError struct {
	Line    int // from 1
	Column  int // in bytes, from 1
	Offset  int // in bytes, from 0
	Problem string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// Parse reads one JSON value and writes it as JavaScript would print it again:
// of duplicate keys the last value at the first place, integer-like keys first,
// numbers as shortest digits, bytes that are not UTF-8 as U+FFFD. A number too
// large for a double is an error (loadout section 3.6).
func Parse(data []byte) (loadout.Value, error) {
	return parse(data, false, MaxSize)
}

// ParseInfinite is Parse, but a number too large for a double is read as
// infinity, as JavaScript does, and so becomes null.
func ParseInfinite(data []byte) (loadout.Value, error) {
	return parse(data, true, MaxSize)
}

func parse(data []byte, infinite bool, limit int64) (loadout.Value, error) {
	if int64(len(data)) > limit {
		return "", &SyntaxError{Line: 1, Column: 1, Problem: "longer than " + bytesize.Text(limit)}
	}
	p := &parser{in: data, out: make([]byte, 0, len(data)), infinite: infinite}
	p.skipSpace()
	if err := p.value(0); err != nil {
		return "", err
	}
	p.skipSpace()
	if p.pos < len(p.in) {
		return "", p.fail("text after the end of the value")
	}
	// The buffer is never written again, so it may become the string.
	return loadout.Value(unsafe.String(unsafe.SliceData(p.out), len(p.out))), nil
}

type parser struct {
	in       []byte
	pos      int
	out      []byte
	infinite bool
	members  []member // a stack: those of the objects being read
}

// fail makes an error at the current place.
func (p *parser) fail(problem string) error {
	e := &SyntaxError{Line: 1, Column: 1, Offset: p.pos, Problem: problem}
	for _, c := range p.in[:min(p.pos, len(p.in))] {
		e.Column++
		if c == '\n' {
			e.Line++
			e.Column = 1
		}
	}
	return e
}

// unexpected makes an error about the byte at the current place.
func (p *parser) unexpected(want string) error {
	if p.pos >= len(p.in) {
		return p.fail("the text ends where " + want + " should be")
	}
	if p.pos == 0 && bytes.HasPrefix(p.in, []byte("\uFEFF")) {
		return p.fail("a byte order mark where " + want + " should be")
	}
	found, _ := utf8.DecodeRune(p.in[p.pos:])
	return p.fail(fmt.Sprintf("%q where %s should be", found, want))
}

func (p *parser) skipSpace() {
	for p.pos < len(p.in) {
		switch p.in[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// next skips space and returns the next byte, 0 at the end.
func (p *parser) next() byte {
	p.skipSpace()
	if p.pos >= len(p.in) {
		return 0
	}
	return p.in[p.pos]
}

func (p *parser) value(depth int) error {
	if p.pos >= len(p.in) {
		return p.unexpected("a value")
	}
	switch c := p.in[p.pos]; {
	case c == '{':
		return p.object(depth + 1)
	case c == '[':
		return p.array(depth + 1)
	case c == '"':
		return p.str()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case c == 't':
		return p.word("true")
	case c == 'f':
		return p.word("false")
	case c == 'n':
		return p.word("null")
	}
	return p.unexpected("a value")
}

func (p *parser) word(w string) error {
	if len(p.in)-p.pos < len(w) || string(p.in[p.pos:p.pos+len(w)]) != w {
		return p.unexpected("a value")
	}
	p.out = append(p.out, w...)
	p.pos += len(w)
	return nil
}

func (p *parser) array(depth int) error {
	if depth > maxDepth {
		return p.fail("nested deeper than 64")
	}
	p.out = append(p.out, '[')
	p.pos++
	if p.next() == ']' {
		p.pos++
		p.out = append(p.out, ']')
		return nil
	}
	for {
		p.skipSpace()
		if err := p.value(depth); err != nil {
			return err
		}
		switch p.next() {
		case ',':
			p.out = append(p.out, ',')
			p.pos++
		case ']':
			p.out = append(p.out, ']')
			p.pos++
			return nil
		default:
			return p.unexpected("a comma or ]")
		}
	}
}

// number reads a number and writes its shortest form.
func (p *parser) number() error {
	start := p.pos
	if p.in[p.pos] == '-' {
		p.pos++
	}
	switch c := p.peek(); {
	case c == '0':
		p.pos++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		return p.unexpected("a digit")
	}
	integer := true
	if p.peek() == '.' {
		integer = false
		p.pos++
		if !p.digits() {
			return p.unexpected("a digit")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		integer = false
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return p.unexpected("a digit")
		}
	}
	text := p.in[start:p.pos]
	if integer && len(text) <= 15 && string(text) != "-0" {
		p.out = append(p.out, text...) // below 2^53: already in its shortest form
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !p.infinite {
		p.pos = start
		return p.fail("the number is too large")
	}
	p.out = loadout.AppendNumber(p.out, f)
	return nil
}

func (p *parser) peek() byte {
	if p.pos >= len(p.in) {
		return 0
	}
	return p.in[p.pos]
}

// digits skips digits and reports whether there was one.
func (p *parser) digits() bool {
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] >= '0' && p.in[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > start
}

// str reads a string and writes it with JavaScript's escapes.
func (p *parser) str() error {
	start := p.pos
	p.pos++
	for p.pos < len(p.in) {
		c := p.in[p.pos]
		if c == '"' {
			p.pos++
			p.out = append(p.out, p.in[start:p.pos]...)
			return nil
		}
		if c == '\\' || c < 0x20 || c >= utf8.RuneSelf {
			return p.hardString(start)
		}
		p.pos++
	}
	return p.unexpected("the end of the string")
}

// hardString reads the string that starts at start and has an escape or a
// character outside ASCII at the current place: it decodes to WTF-8 and
// prints that.
func (p *parser) hardString(start int) error {
	text := append(make([]byte, 0, 64), p.in[start+1:p.pos]...)
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case c == '"':
			p.pos++
			p.out = loadout.AppendString(p.out, string(text))
			return nil
		case c < 0x20:
			return p.fail("a control character in a string")
		case c == '\\':
			var err error
			if text, err = p.escape(text); err != nil {
				return err
			}
		case c < utf8.RuneSelf:
			text = append(text, c)
			p.pos++
		default:
			size, ok := sequence(p.in[p.pos:])
			if ok {
				text = append(text, p.in[p.pos:p.pos+size]...)
			} else {
				text = append(text, "\uFFFD"...)
			}
			p.pos += size
		}
	}
	return p.unexpected("the end of the string")
}

// escape reads one escape sequence onto text.
func (p *parser) escape(text []byte) ([]byte, error) {
	p.pos++
	c := p.peek()
	if c == 'u' {
		unit, ok := loadout.HexUnit(p.in[p.pos+1:])
		if !ok {
			return nil, p.fail("an escape without four hexadecimal digits")
		}
		p.pos += 5
		return loadout.AppendUnit(text, unit), nil
	}
	const names, values = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	for i := range len(names) {
		if names[i] == c {
			p.pos++
			return append(text, values[i]), nil
		}
	}
	return nil, p.unexpected("an escape character")
}

// sequence returns the length of the UTF-8 sequence at the start of b. If there
// is none, it returns the length of the longest part of one, which decodes to
// a single U+FFFD, as in browsers.
func sequence(b []byte) (size int, ok bool) {
	if _, size := utf8.DecodeRune(b); size > 1 {
		return size, true
	}
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
	case c >= 0xF0 && c <= 0xF4:
		need = 3
	}
	switch b[0] {
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	size = 1
	for size <= need && size < len(b) && b[size] >= low && b[size] <= high {
		size++
		low, high = 0x80, 0xBF
	}
	return size, false
}

// member is one key and its value in an object that is being read, as offsets
// into the text written so far.
type member struct {
	start, keyEnd, end int
	index              int64 // the number an integer-like key stands for, otherwise -1
}

// key returns the key's literal.
func (p *parser) key(m member) []byte { return p.out[m.start:m.keyEnd] }

func (p *parser) object(depth int) error {
	if depth > maxDepth {
		return p.fail("nested deeper than 64")
	}
	p.out = append(p.out, '{')
	p.pos++
	if p.next() == '}' {
		p.pos++
		p.out = append(p.out, '}')
		return nil
	}
	base := len(p.members)
	open := len(p.out)
	for {
		if err := p.member(depth); err != nil {
			return err
		}
		c := p.next()
		if c != ',' && c != '}' {
			return p.unexpected("a comma or }")
		}
		p.pos++
		if c == '}' {
			break
		}
		p.out = append(p.out, ',')
	}
	p.arrange(open, p.members[base:])
	p.members = p.members[:base]
	p.out = append(p.out, '}')
	return nil
}

// member reads one key and its value.
func (p *parser) member(depth int) error {
	if p.next() != '"' {
		return p.unexpected("a key")
	}
	m := member{start: len(p.out)}
	if err := p.str(); err != nil {
		return err
	}
	m.keyEnd = len(p.out)
	m.index = loadout.ArrayIndex(p.out[m.start+1 : m.keyEnd-1])
	if p.next() != ':' {
		return p.unexpected("a colon")
	}
	p.pos++
	p.out = append(p.out, ':')
	p.skipSpace()
	if err := p.value(depth); err != nil {
		return err
	}
	m.end = len(p.out)
	p.members = append(p.members, m)
	return nil
}

// arrange puts the members of an object, written from open on, into
// JavaScript's order and drops overwritten ones. Most objects need nothing.
func (p *parser) arrange(open int, members []member) {
	kept, changed := p.dropDuplicates(members)
	for _, m := range kept {
		if m.index >= 0 {
			changed = true
			break
		}
	}
	if !changed {
		return
	}
	slices.SortStableFunc(kept, func(a, b member) int {
		switch {
		case a.index < 0 && b.index < 0:
			return 0
		case a.index < 0:
			return 1
		case b.index < 0:
			return -1
		}
		return cmp.Compare(a.index, b.index)
	})
	ordered := make([]byte, 0, len(p.out)-open)
	for i, m := range kept {
		if i > 0 {
			ordered = append(ordered, ',')
		}
		ordered = append(ordered, p.out[m.start:m.end]...)
	}
	p.out = append(p.out[:open], ordered...)
}

// fewMembers is the size up to which comparing each key with all before it is
// quicker than a map.
const fewMembers = 16

// dropDuplicates returns the members with each key once: at the place of the
// first, with the value of the last.
func (p *parser) dropDuplicates(members []member) (kept []member, changed bool) {
	if len(members) > fewMembers {
		kept = p.dropByMap(members)
		return kept, len(kept) < len(members)
	}
	for i := range members {
		for j := range i {
			if bytes.Equal(p.key(members[i]), p.key(members[j])) {
				return p.dropByMap(members), true
			}
		}
	}
	return members, false
}

func (p *parser) dropByMap(members []member) []member {
	place := make(map[string]int, len(members))
	kept := make([]member, 0, len(members))
	for _, m := range members {
		if i, ok := place[string(p.key(m))]; ok {
			kept[i].start, kept[i].keyEnd, kept[i].end = m.start, m.keyEnd, m.end
			continue
		}
		place[string(p.key(m))] = len(kept)
		kept = append(kept, m)
	}
	return kept
}

// Located adds to the error about a file its name and, where its text is not JSON, the
// place of the fault. Syntax reports which of the two it is.
func Located(name string, err error) (located error, syntax bool) {
	var fault *SyntaxError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s:%d:%d: %s", name, fault.Line, fault.Column, fault.Problem), true
	}
	return fmt.Errorf("%s: %w", name, err), false
}

// Rounded writes a number for people, with at most three digits after the point.
// JSON has every digit.
func Rounded(f float64) string {
	if r := math.Round(f*1000) / 1000; !math.IsInf(r, 0) {
		f = r
	}
	return string(loadout.AppendNumber(nil, f))
}

// WordsProblem says why no matcher can use the words of an entry as they are
// written; "" when it can. A text in place of a list is not a fault to the kernel,
// which reads no word of it.
func WordsProblem(e *loadout.Entry) string {
	if e.Fault != loadout.FaultNone {
		return e.Fault.String()
	}
	for _, key := range [...]string{"keywords", "patterns"} {
		if e.JSON().Get(key).Kind() == loadout.String {
			return key + " is a text, not a list of strings"
		}
	}
	return ""
}
