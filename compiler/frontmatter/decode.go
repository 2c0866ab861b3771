package frontmatter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
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

// Undecodable says what keeps a file from being text, as Decode reads it, and where: the
// 1-based line and column of the first byte that is not UTF-8, or of the first NUL.
func Undecodable(file []byte) (line, column int, message string) {
	at := bytes.IndexByte(file, 0)
	message = "the file holds a NUL byte, so it is not text"
	for i := 0; i < len(file) && (at < 0 || i < at); {
		r, size := utf8.DecodeRune(file[i:])
		if r == utf8.RuneError && size == 1 {
			at, message = i, fmt.Sprintf("the byte 0x%02X is not UTF-8", file[i])
		}
		i += size
	}
	if bytes.HasPrefix(file, []byte("\xff\xfe")) || bytes.HasPrefix(file, []byte("\xfe\xff")) {
		return 1, 1, "the file is UTF-16, not UTF-8"
	}
	at = max(at, 0)
	before := file[:at]
	line = 1 + bytes.Count(before, []byte("\n")) + bytes.Count(before, []byte("\r")) - bytes.Count(before, []byte("\r\n"))
	return line, at - bytes.LastIndexAny(before, "\r\n"), message
}

// Legible turns a file's bytes into text as far as that goes, for scans: what
// Decode reads, UTF-16 with a byte-order mark, and other files without a NUL, in
// which "?" stands for each byte that is not UTF-8. So a token in a text of an
// older encoding is found too. ok is false for pictures and the like.
func Legible(file []byte) (text []byte, ok bool) {
	if text, ok = Decode(file); ok {
		return text, true
	}
	if wide, ok := fromUTF16(file); ok {
		return Decode(wide)
	}
	if bytes.IndexByte(file, 0) >= 0 {
		return nil, false
	}
	text = bytes.Clone(file)
	for i := 0; i < len(text); {
		if c, n := utf8.DecodeRune(text[i:]); c != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		text[i] = '?'
		i++
	}
	return Decode(text)
}

// fromUTF16 decodes a file that starts with a byte-order mark of UTF-16; half a
// unit at the end is left out.
func fromUTF16(file []byte) (text []byte, ok bool) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(file, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(file, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return nil, false
	}
	units := make([]uint16, 0, len(file)/2)
	for rest := file[2:]; len(rest) >= 2; rest = rest[2:] {
		units = append(units, order.Uint16(rest))
	}
	for _, c := range utf16.Decode(units) {
		text = utf8.AppendRune(text, c)
	}
	return text, true
}
