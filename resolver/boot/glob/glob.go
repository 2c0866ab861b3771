package glob

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits on one glob.
const (
	maxBytes        = 4096 // bytes of its text
	maxAlternatives = 256  // plain globs that its braces and brackets may stand for
)

// Pattern is a compiled glob. The zero value matches nothing.
//
// A glob is compiled once into plain alternatives, each a list of path segments.
// Braces are expanded here, because they may hold slashes
// and because names that start with a dot are judged segment by segment; what is
// left inside a segment (* ? [class] \x) is matched by doublestar.
type Pattern struct {
	text string
	alts []alternative
}

// alternative is one glob without braces, as a list of segments.
type alternative []segment

// segment matches one name of a path, or with deep set any number of names.
type segment struct {
	deep     bool     // the whole segment is **
	dot      bool     // starts with a literal dot, so it may match a hidden name
	literal  string   // the one name it matches, when patterns is empty
	patterns []string // doublestar patterns, any of which may match
	wild     bool     // more than one * in a pattern, so that matching may backtrack
}

// match reports whether the segment matches one name of a path.
func (s *segment) match(name string) bool {
	if !s.dot && strings.HasPrefix(name, ".") {
		return false
	}
	if len(s.patterns) == 0 {
		return s.literal == name
	}
	return slices.ContainsFunc(s.patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, name) })
}

// Fault says what is wrong with a glob. The text of the glob is for the caller to
// quote: it may hold anything.
type Fault struct {
	Class string // the character class that is meant, as written; "" for the glob as a whole
	Text  string // what is wrong with it
}

// Compile reads a glob; the fault is nil when it is sound. One that can match no
// file (absolute, or ending in a slash) is.
//
// Allowance is what compiling may still cost, in parts and bytes of pattern made,
// and [Allowance] at first; it is shared by the globs of one file, since braces
// and brackets multiply.
func Compile(text string, allowance *int) (Pattern, *Fault) {
	switch {
	case text == "":
		return Pattern{}, &Fault{Text: "it is empty"}
	case len(text) > maxBytes:
		return Pattern{}, &Fault{Text: fmt.Sprintf("it is longer than %d bytes", maxBytes)}
	}
	s := &scanner{text: text}
	parts, fault := s.sequence(0)
	if fault != "" {
		return Pattern{}, &Fault{s.malformed, fault}
	}
	flat, fault := expand(parts, allowance)
	if fault != "" {
		return Pattern{}, &Fault{Text: fault}
	}
	p := Pattern{text: text}
	for _, parts := range flat {
		alt, fault := segments(parts, allowance)
		if fault != "" {
			return Pattern{}, &Fault{Text: fault}
		}
		if len(alt) > 0 {
			p.alts = append(p.alts, alt)
		}
	}
	return p, nil
}

// part is one element of a glob.
type part struct {
	kind partKind
	text string   // of a literal: the text without escapes; of a class: as written, with its brackets
	alts [][]part // of braces
}

type partKind uint8

const (
	literalPart partKind = iota
	slashPart
	starPart
	anyPart
	classPart
	bracesPart
)

// scanner cuts a glob into parts.
type scanner struct {
	text      string
	at        int
	malformed string // the class at fault
}

// maxBraceDepth bounds how deep braces may be inside each other.
const maxBraceDepth = 32

