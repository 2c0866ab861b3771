package store

import (
	"encoding/binary"
	"unsafe"

	"github.com/packgen/packgen/compiler/diag"
)

// Writer writes the compact form of what is kept: numbers as varints, strings with
// their length in front.
type Writer struct{ b []byte }

// NewWriter returns a writer with room for that many bytes.
func NewWriter(size int) *Writer { return &Writer{b: make([]byte, 0, size)} }

// Text returns what was written.
func (w *Writer) Text() string { return string(w.b) }

// Bytes returns what was written, which stays the writer's.
func (w *Writer) Bytes() []byte { return w.b }

// Reset empties the writer.
func (w *Writer) Reset() { w.b = w.b[:0] }

// Uint writes a size or count, which is not negative.
func (w *Writer) Uint(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

// Int64 writes any number.
func (w *Writer) Int64(n int64) { w.b = binary.AppendVarint(w.b, n) }

// Str writes a string.
func (w *Writer) Str(s string) {
	w.Uint(len(s))
	w.b = append(w.b, s...)
}

// Raw writes bytes whose number the reader knows.
func (w *Writer) Raw(b []byte) { w.b = append(w.b, b...) }

// Bool writes a flag.
func (w *Writer) Bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	w.Uint(n)
}

// Strs writes a list of strings.
func (w *Writer) Strs(list []string) {
	w.Uint(len(list))
	for _, s := range list {
		w.Str(s)
	}
}

// Digest writes a digest.
func (w *Writer) Digest(s Digest) { w.b = append(w.b, s[:]...) }

// Findings writes a list of diagnostics.
func (w *Writer) Findings(list []diag.Diagnostic) {
	w.Uint(len(list))
	for _, d := range list {
		w.Str(d.ID)
		w.Uint(int(d.Severity))
		w.Str(d.Pack)
		w.Str(d.Path)
		w.Uint(d.Line)
		w.Uint(d.Column)
		w.Str(d.Message)
		w.Str(d.Hint)
		w.Str(d.Recorded)
		w.Bool(d.Implied)
	}
}

// Reader reads what a Writer wrote. Strings are parts of the text that it reads, so
// that nothing is copied. What does not fit makes the reader bad, once and for
// all, and reads as zero.
type Reader struct {
	s   string
	bad bool
}

// NewReader reads a text.
func NewReader(text string) *Reader { return &Reader{s: text} }

// ReadBytes reads a text that nobody changes any more, such as a blob: what is read of
// it are parts of it, so that tens of thousands of records are not copied.
func ReadBytes(text []byte) *Reader {
	return &Reader{s: unsafe.String(unsafe.SliceData(text), len(text))}
}

// Done reports whether the whole text was read and fitted.
func (r *Reader) Done() bool { return !r.bad && r.s == "" }

// More reports whether there is more to read.
func (r *Reader) More() bool { return r.s != "" }

// Fail makes the reader bad.
func (r *Reader) Fail() { r.bad, r.s = true, "" }

func (r *Reader) uvarint() uint64 {
	n := uint64(0)
	for i := 0; i < len(r.s) && i < binary.MaxVarintLen64; i++ {
		c := r.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.s = r.s[i+1:]
			return n
		}
	}
	r.Fail()
	return 0
}

// Uint reads a number that is a size or a count of something in memory.
func (r *Reader) Uint() int {
	n := r.uvarint()
	if n > 1<<40 {
		r.Fail()
		return 0
	}
	return int(n)
}

// Int64 reads any number.
func (r *Reader) Int64() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// Count reads the length of a list, of which every item fills at least one byte.
func (r *Reader) Count() int { return r.CountOf(1) }

// CountOf reads the length of a list of which every item fills at least that many
// bytes, so that a false length cannot ask for much more memory than the text has.
func (r *Reader) CountOf(least int) int {
	n := r.Uint()
	if n > len(r.s)/least {
		r.Fail()
		return 0
	}
	return n
}

// Str reads a string.
func (r *Reader) Str() string {
	n := r.Count()
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

// Bytes is Str as bytes that nobody changes, a part of the text too.
func (r *Reader) Bytes() []byte {
	s := r.Str()
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// Rest returns what is left of the text, as Bytes does.
func (r *Reader) Rest() []byte {
	s := r.s
	r.s = ""
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// Bool reads a flag.
func (r *Reader) Bool() bool { return r.Uint() == 1 }

// Strs reads a list of strings.
func (r *Reader) Strs() []string {
	n := r.Count()
	list := make([]string, 0, n)
	for range n {
		list = append(list, r.Str())
	}
	return list
}

// Digest reads a digest.
func (r *Reader) Digest() (s Digest) {
	if len(r.s) < len(s) {
		r.Fail()
		return s
	}
	copy(s[:], r.s)
	r.s = r.s[len(s):]
	return s
}

// Findings reads a list of diagnostics.
func (r *Reader) Findings() []diag.Diagnostic {
	n := r.CountOf(10)
	if n == 0 {
		return nil
	}
	list := make([]diag.Diagnostic, 0, n)
	for range n {
		d := diag.Diagnostic{ID: r.Str(), Severity: diag.Severity(r.Uint()), Pack: r.Str(), Path: r.Str()}
		d.Line, d.Column, d.Message, d.Hint, d.Recorded, d.Implied = r.Uint(), r.Uint(), r.Str(), r.Str(), r.Str(), r.Bool()
		list = append(list, d)
	}
	return list
}
