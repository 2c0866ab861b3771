package context

import (
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/token"
)

// unitsPerToken is how many UTF-16 units of text one token pays for.
const unitsPerToken = 4

// maxReserved is how many files taken as boundaries alone are reserved before
// the files that answer the query. A pack has a few such files; where a manual
// has a section on the limits of everything, they must not displace the answer.
const maxReserved = 4

// turns orders picks for the budget: boundaries first (turn 0), then the rest
// (1), then boundaries beyond maxReserved (2).
func turns(picks []pick) []int {
	list := make([]int, len(picks))
	reserved := 0
	for i, p := range picks {
		switch {
		case !p.boundary:
			list[i] = 1
		case p.reason != reasonBoundary:
		case reserved < maxReserved:
			reserved++
		default:
			list[i] = 2
		}
	}
	return list
}

// fit takes picks into a budget of tokens (agent-knowledge section 13.8): whole,
// in selection order, boundaries reserved first. What does not fit is left out
// with a note; when nothing fits, the first file is cut.
func fit(picks []pick, budget int) (files []File, kept []pick, notes []Warning) {
	if len(picks) == 0 {
		return nil, nil, nil
	}
	fits := make([]bool, len(picks))
	left := budget
	turnOf := turns(picks)
	for turn := range 3 {
		for i, p := range picks {
			if turnOf[i] != turn {
				continue
			}
			if tokens := token.Estimate(p.text); tokens <= left {
				left -= tokens
				fits[i] = true
			}
		}
	}
	for i, p := range picks {
		if fits[i] {
			files, kept = append(files, fileOf(p, p.text)), append(kept, p)
		} else {
			notes = append(notes, Warning{"info", p.path, "Skipped: does not fit the token budget."})
		}
	}
	if len(files) > 0 {
		return files, kept, notes
	}
	text := cutText(picks[0].text, budget)
	if strings.TrimSpace(text) == "" {
		return nil, nil, notes
	}
	notes[0] = Warning{"warning", picks[0].path, "Cut to fit the token budget."}
	return []File{fileOf(picks[0], text)}, picks[:1], notes
}

func fileOf(p pick, text string) File {
	return File{Path: p.path, Document: p.document, Section: p.section, Title: p.title, Text: text, Tokens: token.Estimate(text), InsteadOf: p.insteadOf}
}

// cutText returns the start of a text that a budget of tokens pays for, up to
// the last blank line in it, else to the last whole character.
func cutText(text string, budget int) string {
	units, end, paragraph := 0, 0, 0
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		units++
		if r > 0xFFFF {
			units++
		}
		if units > budget*unitsPerToken {
			break
		}
		end += size
		if r == '\n' && blankLineAt(text, end) {
			paragraph = end
		}
	}
	if end == len(text) {
		return text
	}
	if strings.TrimSpace(text[:paragraph]) != "" {
		return text[:paragraph]
	}
	return text[:end]
}

// blankLineAt reports whether a line of blanks starts at an offset.
func blankLineAt(text string, at int) bool {
	rest := strings.TrimLeft(text[at:], " \t")
	return strings.HasPrefix(rest, "\n")
}

// shares deals the budget out over packs in wrapper order (section 13.8): half
// for each group when persona and data packs are both active, equal parts inside
// a group, what is not used passed on.
type shares struct {
	persona, data int // packs of each group still to come
	left          int // tokens
	reserve       int // tokens kept for the data packs while personas are served
}

func newShares(budget, persona, data int) *shares {
	s := &shares{persona: persona, data: data, left: budget}
	if persona > 0 && data > 0 {
		s.reserve = budget - budget/2
	}
	return s
}

// next is the share of the next pack.
func (s *shares) next() int {
	if s.persona > 0 {
		s.persona--
		return (s.left - s.reserve) / (s.persona + 1)
	}
	s.data--
	return s.left / (s.data + 1)
}

// spend takes what a pack has used.
func (s *shares) spend(tokens int) { s.left -= tokens }