// sequence scans up to the end, or inside braces up to the comma or closing
// brace that ends the alternative.
func (s *scanner) sequence(depth int) (parts []part, fault string) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case depth > 0 && (c == ',' || c == '}'):
			return parts, ""
		case c == '/':
			parts = append(parts, part{kind: slashPart})
			s.at++
		case c == '*':
			if len(parts) == 0 || parts[len(parts)-1].kind != starPart {
				parts = append(parts, part{kind: starPart})
			} else {
				parts[len(parts)-1].text += "*" // counts the stars: exactly two make **
			}
			s.at++
		case c == '?':
			parts = append(parts, part{kind: anyPart})
			s.at++
		case c == '[':
			class, fault := s.class()
			if fault != "" {
				return nil, fault
			}
			parts = append(parts, class)
		case c == '{':
			braces, fault := s.braces(depth + 1)
			if fault != "" {
				return nil, fault
			}
			parts = append(parts, braces)
		default:
			if c == '\\' {
				if s.at++; s.at == len(s.text) {
					return nil, `it ends in a lone \`
				}
			}
			if s.text[s.at] == '/' {
				continue // an escaped slash is a slash
			}
			parts = appendLiteral(parts, s.text[s.at:s.at+1])
			s.at++
		}
	}
	return parts, ""
}

// appendLiteral adds text to the last part if that is literal too.
func appendLiteral(parts []part, text string) []part {
	if n := len(parts); n > 0 && parts[n-1].kind == literalPart {
		parts[n-1].text += text
		return parts
	}
	return append(parts, part{kind: literalPart, text: text})
}

// class scans a character class, which ends before the next slash.
func (s *scanner) class() (part, string) {
	for i := s.at + 1; i < len(s.text) && s.text[i] != '/'; i++ {
		switch s.text[i] {
		case '\\':
			i++
		case ']':
			text := s.text[s.at : i+1]
			if !doublestar.ValidatePattern(text) {
				s.malformed = text
				return part{}, "is empty or malformed"
			}
			s.at = i + 1
			return part{kind: classPart, text: text}, ""
		}
	}
	return part{}, "unclosed ["
}

// braces scans alternatives. Braces that hold two dots and no comma are the
// range of other globs, which this one does not have: they are ordinary text.
func (s *scanner) braces(depth int) (part, string) {
	if depth > maxBraceDepth {
		return part{}, fmt.Sprintf("braces are nested more than %d deep", maxBraceDepth)
	}
	start := s.at
	p := part{kind: bracesPart}
	for s.at++; ; s.at++ {
		parts, fault := s.sequence(depth)
		switch {
		case fault != "":
			return part{}, fault
		case s.at >= len(s.text):
			return part{}, "unclosed {"
		}
		p.alts = append(p.alts, parts)
		if s.text[s.at] == '}' {
			break
		}
	}
	s.at++
	if only := p.alts[0]; len(p.alts) == 1 && len(only) == 1 && only[0].kind == literalPart && strings.Contains(only[0].text, "..") {
		return part{kind: literalPart, text: s.text[start:s.at]}, ""
	}
	return p, ""
}

// expand replaces braces by one list of parts for each choice of alternatives.
func expand(parts []part, allowance *int) ([][]part, string) {
	lists := [][]part{nil}
	for _, p := range parts {
		if *allowance -= len(lists) * (1 + len(p.text)); *allowance < 0 {
			return nil, tooMuch
		}
		if p.kind != bracesPart {
			for i := range lists {
				lists[i] = append(lists[i], p)
			}
			continue
		}
		var choices [][]part
		for _, alt := range p.alts {
			inner, fault := expand(alt, allowance)
			if fault != "" {
				return nil, fault
			}
			choices = append(choices, inner...)
			if len(choices) > maxAlternatives {
				return nil, tooMany()
			}
		}
		if len(lists)*len(choices) > maxAlternatives {
			return nil, tooMany()
		}
		var next [][]part
		for _, list := range lists {
			for _, choice := range choices {
				*allowance -= len(list) + len(choice)
				next = append(next, slices.Concat(list, choice))
			}
		}
		lists = next
	}
	return lists, ""
}

// Allowance is that of one file. A plain glob takes about its length.
const Allowance = 64 << 20

// tooMuch is the fault of the glob with which a file passes its allowance.
const tooMuch = "together, the globs of the file stand for too many plain ones"

func tooMany() string { return fmt.Sprintf("it stands for more than %d plain globs", maxAlternatives) }

// segments cuts parts at slashes. It drops a leading "./" and doubled slashes,
// and returns nothing for what matches no file: an absolute path or a folder.
func segments(parts []part, allowance *int) (alternative, string) {
	var cut [][]part
	start := 0
	for i := 0; i <= len(parts); i++ {
		if i == len(parts) || parts[i].kind == slashPart {
			cut = append(cut, parts[start:i])
			start = i + 1
		}
	}
	if len(cut[0]) == 0 || len(cut[len(cut)-1]) == 0 {
		return nil, ""
	}
	var alt alternative
	for _, parts := range cut {
		if len(parts) == 0 || len(alt) == 0 && len(parts) == 1 && parts[0].kind == literalPart && parts[0].text == "." {
			continue
		}
		s, fault := newSegment(parts, allowance)
		if fault != "" {
			return nil, fault
		}
		if s.deep && len(alt) > 0 && alt[len(alt)-1].deep {
			continue // **/** is **
		}
		alt = append(alt, s)
	}
	return alt, ""
}

// newSegment compiles the parts between two slashes.
func newSegment(parts []part, allowance *int) (segment, string) {
	parts = joinLiterals(parts)
	first := parts[0]
	s := segment{dot: first.kind == literalPart && strings.HasPrefix(first.text, ".")}
	switch {
	case len(parts) == 1 && first.kind == literalPart:
		s.literal = first.text
		return s, ""
	case len(parts) == 1 && first.kind == starPart && first.text == "*":
		s.deep = true
		return s, ""
	}
	patterns, stars := []string{""}, 0
	for _, p := range parts {
		if p.kind == starPart {
			stars++
		}
		forms := p.patterns()
		if len(patterns)*len(forms) > maxAlternatives {
			return s, tooMany()
		}
		if *allowance < 0 {
			return s, tooMuch
		}
		next := make([]string, 0, len(patterns)*len(forms))
		for _, head := range patterns {
			*allowance -= len(forms) * (len(head) + len(p.text))
			for _, form := range forms {
				if form == "*" && strings.HasSuffix(head, "*") && !strings.HasSuffix(head, `\*`) {
					form = ""
				}
				next = append(next, head+form)
			}
		}
		patterns = next
	}
	s.patterns, s.wild = patterns, stars > 1
	return s, ""
}

// joinLiterals merges neighbours that brace expansion left apart, so that a
// segment made of text alone is seen as such, and two stars from two
// alternatives as one.
func joinLiterals(parts []part) []part {
	var out []part
	for _, p := range parts {
		if p.kind == literalPart {
			out = appendLiteral(out, p.text)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// patterns returns the doublestar patterns of a part. A class of plain
// characters also matches its own text, brackets included, since names such as
// howto.[lesson].md are common and authors write them as they are.
func (p part) patterns() []string {
	switch p.kind {
	case starPart:
		return []string{"*"}
	case anyPart:
		return []string{"?"}
	case classPart:
		if plainWord(p.text[1 : len(p.text)-1]) {
			return []string{escape(p.text), p.text}
		}
		return []string{p.text}
	}
	return []string{escape(p.text)}
}

// plainWord reports whether the text inside a class can also be meant literally.
func plainWord(word string) bool {
	return !strings.HasPrefix(word, "!") && !strings.ContainsAny(word, `-*+?.^${}()[]|\`)
}

// escape makes doublestar take text literally.
func escape(text string) string {
	if !strings.ContainsAny(text, `\*?[]{}`) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`\*?[]{}`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
