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
	s := &scanner{text: text, allowance: allowance}
	p := Pattern{text: text}
	for _, plain := range s.globs(0) {
		if alt := s.alternative(plain); len(alt) > 0 {
			p.alts = append(p.alts, alt)
		}
	}
	if s.fault != nil {
		return Pattern{}, s.fault
	}
	return p, nil
}

// scanner reads a glob. A plain glob is text for doublestar without braces, in which a
// literal star is [*] and other characters that mean something have a backslash.
type scanner struct {
	text      string
	at        int
	allowance *int
	fault     *Fault // the first; nothing that is returned after it counts
}

// fail notes what is wrong with the glob as a whole.
func (s *scanner) fail(format string, args ...any) {
	if s.fault == nil {
		s.fault = &Fault{Text: fmt.Sprintf(format, args...)}
	}
}

// maxBraceDepth bounds how deep braces may be inside each other.
const maxBraceDepth = 32

// globs returns the plain globs that the text stands for up to its end, or inside braces
// up to the comma or closing brace that ends the choice.
func (s *scanner) globs(depth int) []string {
	list := []string{""}
	for s.fault == nil && s.at < len(s.text) && (depth == 0 || s.text[s.at] != ',' && s.text[s.at] != '}') {
		forms := make([]string, 1)
		switch c := s.text[s.at]; c {
		case '/', '?':
			forms[0] = string(c)
			s.at++
		case '*':
			rest := strings.TrimLeft(s.text[s.at:], "*")
			if forms[0] = s.text[s.at : len(s.text)-len(rest)]; forms[0] != "**" {
				forms[0] = "*"
			}
			s.at = len(s.text) - len(rest)
		case '[':
			forms[0] = s.class()
		case '{':
			forms = s.braces(depth + 1)
		default:
			forms[0] = s.literal(depth)
		}
		list = s.join(list, forms)
	}
	if s.fault != nil {
		return nil
	}
	return list
}

// literal reads ordinary characters. An escaped slash is a slash.
func (s *scanner) literal(depth int) string {
	special := "/?*[{"
	if depth > 0 {
		special += ",}"
	}
	var b strings.Builder
	for s.at < len(s.text) && strings.IndexByte(special, s.text[s.at]) < 0 {
		if s.text[s.at] == '\\' {
			if s.at++; s.at == len(s.text) {
				s.fail(`it ends in a lone \`)
				break
			}
			if s.text[s.at] == '/' {
				break
			}
		}
		if c := s.text[s.at : s.at+1]; c == "*" {
			b.WriteString("[*]")
		} else {
			b.WriteString(escape(c))
		}
		s.at++
	}
	return b.String()
}

// class reads a character class, which ends before the next slash.
func (s *scanner) class() string {
	text := classAt(s.text[s.at:])
	s.at += len(text)
	switch {
	case text == "":
		s.fail("unclosed [")
	case !doublestar.ValidatePattern(text):
		s.fail("is empty or malformed")
		s.fault.Class = text
	}
	return strings.ReplaceAll(text, "/", "\x00") // an escaped slash, which is in no name
}

// classAt returns the character class that a text starts with; "" when it does not end
// before the next slash.
func classAt(text string) string {
	for i := 1; i < len(text) && text[i] != '/'; i++ {
		switch text[i] {
		case '\\':
			i++
		case ']':
			return text[:i+1]
		}
	}
	return ""
}

// braces reads choices. Braces that hold two dots and no comma are the
// range of other globs, which this one does not have: they are ordinary text.
func (s *scanner) braces(depth int) (choices []string) {
	if depth > maxBraceDepth {
		s.fail("braces are nested more than %d deep", maxBraceDepth)
		return nil
	}
	start := s.at
	for closed := false; !closed; closed = s.text[s.at] == '}' {
		s.at++
		choices = append(choices, s.globs(depth)...)
		if s.at == len(s.text) {
			s.fail("unclosed {")
		}
		if s.fault != nil {
			return nil
		}
	}
	s.at++
	if only, isLiteral := literalOf(choices[0]); len(choices) == 1 && isLiteral && !strings.Contains(only, "/") && strings.Contains(only, "..") {
		return []string{escape(s.text[start:s.at])}
	}
	return choices
}

// join appends each form to each text. Stars that meet are one.
func (s *scanner) join(list, forms []string) []string {
	if len(list)*len(forms) > maxAlternatives {
		s.fail("it stands for more than %d plain globs", maxAlternatives)
		return nil
	}
	out := make([]string, 0, len(list)*len(forms))
	for _, text := range list {
		for _, form := range forms {
			if *s.allowance -= 1 + len(text) + len(form); *s.allowance < 0 {
				s.fail("together, the globs of the file stand for too many plain ones")
				return nil
			}
			if strings.HasSuffix(text, "*") && strings.HasPrefix(form, "*") {
				form = "*" + strings.TrimLeft(form, "*")
				out = append(out, strings.TrimRight(text, "*")+form)
				continue
			}
			out = append(out, text+form)
		}
	}
	return out
}

// Allowance is that of one file. A plain glob takes about its length.
const Allowance = 64 << 20

// alternative cuts a plain glob at slashes. It drops a leading "./" and doubled slashes,
// and returns nothing for what matches no file: an absolute path or a folder.
func (s *scanner) alternative(plain string) (alt alternative) {
	if plain == "" || plain[0] == '/' || plain[len(plain)-1] == '/' {
		return nil
	}
	for name := range strings.SplitSeq(plain, "/") {
		again := name == "**" && len(alt) > 0 && alt[len(alt)-1].deep // **/** is **
		if name != "" && !again && (name != "." || len(alt) > 0) {
			alt = append(alt, s.segment(name))
		}
	}
	return alt
}

// segment compiles what is between two slashes. A class of plain characters also matches
// its own text, brackets included, since names such as howto.[lesson].md are common and
// authors write them as they are.
func (s *scanner) segment(text string) segment {
	if text == "**" {
		return segment{deep: true}
	}
	out := segment{dot: text[0] == '.'}
	if name, isLiteral := literalOf(text); isLiteral {
		out.literal = name
		return out
	}
	text = strings.ReplaceAll(text, "**", "*")
	out.wild = strings.Count(text, "*") > 1
	out.patterns = []string{""}
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class := classAt(text[i:])
			if plainWord(class[1 : len(class)-1]) {
				out.patterns = s.join(s.join(out.patterns, []string{text[from:i]}), []string{escape(class), class})
				from = i + len(class)
			}
			i += len(class) - 1
		}
	}
	out.patterns = s.join(out.patterns, []string{text[from:]})
	return out
}

// literalOf is the name that a plain glob matches alone; false for one with wildcards.
func literalOf(plain string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(plain); i++ {
		switch plain[i] {
		case '*', '?', '[':
			return "", false
		case '\\':
			i++
		}
		b.WriteByte(plain[i])
	}
	return b.String(), true
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
