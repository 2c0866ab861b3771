package secret

import (
	"bytes"
	"html"
	"unicode"
	"unicode/utf8"
)

// A token may be broken by Markdown and still be read whole where the page is
// shown: formatters write "_" as "\_", and somebody puts half of it in bold.

// maxBroken is how much of a text one broken token is looked for in, in bytes.
// Texts made of nothing but beginnings are looked at once over, and no more.
const (
	maxBroken   = 4096
	spareBroken = 64 << 10 // bytes that a short text may cost beyond its own
)

// broken looks for a token that starts at i and is broken by markup, and returns
// its end; 0 when there is none.
func (s *scan) broken(i int) int {
	if s.spent > len(s.text)+spareBroken {
		return 0
	}
	text := s.text[i:min(len(s.text), i+maxBroken)]
	var word []byte
	var ends []int // the offset after each byte of word
	for at := 0; at < len(text) && len(word) < maxToken; {
		c, n := text[at], 1
		if !isTokenRest(c) {
			if c, n = joint(text[at:]); n == 0 {
				break
			}
		}
		at += n
		if c != 0 {
			word, ends = append(word, c), append(ends, i+at)
		}
		if len(word) == 2 && len(s.forms.beginning(word)) == 0 {
			return 0
		}
		s.spent += n
	}
	if len(word) < 2 {
		return 0
	}
	whole := scan{text: word, forms: s.forms}
	whole.form(0, false)
	if len(whole.hits) == 0 {
		return 0
	}
	h := whole.hits[0]
	s.hits = append(s.hits, Hit{Kind: h.Kind, Known: h.Known, Start: i, End: ends[h.End-1], Shown: h.Shown})
	return ends[h.End-1]
}

// joint looks at markup between two characters of a token: an escape or a
// character reference, which stand for the character c, or what is invisible or part of a
// link (c is 0). n is its length in bytes, 0 when it is something else.
func joint(text []byte) (c byte, n int) {
	switch text[0] {
	case '\\':
		if len(text) > 1 && (text[1] == '_' || text[1] == '-') {
			return text[1], 2
		}
	case '&':
		return referred(text)
	case '*', '`':
		for n < len(text) && text[n] == text[0] {
			n++
		}
	case '~':
		if bytes.HasPrefix(text, []byte("~~")) {
			return 0, 2
		}
	case '[':
		if bytes.HasPrefix(text, []byte("[[")) {
			if bar := bytes.IndexAny(text[2:], "|[]\n"); bar >= 0 && text[2+bar] == '|' {
				return 0, 2 + bar + 1 // what a wiki link leads to
			}
		}
		return 0, 1
	case ']':
		return 0, 1 + linked(text[1:])
	case '<':
		if bytes.HasPrefix(text, []byte("<!--")) {
			if end := bytes.Index(text[:min(len(text), maxTag)], []byte("-->")); end >= 0 {
				n = end + len("-->")
			}
		} else if end := bytes.IndexByte(text[:min(len(text), maxTag)], '>'); end > 1 && (isLetter(text[1]) || text[1] == '/') {
			n = end + 1
		}
	default:
		r, size := utf8.DecodeRune(text)
		if unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me) {
			return 0, size
		}
	}
	return 0, n
}

// linked returns the length of the destination or label that follows the text of a link; 0
// when none does.
func linked(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	end := 0
	switch text[0] {
	case '(':
		end = bytes.IndexAny(text, ")\n")
	case '[':
		if !bytes.HasPrefix(text, []byte("[[")) {
			end = bytes.IndexAny(text, "]\n")
		}
	}
	if end <= 0 || text[end] == '\n' {
		return 0
	}
	return end + 1
}

// maxReference is the longest character reference of a character of a token, in bytes.
const maxReference = 16

// referred returns the character of a token that a character reference names; n is 0
// where there is none.
func referred(text []byte) (c byte, n int) {
	end := bytes.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 2 {
		return 0, 0
	}
	decoded := html.UnescapeString(string(bytes.ToLower(text[:3])) + string(text[3:end+1]))
	if decoded == "\u2010" {
		decoded = "-" // what &hyphen; is
	}
	r, size := utf8.DecodeRuneInString(decoded)
	switch {
	case size != len(decoded):
		return 0, 0
	case r < utf8.RuneSelf && isTokenRest(byte(r)):
		return byte(r), end + 1
	case unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me):
		return 0, end + 1
	}
	return 0, 0
}

// maxTag is how many bytes of a tag or comment are looked through for its end: each of many
// that begin and do not end would be looked through to the end of the page.
const maxTag = 4 << 10
