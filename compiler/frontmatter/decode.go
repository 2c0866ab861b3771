package frontmatter

import (
	"bytes"
	"unicode/utf8"
)

// bom is the UTF-8 byte-order mark.
var bom = []byte("\xef\xbb\xbf")

// Decode turns a file's bytes into text: UTF-8 without a byte-order mark, with
// LF line ends (agent-knowledge section 6.3 rule 1). ok is false when the bytes
// are not UTF-8 or hold a NUL. A file that is already in that form is returned
// as it is, not copied.
func Decode(file []byte) (text []byte, ok bool) {
	if !utf8.Valid(file) || bytes.IndexByte(file, 0) >= 0 {
		return nil, false
	}
	text = bytes.TrimPrefix(file, bom)
	first := bytes.IndexByte(text, '\r')
	if first < 0 {
		return text, true
	}
	out := make([]byte, first, len(text))
	copy(out, text)
	for i := first; i < len(text); i++ {
		if text[i] != '\r' {
			out = append(out, text[i])
			continue
		}
		out = append(out, '\n')
		if i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
	}
	return out, true
}
