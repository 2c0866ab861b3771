package json

import (
	"strconv"

	"github.com/packgen/packgen/resolver/loadout"
)

// Object writes a compact JSON object, its keys in the order in which they are set. The
// zero value is empty. It keeps lone surrogates, and programs that use it start faster
// than with encoding/json.
type Object struct{ text []byte }

// Value sets a key to a value that is JSON already.
func (o *Object) Value(key string, value []byte) *Object {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	}
	o.text = append(loadout.AppendKey(o.text, key), value...)
	return o
}

// Text sets a key to a text.
func (o *Object) Text(key, value string) *Object {
	return o.Value(key, loadout.AppendString(nil, value))
}

// Number sets a key to a number, null for one that JSON cannot say.
func (o *Object) Number(key string, value float64) *Object {
	return o.Value(key, loadout.AppendNumber(nil, value))
}

// Bool sets a key to true or false.
func (o *Object) Bool(key string, value bool) *Object {
	return o.Value(key, strconv.AppendBool(nil, value))
}

// JSON returns the object.
func (o *Object) JSON() []byte {
	if len(o.text) == 0 {
		return []byte("{}")
	}
	return append(o.text, '}')
}

// List returns a compact JSON array of what item appends for each element.
func List[T any](list []T, item func(dst []byte, element T) []byte) []byte {
	out := []byte{'['}
	for i, element := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = item(out, element)
	}
	return append(out, ']')
}

// Strings returns texts as a compact JSON array.
func Strings(list []string) []byte { return List(list, loadout.AppendString) }
