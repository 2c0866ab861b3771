package loadout

import (
	"math"
	"strconv"

	"github.com/packgen/packgen/compiler/token"
)

// Value is one JSON value as compact text in the form JavaScript prints
// (loadout section 3.6): no spaces, each key once, keys in insertion order
// with integer-like keys first, numbers as shortest digits. The empty Value is
// a missing one. indexjson.Parse makes Values from any JSON text; the methods
// here expect that form and give harmless nonsense, never a panic, on other text.
type Value string

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds of a Value. Missing is the kind of an absent key.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Kind infers the type from the first character.
func (v Value) Kind() Kind {
	if v == "" {
		return Missing
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	}
	return Number
}

// Str returns the decoded text of a string (WTF-8), and whether it is one.
func (v Value) Str() (s string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	return unquote(string(v)), true
}

// Num returns a number, and whether the value is one.
func (v Value) Num() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if f, ok = parseNumber(string(v)); !ok {
		return 0, false
	}
	return f, true
}

// Falsy reports whether JavaScript treats the value as false: missing, null,
// false, 0 and the empty string (loadout section 3.7).
func (v Value) Falsy() bool {
	switch v {
	case "", "null", "false", "0", "-0", `""`:
		return true
	}
	return false
}

// Text converts the value to text the way JavaScript does inside a message
// (loadout section 3.7).
func (v Value) Text() string {
	switch v.Kind() {
	case String:
		return unquote(string(v))
	case Array:
		if text := appendConverted(nil, v); len(text) > 0 {
			return string(text[1:])
		}
		return ""
	case Missing:
		return "undefined"
	case Object:
		return "[object Object]"
	}
	return string(v)
}

// appendConverted appends the elements of an array converted to text, each with
// a comma before it; null is empty and nesting flattens.
func appendConverted(dst []byte, list Value) []byte {
	list.Items(func(item Value) bool {
		dst = append(dst, ',')
		if item.Kind() != Null {
			dst = append(dst, item.Text()...)
		}
		return true
	})
	return dst
}

// toNumber converts the value the way JavaScript arithmetic does; NaN where it
// is not a number by any reading.
func (v Value) toNumber() float64 {
	switch v.Kind() {
	case Number:
		f, _ := v.Num()
		return f
	case Null:
		return 0
	case Bool:
		if v == "true" {
			return 1
		}
		return 0
	case String, Array:
		return textToNumber(v.Text())
	}
	return math.NaN()
}

// textToNumber reads a decimal number, as JavaScript does when it calculates
// with text; NaN where there is none.
func textToNumber(text string) float64 {
	text = trim(text)
	if text == "" {
		return 0
	}
	for i := range len(text) {
		// The parser of Go reads more than JavaScript does: inf, 1_0, 0x1p3.
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return math.NaN()
		}
	}
	f, ok := parseNumber(text)
	if !ok {
		return math.NaN()
	}
	return f
}

// length returns what JavaScript calls the length of a value: the UTF-16 units
// of a string, the elements of an array, an object's own key of that name.
func (v Value) length() Value {
	n := 0
	switch v.Kind() {
	case String:
		n = token.Units(unquote(string(v)))
	case Array:
		v.Items(func(Value) bool { n++; return true })
	default:
		return v.Get("length")
	}
	return Value(strconv.Itoa(n))
}

// Get returns the value of a key of an object, the missing Value when there is none.
func (v Value) Get(key string) Value {
	var found Value
	v.Members(func(k string, member Value) bool {
		if k == key {
			found = member
			return false
		}
		return true
	})
	return found
}

// Members calls yield for each member of an object in order, with the decoded
// key, until it returns false. Other values have no members.
func (v Value) Members(yield func(key string, member Value) bool) {
	if v.Kind() != Object {
		return
	}
	s := string(v)
	for i := 1; i < len(s) && s[i] == '"'; {
		end := skipString(s, i)
		key := unquote(s[i:end])
		if end >= len(s) || s[end] != ':' {
			return
		}
		start := end + 1
		end = skipValue(s, start)
		if !yield(key, Value(s[start:end])) || end >= len(s) || s[end] != ',' {
			return
		}
		i = end + 1
	}
}

// Items calls yield for each element of an array in order until it returns
// false. Other values have no elements.
func (v Value) Items(yield func(item Value) bool) {
	if v.Kind() != Array {
		return
	}
	s := string(v)
	for i := 1; i < len(s) && s[i] != ']'; {
		end := skipValue(s, i)
		if !yield(Value(s[i:end])) || end >= len(s) || s[end] != ',' {
			return
		}
		i = end + 1
	}
}

// skipString returns the offset after the string literal that starts at i.
func skipString(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// skipValue returns the offset after the value that starts at i.
func skipValue(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return skipString(s, i)
	case '{', '[':
		return skipNested(s, i)
	}
	for i < len(s) && s[i] != ',' && s[i] != ']' && s[i] != '}' {
		i++
	}
	return i
}

// skipNested returns the offset after the array or object that starts at i.
func skipNested(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}
