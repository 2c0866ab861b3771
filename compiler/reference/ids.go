package reference

import (
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
)

// IDs are the places on a page that links may point at.
type IDs struct {
	ids   map[string]bool
	loose map[string]string   // the id by its loose form
	bare  map[string][]string // the loose forms by their letters and digits alone
}

// NewIDs returns the ids of a page.
func NewIDs(lists ...[]string) *IDs {
	s := &IDs{ids: map[string]bool{}, loose: map[string]string{}, bare: map[string][]string{}}
	for _, list := range lists {
		for _, id := range list {
			s.ids[id] = true
			if key := loose(id); s.loose[key] == "" {
				s.loose[key] = id
				if letters := strings.ReplaceAll(key, "-", ""); letters != "" && len(s.bare[letters]) < maxAlike {
					s.bare[letters] = append(s.bare[letters], key)
				}
			}
		}
	}
	return s
}

// Find returns the id that a fragment means: as written, in lower case, by the id
// rule of agent-knowledge section 6.3, or as another system would have made it of the
// same heading. Found without an id is a place that every page has, or that only a
// viewer of the source knows.
func (s *IDs) Find(fragment string) (id string, ok bool) {
	if strings.HasPrefix(fragment, "fn:") || strings.HasPrefix(fragment, "fnref:") {
		return "", true // a footnote, as MkDocs names it
	}
	if fragment == "" || fragment == "top" || strings.HasPrefix(fragment, ":~:") {
		return "", true
	}
	if strings.HasPrefix(fragment, "^") { // Obsidian: a block; the whole page when it is not known
		if s.ids[fragment] {
			id = fragment
		}
		return id, true
	}
	if i := strings.LastIndexByte(fragment, '#'); i >= 0 { // Obsidian: a heading below a heading
		fragment = fragment[i+1:]
	}
	if id, ok = s.heading(fragment); ok {
		return id, true
	}
	if own, isOwn := strings.CutPrefix(fragment, "user-content-"); isOwn && own != "" { // as in the HTML of GitHub
		return s.heading(own)
	}
	return "", isLines(fragment)
}

// heading returns the id that a fragment means, as written or as another system makes it.
func (s *IDs) heading(fragment string) (id string, ok bool) {
	for _, id := range []string{fragment, strings.ToLower(fragment), markdown.Slug(fragment)} {
		if s.ids[id] {
			return id, true
		}
	}
	asked := loose(markdown.Slug(fragment))
	if id, ok = s.loose[asked]; ok {
		return id, true
	}
	// Obsidian writes a blank where a heading has a sign, which an id leaves out:
	// [[#TCP IP Model]] for "TCP/IP Model", whose id is tcpip-model.
	for _, key := range s.bare[strings.ReplaceAll(asked, "-", "")] {
		if partsOf(key, asked) {
			return s.loose[key], true
		}
	}
	return "", false
}

// maxAlike is how many ids of a page with the same letters and digits are told apart by
// where their words end.
const maxAlike = 8

// partsOf reports whether an id is a fragment without some of its dashes; both have the
// same letters and digits.
func partsOf(id, fragment string) bool {
	at := 0
	for i := range len(fragment) {
		switch {
		case at < len(id) && id[at] == fragment[i]:
			at++
		case fragment[i] != '-':
			return false // a dash of the id
		}
	}
	return at == len(id)
}

// isLines reports lines of a file as GitHub names them, L10, L10-L20 or L10C1-L12C5: the
// whole page here.
func isLines(fragment string) bool {
	from, to, ranged := strings.Cut(fragment, "-")
	return isLine(from) && (!ranged || isLine(to))
}

func isLine(s string) bool {
	number, ok := strings.CutPrefix(s, "L")
	line, column, within := strings.Cut(number, "C")
	return ok && isNumber(line) && (!within || isNumber(column))
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// loose is the form of an id in which the systems agree: letters and digits alone,
// with one dash for all between them.
func loose(id string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(id) {
		if r == '-' || r == '_' || r == '.' || r == ':' {
			dash = b.Len() > 0
			continue
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
