package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

// Signals are the words by which sections are distinguished (loadout section 20.3
// and 20.4). The zero value is the default.
type Signals struct {
	Domain   []string
	Stop     []string
	Core     []string // in headings of sections that every task needs
	Patterns []pattern
}

// pattern is a named intent and the words that suggest it.
type pattern struct {
	Name     string
	Triggers []string
}

func list(text string) []string {
	words := strings.Split(text, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

// defaultSignals returns the signals of the format.
func defaultSignals() *Signals {
	return &Signals{
		Domain: list(`github actions, ci, workflow, runner, marketing, site, publishing, automation, shipping, publish, release, npm,
			ownership, repo, org, canonical, preview, verification, dev server, shipcheck, treatment, landing page, product, development,
			output-first, guardian, self-check, document delight`),
		Stop: strings.Fields(`the and for are but not you all can had her was one our out has this that with have from they been must
			will each make like when never only rule rules non negotiable`),
		Core: list(`core, general, standing rules, hard rules, ground rules, golden rules, always, principles, important, critical, must, mandatory, expectations, overview, summary`),
		Patterns: []pattern{
			{"ci_pipeline", list("ci, workflow, github actions")},
			{"package_release", list("publish, release, npm")},
			{"marketing_ops", list("marketing, site, landing page")},
			{"repo_governance", list("ownership, canonical, repo")},
			{"dev_workflow", list("preview, dev server, verification")},
			{"quality_gate", list("shipcheck, ship_gate, treatment")},
			{"product_dev", list("product, output-first")},
		},
	}
}

// errSignals says that a signals file has another shape.
var errSignals = errors.New("the signals have another shape")

// parseSignals reads a signals file: a JSON object with the optional keys
// domainSignals, stopWords and coreSignals, lists, and patterns, an object of lists. A key
// that is absent keeps its default.
func parseSignals(text []byte) (*Signals, error) {
	s := defaultSignals()
	v, err := indexjson.Parse(text)
	if err != nil {
		return s, err
	}
	if v.Kind() != loadout.Object {
		return s, fmt.Errorf("%w: they are not an object", errSignals)
	}
	for _, f := range []struct {
		key  string
		into *[]string
	}{{"domainSignals", &s.Domain}, {"stopWords", &s.Stop}, {"coreSignals", &s.Core}} {
		if m := v.Get(f.key); m.Kind() != loadout.Missing {
			if *f.into, err = signalWords(f.key, m); err != nil {
				return s, err
			}
		}
	}
	if m := v.Get("patterns"); m.Kind() != loadout.Missing {
		if m.Kind() != loadout.Object {
			return s, fmt.Errorf("%w: patterns is not an object", errSignals)
		}
		s.Patterns = nil
		for name, triggers := range m.Members {
			words, err := signalWords("patterns."+name, triggers)
			if err != nil {
				return s, err
			}
			if len(s.Patterns) == maxSignals {
				return s, fmt.Errorf("%w: there are more than %d patterns", errSignals, maxSignals)
			}
			s.Patterns = append(s.Patterns, pattern{name, words})
		}
	}
	return s, nil
}

// maxSignals is how many words a list of signals has: each of them is looked for in
// each section.
const maxSignals = 1000

// signalWords reads a list of signals.
func signalWords(key string, v loadout.Value) ([]string, error) {
	words, err := texts(key, v)
	if len(words) > maxSignals {
		return nil, fmt.Errorf("%w: %s has more than %d words", errSignals, key, maxSignals)
	}
	return words, err
}

func texts(key string, v loadout.Value) ([]string, error) {
	var out []string
	ok := v.Kind() == loadout.Array
	for item := range v.Items {
		text, isText := item.Str()
		ok = ok && isText
		out = append(out, text)
	}
	if !ok {
		return nil, fmt.Errorf("%w: %s is not a list of strings", errSignals, key)
	}
	return out, nil
}

// noise are words that say nothing about a section.
const noise = " rules rule non-negotiable nonnegotiable contract source of truth the a an and for in required before after hard "

// unnamed is the id of a heading without letters and digits.
const unnamed = "unnamed"

// headingID makes an id of a heading: as the format says (loadout section 20.2), and
// of the letters of any script when it has others than those of ASCII.
func headingID(heading string) string {
	if strings.IndexFunc(heading, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) < 0 {
		return asciiID(heading)
	}
	words := strings.FieldsFunc(strings.ToLower(withoutParentheses(heading)), isBetweenWords)
	if said := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(noise, " "+w+" ") }); len(said) > 0 {
		words = said
	}
	if len(words) == 0 {
		return unnamed
	}
	return strings.Join(words[:min(3, len(words))], "-")
}

// isBetweenWords reports a character that is in no word of any script.
func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// isID reports whether a text is what headingID makes: small letters, digits and
// single hyphens between them.
func isID(text string) bool {
	for word := range strings.SplitSeq(text, "-") {
		if word == "" || strings.ToLower(word) != word || strings.ContainsFunc(word, isBetweenWords) {
			return false
		}
	}
	return true
}

// asciiID makes an id of the ASCII letters of a heading (loadout section 20.2).
func asciiID(heading string) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.ToLower(withoutParentheses(heading)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	}) {
		if !strings.Contains(noise, " "+w+" ") && len(words) < 3 {
			words = append(words, w)
		}
	}
	id := strings.Join(words, "-")
	for strings.Contains(id, "--") {
		id = strings.ReplaceAll(id, "--", "-")
	}
	if id = strings.TrimSuffix(strings.TrimPrefix(id, "-"), "-"); id == "" {
		return unnamed
	}
	return id
}

