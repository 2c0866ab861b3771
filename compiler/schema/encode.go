package schema

import (
	"bytes"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
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
	var out bytes.Buffer
	err := Write(&out, v)
	return out.Bytes(), err
}

// Compact is Encode on one line and without a line feed at its end, for text that
// becomes a part of other JSON: U+2028 and U+2029 are written as they are.
func Compact(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
}

// Write is Encode for a record too large to hold as text: it goes to w in
// pieces. An error of w ends it and is returned as it is.
func Write(w io.Writer, v any) error {
	to := &sink{w: w}
	err := json.MarshalWrite(to, v, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.EscapeForJS(true),
		jsontext.AllowInvalidUTF8(true), json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
	if to.err == nil && err == nil {
		_, _ = to.Write([]byte("\n"))
	}
	if to.err == nil && err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	return to.err
}

// sink keeps the error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.w.Write(p)
	return n, s.err
}
