package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Encode writes a record as JSON in the form of agent-knowledge section 6.12:
// two-space indent, fields in table order (the order of the struct), one final
// LF, "[]" for an empty or nil array, and in strings only the quote, the
// backslash, control characters, U+2028 and U+2029 escaped. Bytes that are not
// UTF-8 become U+FFFD.
//
// It takes structs with json tags, slices, pointers, maps with string keys
// (written in key order), strings, booleans, integers and finite floats, and
// gives an error for anything else.
func Encode(v any) ([]byte, error) {
	// Measured first, the text takes no more room than it needs.
	var size length
	if err := Write(&size, v); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	err := Write(out, v)
	return out.Bytes(), err
}

// length counts the bytes written to it.
type length int

func (n *length) Write(data []byte) (int, error) {
	*n += length(len(data))
	return len(data), nil
}

// Write is Encode for a record too large to hold as text: it goes to w in
// pieces. An error of w ends it and is returned as it is.
func Write(w io.Writer, v any) error {
	e := encoder{sink: w, out: make([]byte, 0, pieceSize)}
	err := e.value(reflect.ValueOf(v), 0)
	e.out = append(e.out, '\n')
	e.flush()
	if err != nil && e.err == nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	return e.err
}

// pieceSize is how many bytes of a record are collected before they are handed
// on.
const pieceSize = 32 << 10

type encoder struct {
	sink io.Writer
	out  []byte // not yet handed on
	err  error  // of the sink; it ends the work
}

// flush hands on what was collected.
func (e *encoder) flush() {
	if e.err == nil {
		_, e.err = e.sink.Write(e.out)
	}
	e.out = e.out[:0]
}

func (e *encoder) value(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Invalid:
		e.out = append(e.out, "null"...)
	case reflect.Pointer, reflect.Interface:
		return e.value(v.Elem(), depth)
	case reflect.String:
		e.out = appendString(e.out, v.String())
	case reflect.Bool:
		e.out = strconv.AppendBool(e.out, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.out = strconv.AppendInt(e.out, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.out = strconv.AppendUint(e.out, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		number, err := json.Marshal(v.Interface())
		if err != nil {
			return err
		}
		e.out = append(e.out, number...)
	case reflect.Slice, reflect.Array:
		return e.array(v, depth)
	case reflect.Map:
		return e.object(v, depth)
	case reflect.Struct:
		return e.record(v, depth)
	default:
		return fmt.Errorf("no JSON form for %s", v.Type())
	}
	return nil
}

// newline starts a line at that depth.
func (e *encoder) newline(depth int) {
	if len(e.out) >= pieceSize {
		e.flush()
	}
	e.out = append(e.out, '\n')
	for range depth {
		e.out = append(e.out, "  "...)
	}
}

func (e *encoder) array(v reflect.Value, depth int) error {
	e.out = append(e.out, '[')
	for i := range v.Len() {
		e.separate(i)
		e.newline(depth + 1)
		if err := e.value(v.Index(i), depth+1); err != nil {
			return err
		}
	}
	return e.close(']', v.Len(), depth)
}

func (e *encoder) object(v reflect.Value, depth int) error {
	if v.Type().Key().Kind() != reflect.String {
		return fmt.Errorf("no JSON form for %s", v.Type())
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	e.out = append(e.out, '{')
	for i, k := range keys {
		if err := e.member(i, k.String(), v.MapIndex(k), depth); err != nil {
			return err
		}
	}
	return e.close('}', len(keys), depth)
}

func (e *encoder) record(v reflect.Value, depth int) error {
	e.out = append(e.out, '{')
	n := 0
	for _, f := range fieldsOf(v.Type()).list {
		value := v.Field(f.index)
		if f.omitEmpty && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0) {
			continue
		}
		if err := e.member(n, f.name, value, depth); err != nil {
			return err
		}
		n++
	}
	return e.close('}', n, depth)
}

func (e *encoder) separate(i int) {
	if i > 0 {
		e.out = append(e.out, ',')
	}
}

func (e *encoder) member(i int, name string, v reflect.Value, depth int) error {
	e.separate(i)
	e.newline(depth + 1)
	e.out = appendString(e.out, name)
	e.out = append(e.out, ": "...)
	if err := e.value(v, depth+1); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return e.err
}

// close ends an array or object of n elements; an empty one stays on its line.
func (e *encoder) close(end byte, n, depth int) error {
	if n > 0 {
		e.newline(depth)
	}
	e.out = append(e.out, end)
	return nil
}

// appendString appends a JSON string.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	from := 0
	for i := 0; i < len(s); {
		if plainByte(s[i]) {
			i++
			continue
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if escape := escapeOf(r, size); escape != "" {
			out = append(out, s[from:i]...)
			out = append(out, escape...)
			from = i + size
		}
		i += size
	}
	out = append(out, s[from:]...)
	return append(out, '"')
}

// plainByte reports an ASCII character that stands for itself inside a string.
func plainByte(c byte) bool {
	return c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\'
}

// escapeOf returns how a character is written inside a string, "" for itself.
func escapeOf(r rune, size int) string {
	switch {
	case r == '"':
		return `\"`
	case r == '\\':
		return `\\`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r == '\b':
		return `\b`
	case r == '\f':
		return `\f`
	case r < 0x20:
		return fmt.Sprintf(`\u%04x`, r)
	case r == '\u2028':
		return `\u2028`
	case r == '\u2029':
		return `\u2029`
	case r == utf8.RuneError && size == 1:
		return "\uFFFD"
	}
	return ""
}
