package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Object is a JSON object whose members keep their order.
type Object []Member

// Member is one member of an object: its key, a string, and its value.
type Member [2]any

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		value, err := marshal(m[1])
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", m[0], err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", m[0], value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// Get returns the value of a member; nil when there is none.
func (o Object) Get(key string) any {
	for _, m := range o {
		if m[0] == key {
			return m[1]
		}
	}
	return nil
}

// With returns the object with further members at its end; one that exists is replaced.
func (o Object) With(members ...Member) Object {
	out := append(Object{}, o...)
next:
	for _, m := range members {
		for i := range out {
			if out[i][0] == m[0] {
				out[i][1] = m[1]
				continue next
			}
		}
		out = append(out, m)
	}
	return out
}

// Closed is an object with these properties and no others.
func Closed(properties Object, required ...string) Object {
	return Open(properties, required...).With(Member{"additionalProperties", false})
}

// Open is an object with these properties, and others.
func Open(properties Object, required ...string) Object {
	o := Object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		o = append(o, Member{"required", required})
	}
	return o
}

// OrNull is a schema whose value may also be absent after its key.
func OrNull(schema Object) Object {
	if one, ok := schema.Get("type").(string); ok {
		return schema.With(Member{"type", []string{one, "null"}})
	}
	return Object{{"anyOf", []Object{schema, {{"type", "null"}}}}}
}

// Text is a string.
func Text() Object { return Object{{"type", "string"}} }

// Filled is a string with something other than blanks.
func Filled() Object { return Text().With(Member{"pattern", `\S`}) }

// OneOf is one of a list of words.
func OneOf(words ...string) Object { return Object{{"enum", words}} }

// Whole is a whole number that is not below least, and one that every reader of JSON
// reads exactly.
func Whole(least int) Object {
	return Object{{"type", "integer"}, {"minimum", least}, {"maximum", MaxWhole}}
}

// MaxWhole is the greatest of such numbers.
const MaxWhole = 1<<53 - 1

// Flag is true or false.
func Flag() Object { return Object{{"type", "boolean"}} }

// List is a list of such elements.
func List(element Object) Object { return Object{{"type", "array"}, {"items", element}} }

// Some is a list of strings that is not empty, or one string.
func Some(element Object) Object {
	return Object{{"anyOf", []Object{element, List(element).With(Member{"minItems", 1})}}}
}

// Described adds what a property means.
func Described(schema Object, text string) Object {
	return schema.With(Member{"description", text})
}
