package secret

import (
	"bytes"
	"strings"
)

// A token may be broken by Markdown and still be read whole where the page is
// shown: formatters write "_" as "\_", and somebody puts half of it in bold.

// maxBroken is how much of a text one broken token is looked for in, in bytes.
// Texts made of nothing but beginnings are looked at once over, and no more.
const (
	maxBroken   = 512
	spareBroken = 64 << 10 // bytes that a short text may cost beyond its own
)

// broken looks for a token that starts at i and is broken by markup, and returns
// its end; 0 when there is none.
func (s *scan) broken(i int) int {
	text := s.text[i:min(len(s.text), i+maxBroken)]
	if len(s.forms.beginning(text)) == 0 || s.spent > len(s.text)+spareBroken {
		return 0
	}
	var word []byte
	var ends []int // the offset after each byte of word
	for at := 0; at < len(text); {
		c, n := text[at], 1
		if !isTokenRest(c) {
			if c, n = joint(text[at:]); n == 0 {
				break
			}
		}
		at += n
		s.spent += n
		if c != 0 {
			word, ends = append(word, c), append(ends, i+at)
		}
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
// character reference, which stand for the character c, or what is invisible (c
// is 0). n is its length in bytes, 0 when it is something else.
func joint(text []byte) (c byte, n int) {
	switch text[0] {
	case '\\':
		if len(text) > 1 && (text[1] == '_' || text[1] == '-') {
			return text[1], 2
		}
	case '&':
		for _, r := range []struct {
			name string
			c    byte
		}{{"&#95;", '_'}, {"&#x5f;", '_'}, {"&lowbar;", '_'}, {"&#45;", '-'}, {"&#x2d;", '-'}, {"&hyphen;", '-'}} {
			if len(text) >= len(r.name) && strings.EqualFold(string(text[:len(r.name)]), r.name) {
				return r.c, len(r.name)
			}
		}
	case '*':
		for n < len(text) && text[n] == '*' {
			n++
		}
	case '<':
		if bytes.HasPrefix(text, []byte("<!--")) {
			if end := bytes.Index(text, []byte("-->")); end >= 0 {
				n = end + len("-->")
			}
		} else if end := bytes.IndexByte(text, '>'); end > 1 && (isLetter(text[1]) || text[1] == '/') {
			n = end + 1
		}
	default:
		for _, hidden := range []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"} {
			if bytes.HasPrefix(text, []byte(hidden)) {
				return 0, len(hidden)
			}
		}
	}
	return 0, n
}
