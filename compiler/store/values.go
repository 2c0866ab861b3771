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
)

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
