package json

import "github.com/packgen/packgen/resolver/loadout"

// Indent appends a value in the pretty form: two spaces a level, ": " after a
// key, empty arrays and objects as [] and {}. It adds no final line feed.
func Indent(dst []byte, v loadout.Value) []byte { return indent(dst, string(v), 0) }

// indent is Indent for a value that is depth levels down.
func indent[T string | []byte](dst []byte, s T, depth int) []byte {
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
func literalEnd[T string | []byte](s T, i int) int {
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
