package lint

import (
	"strings"
	"unicode/utf8"
)

// The families of instruction-like text (agent-knowledge section 18.3).
const (
	kindOverride = "override"       // ignore all previous instructions
	kindPersona  = "persona"        // you are now, act as the system
	kindPrompt   = "prompt"         // reveal the system prompt
	kindRoleTag  = "role-tag"       // <system>
	kindConceal  = "conceal"        // do not tell the user
	kindFetchRun = "fetch-and-run"  // curl … | sh
	kindHidden   = "hidden-text"    // characters that nobody sees
	kindComment  = "hidden-comment" // any of these in an HTML comment
)

// Injection finds instruction-like text in Markdown or prose: text that might
// make a model take data for orders (agent-knowledge section 18.3). The text is
// one that frontmatter.Decode returned. Hits are in order of their place.
//
// To quote is not to instruct. A hit is weak when it stands in a code span, a
// fence, a block quote or quotation marks; when it is denied ("do not ignore …")
// or reported ("tells the model to ignore …"); and when a phrase is only named
// ("the system prompt"). In an HTML comment, which no reader sees, every hit
// counts in full, and so do invisible characters wherever they stand, except
// where a script or an emoji needs them and for the few that a paste leaves
// behind. Comments that suppress a rule are left out.
//
// The scan helps a reviewer. What keeps text from giving orders is the fence it
// is delivered in, so a writer gains little by hiding behind quotation marks.
func Injection(text []byte) []Hit {
	s := injectionScan{text: text, markdown: true}
	return s.run()
}

// InjectionRaw is Injection for other formats, such as JSON or CSV, where
// quotation marks belong to the format and say nothing about the words in them.
func InjectionRaw(text []byte) []Hit {
	s := injectionScan{text: text}
	return s.run()
}

type injectionScan struct {
	text     []byte
	markdown bool
	source   bool    // suppressions in it count for nothing
	written  []byte  // the text as it stands in the file, in which hits are placed
	folded   *folded // how text was made of it; nil when they are the same
	hits     []Hit
	about    *quoting // made when the first hit asks for it
}

// run walks over the text. Words that can begin a phrase and the few
// characters that can begin something else are looked at, all others passed by.
//
// Where folding the text changes it, the folded one is looked at too: a phrase
// spelled with character references or look-alike letters is one all the same.
func (s *injectionScan) run() []Hit {
	s.written = s.text
	s.phrases()
	s.invisible()
	if s.folded = fold(s.text, !s.markdown); s.folded != nil {
		s.text = s.folded.text
		s.phrases()
	}
	return sortHits(s.hits)
}

// phrases walks over the text for everything but invisible characters.
func (s *injectionScan) phrases() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		switch {
		case isLetter(c):
			end := wordEnd(s.text, i)
			s.phrase(i, end)
			i = end
			continue
		case c == '<':
			s.tag(i)
		case c >= 0x80:
			i = s.pass(i)
			continue
		}
		i++
	}
}

// pass skips a character beyond ASCII, and with a letter the word it begins, so
// that no phrase starts in the middle of a word.
func (s *injectionScan) pass(i int) int {
	if end := wordEnd(s.text, i); end > i {
		return end
	}
	_, size := utf8.DecodeRune(s.text[i:])
	return i + size
}

// add records a hit with what its surroundings make of it.
func (s *injectionScan) add(kind string, start, end int, weak bool) {
	h := Hit{Kind: kind, Start: start, End: end, Shown: shown(s.text[start:end]), Weak: weak}
	if s.folded != nil {
		start, end = s.folded.original(start, end)
		h.Start, h.End = start, end
	}
	if s.markdown {
		if s.about == nil {
			s.about = newQuoting(s.written)
		}
		switch {
		case s.about.hidden(start, end):
			if !s.source && s.suppresses(start) {
				return
			}
			h.Kind, h.Weak = kindComment, false
		case s.about.quoted(start, end):
			h.Weak = true
		}
	}
	s.hits = append(s.hits, h)
}

// suppresses reports whether an offset stands in a comment that suppresses
// this scan: its reason may well name what it is about.
func (s *injectionScan) suppresses(at int) bool {
	c, ok := s.about.comments.find(at)
	if !ok {
		return false
	}
	directive, ok := cutDirective(s.written[c.start:c.end])
	rules, _, _ := strings.Cut(directive, ":")
	return ok && strings.Contains(rules, idInjection)
}

// tag looks at a "<": a role tag or a mark of a chat template.
func (s *injectionScan) tag(i int) {
	rest := s.text[i+1:]
	if len(rest) > 2 && rest[0] == '|' && isLetter(rest[1]) {
		if end := wordEnd(rest, 1); end+1 < len(rest) && rest[end] == '|' && rest[end+1] == '>' {
			s.add(kindRoleTag, i, i+end+3, false)
		}
		return
	}
	n := 0
	if len(rest) > 0 && rest[0] == '/' {
		n = 1
	}
	if n >= len(rest) || !isLetter(rest[n]) {
		return
	}
	end := wordEnd(rest, n)
	switch lower(rest[n:end]) {
	case "system", "assistant", "tool", "knowledge_pack":
	default:
		return
	}
	if end == len(rest) || rest[end] != '>' && rest[end] != '/' && !isBlank(rest[end]) {
		return
	}
	for limit := min(len(rest), end+maxShown); end < limit && rest[end] != '>' && rest[end] != '\n'; end++ {
	}
	if end < len(rest) && rest[end] == '>' {
		end++
	}
	s.add(kindRoleTag, i, i+1+end, false)
}
