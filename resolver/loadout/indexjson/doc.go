// Package indexjson reads and writes the JSON files of the loadout format
// (loadout section 3.6). Its reader keeps what a JavaScript program would keep:
// the order of keys, unknown keys, lone surrogates. It is native only; the
// browser reads the prebuilt binary of package loadout.
//
// Limits: a text of at most 64 MiB, nested at most 64 deep, an index of at most
// 1,000,000 entries. An error names line and column.
package indexjson

import (
	"github.com/packgen/packgen/resolver/loadout"
)

const (
	// MaxSize is the longest text that is read, in bytes.
	MaxSize = 64 << 20 // 64 MiB
	// MaxDepth is how deep arrays and objects may nest.
	MaxDepth = 64
	// MaxEntries is how many entries an index may have.
	MaxEntries = 1_000_000
)

// Read reads an index. Text that is not JSON, or beyond a limit, is a
// *SyntaxError; JSON that is not an index is returned as it is, and its Check
// method tells.
func Read(data []byte) (*loadout.Index, error) {
	v, err := Parse(data)
	if err != nil {
		return nil, err
	}
	if n := countEntries(v); n > MaxEntries {
		return nil, &SyntaxError{Line: 1, Column: 1, Problem: "more than 1,000,000 entries"}
	}
	return loadout.DecodeIndex(v), nil
}

func countEntries(v loadout.Value) int {
	n := 0
	v.Get("entries").Items(func(loadout.Value) bool {
		n++
		return n <= MaxEntries
	})
	return n
}

// Write returns the index as the text of an index.json file: two-space
// indentation, the key order of loadout section 2, a final line feed.
func Write(ix *loadout.Index) []byte {
	return append(Indent(nil, loadout.Value(loadout.AppendIndex(nil, ix))), '\n')
}

// Indent appends a value in the pretty form: two spaces a level, ": " after a
// key, empty arrays and objects as [] and {}. It adds no final line feed.
func Indent(dst []byte, v loadout.Value) []byte {
	s := string(v)
	depth := 0
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '"':
			end := literalEnd(s, i)
			dst = append(dst, s[i:end]...)
			i = end
			continue
		case '{', '[':
			if i+1 < len(s) && s[i+1] == c+2 { // ']' and '}' follow their opener by two
				dst = append(dst, c, c+2)
				i += 2
				continue
			}
			depth++
			dst = newline(append(dst, c), depth)
		case '}', ']':
			depth--
			dst = append(newline(dst, depth), c)
		case ',':
			dst = newline(append(dst, c), depth)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

func newline(dst []byte, depth int) []byte {
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, "  "...)
	}
	return dst
}

// literalEnd returns the offset after the string literal that starts at i.
func literalEnd(s string, i int) int {
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
