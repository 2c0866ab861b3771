package jsonrecord

import (
	"bytes"
	"encoding/json"

	"github.com/packgen/packgen/resolver/loadout"
)

// Raw is JSON as it is: what the kernel appends, lone surrogates included.
type Raw = json.RawMessage

// Number is a number as JavaScript prints it: null for one that JSON cannot say.
func Number(n float64) Raw { return loadout.AppendNumber(nil, n) }

// Marshal returns a struct with tags as compact JSON. Raw fields are kept as they are. It
// is for records of texts, integers, booleans and Raw, which cannot fail: anything else
// that cannot be said is null.
func Marshal(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