// withoutParentheses removes each "(" with what follows up to the next ")".
func withoutParentheses(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "(")
		_, after, closed := strings.Cut(rest, ")")
		if !found || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		text = after
	}
}

// has reports whether a lowercased text contains a signal as a word of its own (loadout
// section 28, D15).
func has(text, signal string) bool {
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9' || text[i] >= 0x80)
	}
	for at := 0; signal != ""; {
		i := strings.Index(text[at:], signal)
		if i < 0 {
			return false
		}
		i += at
		if !word(i-1) && !word(i+len(signal)) {
			return true
		}
		at = i + len(signal)
	}
	return false
}

// isDomain reports whether a section belongs in a rule file (loadout section
// 20.3).
func (s *Signals) isDomain(sec *Section) bool {
	heading := strings.ToLower(sec.Heading)
	switch {
	case javascript.Trim(heading) == "role", sec.Lines <= 8:
		return false
	case strings.Contains(heading, "non-negotiable"), sec.Lines >= largeSection:
		return true
	}
	return slices.ContainsFunc(s.Domain, func(signal string) bool { return has(heading, signal) })
}

// maxCore is how large a section is that stays for its heading, in tokens: no task needs
// all of a larger one.
const maxCore = 400

// isCore reports whether the heading of a section says that every task needs it, unless
// it calls itself non-negotiable, which the format moves (loadout section 20.3), or has a
// word of the domain too.
func (s *Signals) isCore(sec *Section) bool {
	heading := strings.ToLower(sec.Heading)
	in := func(list []string) bool {
		return slices.ContainsFunc(list, func(signal string) bool { return has(heading, signal) })
	}
	return sec.Tokens <= maxCore && in(s.Core) && !in(s.Domain) && !strings.Contains(heading, "non-negotiable")
}

// largeSection is the number of lines from which a section is extracted.
const largeSection = 15

// keywords takes keywords from a section (loadout section 20.4). Words that no
// task can hit are left out.
func (s *Signals) keywords(sec *Section) []string {
	text := strings.ToLower(sec.Content)
	words := strings.FieldsFunc(strings.ToLower(sec.Heading+" "+sec.within), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	words = slices.DeleteFunc(words, func(w string) bool { return len(w) <= 2 })
	for _, signal := range s.Domain {
		if has(text, signal) {
			for _, w := range javascript.Fields(signal) {
				if token.Units(w) > 2 {
					words = append(words, w)
				}
			}
		}
	}
	keywords := []string{}
	seen := map[string]bool{}
	for _, w := range words {
		if !seen[w] && !slices.Contains(s.Stop, w) && loadout.Reachable(w) {
			keywords = append(keywords, w)
		}
		seen[w] = true
	}
	if len(keywords) == 0 { // a heading such as "CI" is better than none
		for _, w := range loadout.Words(sec.Heading) {
			if !slices.Contains(s.Stop, w) {
				keywords = append(keywords, w)
			}
		}
	}
	if needsUnicode([]string{sec.Heading}) {
		keywords = append(keywords, unicodeWords(sec.Heading, keywords)...)
	}
	return keywords
}

// needsUnicode reports whether any of the texts has letters that the plain tokenizer
// does not see.
func needsUnicode(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) >= 0
	})
}

// maxUnicodeWords is how many words of a heading in another script call its section.
const maxUnicodeWords = 8

// unicodeWords are the words of a heading, written in any script, that the Unicode
// tokenizer finds in a task, without those in have.
func unicodeWords(heading string, have []string) []string {
	var list []string
	for _, w := range scripts.Words(heading) {
		if !slices.Contains(have, w) && len(list) < maxUnicodeWords {
			list = append(list, w)
		}
	}
	return list
}

// patterns takes patterns from a section.
func (s *Signals) patterns(sec *Section) []string {
	text := strings.ToLower(sec.Content)
	names := []string{}
	for _, p := range s.Patterns {
		if slices.ContainsFunc(p.Triggers, func(t string) bool { return has(text, t) }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// summary is the first line of a section that says something: not a heading, not code.
func summary(sec *Section) string {
	n := 0
	outline := javascript.NewOutline(sec.Content)
	for line := range strings.SplitSeq(sec.Content, "\n") {
		n++
		inert := outline.Next(strings.TrimSuffix(line, "\r")) == javascript.Inert
		text := javascript.Trim(line)
		if text == "" || strings.HasPrefix(line, "#") || n <= sec.head || inert {
			continue
		}
		text = javascript.Line(withoutMarker(line))
		if token.Units(text) > 117 {
			return javascript.Cut(text, 117) + "..."
		}
		return text
	}
	return javascript.Line(sec.Heading)
}

// withoutMarker is the text of a line without the bullet or the number of an item.
func withoutMarker(line string) string {
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	marker := 0
	switch {
	case digits > 0 && digits < 4 && len(line) > digits && (line[digits] == '.' || line[digits] == ')'):
		marker = digits + 1
	case line[0] == '-' || line[0] == '*' || line[0] == '+':
		marker = 1
	}
	if rest := strings.TrimLeftFunc(line[marker:], javascript.IsSpace); len(rest) < len(line)-marker {
		return javascript.Trim(rest)
	}
	return javascript.Trim(line)
}
