package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
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

// Encode returns what is kept of a value, or of what a pointer leads to: the fields of a struct one after another, lists
// and maps with their length in front, maps by key. Unexported fields are kept too, so that
// a field that somebody adds cannot be forgotten; one with the tag keep:"-" is left out. A
// type must not contain itself, and holds no interfaces, functions or channels: those panic,
// with the first value of the type.
func Encode(v any) []byte {
	w := NewWriter(1 << 10)
	w.value(reflect.Indirect(reflect.ValueOf(v)))
	return w.Bytes()
}

// Decode reads what Encode made of a value of the type that v points to; false when that is
// damaged. Texts are parts of data, which nobody may change from then on.
func Decode(data []byte, v any) bool {
	r := ReadBytes(data)
	r.value(reflect.ValueOf(v).Elem())
	return r.Done()
}

// layout is how values of a struct are kept.
type layout struct {
	fields []int // by index, those that are kept
	least  int   // bytes that a value fills
}

var layouts sync.Map // by type

func layoutOf(t reflect.Type) *layout {
	if known, ok := layouts.Load(t); ok {
		return known.(*layout)
	}
	l := &layout{}
	for i := range t.NumField() {
		if f := t.Field(i); f.Tag.Get("keep") != "-" {
			l.fields = append(l.fields, i)
			l.least += least(f.Type)
		}
	}
	layouts.Store(t, l)
	return l
}

// least is how many bytes a value of a type fills.
func least(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Struct:
		return layoutOf(t).least
	case reflect.Array:
		return t.Len()
	}
	return 1
}

func (w *Writer) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, i := range layoutOf(v.Type()).fields {
			w.value(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() { // of bytes: a digest
			w.b = append(w.b, byte(v.Index(i).Uint()))
		}
	case reflect.Pointer:
		if w.Bool(!v.IsNil()); !v.IsNil() {
			w.value(v.Elem())
		}
	case reflect.Slice:
		w.count(v)
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	case reflect.Map:
		w.count(v)
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			w.Str(key.String())
			w.value(v.MapIndex(key))
		}
	default:
		w.single(v)
	}
}

// single writes a value without parts.
func (w *Writer) single(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		w.Str(v.String())
	case v.Kind() == reflect.Bool:
		w.Bool(v.Bool())
	case v.CanInt():
		w.Int64(v.Int())
	case v.CanUint():
		w.b = binary.AppendUvarint(w.b, v.Uint())
	case v.CanFloat():
		w.b = binary.AppendUvarint(w.b, math.Float64bits(v.Float()))
	default:
		panic(fmt.Sprintf("store: a %s cannot be kept", v.Type()))
	}
}

// count writes the length of a list or map; that of none differs from that of an empty one.
func (w *Writer) count(v reflect.Value) {
	if v.IsNil() {
		w.Uint(0)
		return
	}
	w.Uint(v.Len() + 1)
}

// value reads into a value that can be addressed.
func (r *Reader) value(v reflect.Value) {
	if !v.CanSet() { // an unexported field
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, i := range layoutOf(v.Type()).fields {
			r.value(v.Field(i))
		}
	case reflect.Array:
		r.array(v)
	case reflect.Pointer:
		if r.Bool() {
			v.Set(reflect.New(v.Type().Elem()))
			r.value(v.Elem())
		}
	case reflect.Slice:
		if n, some := r.countOf(least(v.Type().Elem())); some {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				r.value(v.Index(i))
			}
		}
	case reflect.Map:
		r.mapping(v)
	default:
		r.single(v)
	}
}

// single reads a value without parts.
func (r *Reader) single(v reflect.Value) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(r.Str())
	case v.Kind() == reflect.Bool:
		v.SetBool(r.Bool())
	case v.CanInt():
		v.SetInt(r.Int64())
	case v.CanUint():
		v.SetUint(r.uvarint())
	case v.CanFloat():
		v.SetFloat(math.Float64frombits(r.uvarint()))
	}
}

func (r *Reader) array(v reflect.Value) {
	if len(r.s) < v.Len() {
		r.Fail()
		return
	}
	for i := range v.Len() {
		v.Index(i).SetUint(uint64(r.s[i]))
	}
	r.s = r.s[v.Len():]
}

func (r *Reader) mapping(v reflect.Value) {
	n, some := r.countOf(1 + least(v.Type().Elem()))
	if !some {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		r.value(key)
		r.value(value)
		v.SetMapIndex(key, value)
	}
}

// countOf reads a count; false for none.
func (r *Reader) countOf(least int) (n int, some bool) {
	n = r.Uint()
	if n == 0 {
		return 0, false
	}
	if n--; n > len(r.s)/max(least, 1) {
		r.Fail()
		return 0, false
	}
	return n, true
}
