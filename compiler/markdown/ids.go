package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxStem is the longest section id, in bytes, that is its own file stem.
	maxStem = 80
	// stemPrefix is how many bytes of a longer id its stem keeps at most.
	stemPrefix = 71
)

// Slug applies the id rule of agent-knowledge section 6.3 to a heading text or
// an explicit id: NFC, lower case character by character, white space as "-",
// and of the rest only letters, marks, numbers, "-" and "_". An empty result
// is "section".
func Slug(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFC.String(text) {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
			b.WriteRune(unicode.ToLower(r))
		case unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r):
			b.WriteRune(unicode.ToLower(r))
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// Stem returns the file stem of a section id (agent-knowledge section 6.3): the
// id itself, or when it is longer than 80 bytes its first characters, at most 71
// bytes, with "-" and 8 hex digits of its SHA-256.
func Stem(id string) string {
	if len(id) <= maxStem {
		return id
	}
	cut := stemPrefix
	for cut > 0 && !utf8.RuneStart(id[cut]) {
		cut--
	}
	sum := sha256.Sum256([]byte(id))
	return id[:cut] + "-" + hex.EncodeToString(sum[:4])
}

// IDs gives section ids, each once (agent-knowledge section 6.3). It is not
// safe for concurrent use.
type IDs struct {
	used map[string]bool
	next map[string]int // the first number that may be free, by id
}

// newIDs returns an allocator with no id in use.
func newIDs() *IDs { return &IDs{used: map[string]bool{}, next: map[string]int{}} }

// Take returns id, or the first free of id-1, id-2, … when it is in use, and
// marks what it returns as used.
func (s *IDs) Take(id string) string {
	if !s.used[id] {
		s.used[id] = true
		return id
	}
	for n := max(1, s.next[id]); ; n++ {
		if numbered := id + "-" + strconv.Itoa(n); !s.used[numbered] {
			s.used[numbered] = true
			s.next[id] = n + 1
			return numbered
		}
	}
}

// Has reports an id that is in use.
func (s *IDs) Has(id string) bool { return s.used[id] }

// IDs returns a new allocator in which every heading id of the document is in
// use, for the ids "overview" and "<section>--<sub>" that come after them.
func (d *Document) IDs() *IDs {
	ids := newIDs()
	for _, h := range d.Headings {
		ids.used[h.ID] = true
	}
	return ids
}
