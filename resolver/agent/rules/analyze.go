package rules

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

// DefaultDir is where rule files go, LazyDir where they go when nothing of them
// is loaded ahead; both relative to the repository root.
const (
	DefaultDir = ".claude/rules"
	LazyDir    = ".claude/loadout"
)

// maxID is the longest id of a rule, in bytes: it names a file. A number that makes
// it unique may come on top.
const maxID = 60

// maxFile is the largest instruction file that is read, in bytes.
const maxFile = 4 << 20 // 4 MiB

// options steer Analyze. The zero value is ready to use.
type options struct {
	As      As
	Dir     string   // of the rule files, relative to the repository root; "" is the usual one
	Signals *Signals // nil means those of packgen
	// Rule returns the file at a path that already exists; nil: none is.
	Rule func(path string) (text []byte, ok bool)
	// Exists reports whether a path from the root exists; nil: none does.
	Exists func(name string) (dir, ok bool)
	// Copies is for a file that is not rewritten: a section that a rule file has
	// already is not proposed again.
	Copies bool
}

// Proposal is a section that is better kept in a rule file (loadout section
// 20.5).
type Proposal struct {
	Section  Section  `json:"section"`
	ID       string   `json:"suggestedId"`
	Path     string   `json:"suggestedPath"`
	Keywords []string `json:"suggestedKeywords"`
	Patterns []string `json:"suggestedPatterns"`
	Priority string   `json:"suggestedPriority"`
	Summary  string   `json:"suggestedSummary"`
	Reason   string   `json:"reason"`
	Globs    []string `json:"suggestedPaths,omitempty"` // of files for which it is needed
	// Description is by what an agent knows when to read it; "" where nothing shows one.
	Description string `json:"suggestedDescription,omitempty"`

	crlf  bool         // line ends of the file it comes from
	links *relink.Text // that file, when links in the section are to lead where they led; may be nil
	home  func(line int) string
}

// Report is what an instruction file is made of. As JSON it and its parts have the
// original's shape (loadout section 20.5).
type Report struct {
	FilePath      string     `json:"filePath"` // as given
	TotalLines    int        `json:"totalLines"`
	TotalTokens   int        `json:"totalTokens"`
	Sections      []Section  `json:"sections"`
	Proposals     []Proposal `json:"proposals"`
	CoreCandidate []Section  `json:"coreCandidate"` // what stays
	// Unrouted are sections that would be better elsewhere, and stay because nothing
	// would load them there.
	Unrouted []Section `json:"unrouted,omitempty"`
	// Importing are sections that would be better elsewhere, and stay because they import
	// files, which agents do for instruction files alone.
	Importing []Section `json:"importing,omitempty"`
	// Imported are files that the file imports with sections that would move: those are
	// split by themselves.
	Imported []Imported `json:"imported,omitempty"`

	text   string
	form   form
	exists func(name string) (dir, ok bool)
	links  *relink.Text
}

// Imported is a file that an instruction file imports, with what of it would move.
type Imported struct {
	Path     string `json:"path"` // from the repository root
	Sections int    `json:"sections"`
	Tokens   int    `json:"tokens_est"`
}

// analyze proposes how to split an instruction file (loadout section 20.5).
func analyze(file, text string, o options) *Report {
	return analyzeAs(file, text, readerOf(file), o)
}

// analyzeAs is analyze for a file whose rules are for that agent.
func analyzeAs(file, text string, reader reader, o options) *Report {
	as := form{as: o.As, reader: reader}
	as.dir = path.Clean(cmp.Or(o.Dir, as.usualDir()))
	signals := cmp.Or(o.Signals, defaultSignals())
	r := &Report{
		FilePath: file, TotalLines: strings.Count(text, "\n") + 1, TotalTokens: token.Estimate(text),
		Sections: parseSections(text), text: text, form: as, exists: o.Exists,
	}
	moves := func(s *Section) bool { return s.part || signals.moves(s, o) }
	if o.As != "" {
		r.links = relink.Of(file, text)
		r.Sections = newDocument(text).cutLarge(r.Sections, func(s *Section) bool { return s.mayMove() && moves(s) })
	}
	used := map[string]int{}
	crlf := strings.Contains(text, "\r\n")
	own := ownWords(r.Sections, as)
	for i := range r.Sections {
		if s := &r.Sections[i]; s.mayMove() && moves(s) {
			r.form.descriptions++
		}
	}
	for i := range r.Sections {
		s := &r.Sections[i]
		switch {
		case s.Level > 0 && !s.mayMove():
			// It stays where it is.
		case s.Level == 0, !moves(s):
			r.CoreCandidate = append(r.CoreCandidate, *s)
		case o.As != "" && imports(file, s.Content, o.Exists):
			r.Importing = append(r.Importing, *s)
		default:
			p, ok := r.propose(s, signals, own[i], used, o, crlf)
			switch {
			case !as.routes(&p):
				r.Unrouted = append(r.Unrouted, *s)
			case ok:
				r.Proposals = append(r.Proposals, p)
			}
		}
	}
	return r
}

// mayMove reports whether a section can be better elsewhere: a heading alone cannot, nor
// the table that an earlier split wrote.
func (s *Section) mayMove() bool { return s.Level > 0 && s.Lines > s.head && !isIndex(s) }

// largeTokens is from how many tokens on a section is large, in however few lines.
const largeTokens = 250

// moves reports whether a section is better elsewhere. The layout of the format counts
// lines alone, and knows no sections that every task needs.
func (s *Signals) moves(sec *Section, o options) bool {
	if o.As == "" {
		return s.isDomain(sec)
	}
	large := sec.Tokens >= largeTokens && javascript.Trim(strings.ToLower(sec.Heading)) != "role"
	return (large || s.isDomain(sec)) && !s.isCore(sec)
}

// propose makes the proposal of a section; ok is false when a copy of it already
// exists, or nothing would load it.
func (r *Report) propose(s *Section, signals *Signals, own []string, used map[string]int, o options, crlf bool) (p Proposal, ok bool) {
	p = Proposal{
		Section: *s, crlf: crlf, links: r.links, ID: headingID(s.Heading), Keywords: signals.keywords(s), Patterns: signals.patterns(s),
		Priority: loadout.PriorityDomain, Summary: summary(s), Globs: GlobsIn(s.Content, o.Exists),
	}
	if !r.form.routes(&p) {
		return p, false
	}
	own = signals.without(own, p.Keywords)
	if r.form.as == Skills {
		p.ID = skillName(p.ID, s.Heading)
	}
	if !r.form.hasIndex() {
		p.Description = r.form.describe(&p, own)
	}
	p.Keywords = append(p.Keywords, own[:max(0, min(len(own), maxKeywords-len(p.Keywords)))]...)
	if len(p.Keywords) == 0 {
		p.Priority = loadout.PriorityManual // nothing could call it
	}
	p.ID = strings.TrimRight(strings.ToValidUTF8(p.ID[:min(len(p.ID), maxID)], ""), "-")
	if !p.name(used, r.form, o) {
		return p, false
	}
	p.Path = r.form.path(p.ID)
	p.Reason = fmt.Sprintf("%d lines — too large to load every session", s.Lines)
	switch {
	case s.Lines >= largeSection:
	case s.Tokens >= largeTokens && r.form.as != "":
		p.Reason = fmt.Sprintf("%d tokens — too large to load every session", s.Tokens)
	default:
		p.Reason = "Domain-specific content (" + strings.Join(p.Keywords[:min(3, len(p.Keywords))], ", ") + ")"
	}
	return p, true
}

// name makes the id unique by a number at its end, and notes it (loadout section
// 28, D2). A rule file with the bytes that this one would have is its own: an
// earlier split was cut short. It reports false when a copy already exists.
//
// used has the number that each id is tried with next, so that many sections of
// one heading do not take quadratic time.
func (p *Proposal) name(used map[string]int, as form, o options) bool {
	base := p.ID
	for n := max(1, used[base]); ; n++ {
		if n > 1 {
			p.ID = fmt.Sprintf("%s-%d", base, n)
		}
		if used[p.ID] == 0 {
			had, there := []byte(nil), false
			if o.Rule != nil {
				had, there = o.Rule(as.path(p.ID))
			}
			placed := p.placed(as)
			own, err := ruleFile(placed, as)
			switch {
			case there && o.Copies && holds(had, &placed.Section):
				used[base] = n + 1
				return false
			case !there, err == nil && relink.Same(string(had), own):
				used[p.ID] = max(2, used[p.ID])
				used[base] = n + 1
				return true
			}
		}
	}
}

// holds reports whether a rule file was made of a section: both begin with the
// same heading and the same line below it.
func holds(file []byte, s *Section) bool {
	fm, body := loadout.ParseFrontMatter(string(file), false)
	return fm != nil && opening(body) == opening(s.Content)
}

// opening is the first two lines of a text that are not blank.
func opening(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = javascript.TrimRight(line); line != "" {
			out = append(out, line)
		}
		if len(out) == 2 {
			break
		}
	}
	return strings.Join(out, "\n")
}

// Tokens sums what stays in the file and what the proposals would take out.
func (r *Report) Tokens() (always, onDemand int) {
	for i := range r.Proposals {
		onDemand += r.Proposals[i].Section.Tokens
	}
	return max(0, r.TotalTokens-onDemand), onDemand
}

// find returns the section that starts at a line with a heading; nil when the
// file has none such.
func (r *Report) find(line int, heading, content string) *Section {
	i, ok := slices.BinarySearchFunc(r.Sections, line, func(s Section, line int) int { return s.StartLine - line })
	if !ok || r.Sections[i].Level == 0 || r.Sections[i].Heading != heading || r.Sections[i].Content != content {
		return nil
	}
	return &r.Sections[i]
}

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

// preamble is the heading of the text before the first section.
const preamble = "(preamble)"

// Section is a stretch of an instruction file (loadout section 20.1). Lines count
// from 0.
type Section struct {
	Heading   string `json:"heading"`
	Level     int    `json:"level"` // 2 or 3; 0 for the preamble
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"` // exclusive, blank lines at the end left out
	Next      int    `json:"-"`       // where the following section starts
	Content   string `json:"content"` // lines StartLine to EndLine without the end of the last
	Lines     int    `json:"lines"`
	Tokens    int    `json:"tokens_est"`

	head   int    // lines of the heading
	within string // the heading above, of a part of a section that was cut
	part   bool   // of a section that was cut
}

// document is an instruction file cut into lines.
type document struct {
	lines []string // without their line feeds; a carriage return stays
	crlf  bool
}

func newDocument(text string) *document {
	return &document{lines: strings.Split(text, "\n"), crlf: strings.Contains(text, "\r\n")}
}

// parseSections cuts an instruction file at its headings of level 2 and 3, be they
// marked with # or with a line below. Carriage returns, white space at the end and a
// closing row of # are not part of a heading, and headings in code fences and comments
// do not count.
func parseSections(text string) []Section { return newDocument(text).sections() }

// heading is a line that may start a section.
type heading struct {
	line, level, lines int
	text               string
}

func (d *document) sections() []Section {
	found := d.headings()
	if len(found) == 0 {
		if len(d.lines) == 1 && javascript.Trim(d.lines[0]) == "" {
			return nil
		}
		return []Section{d.section(heading{text: preamble}, len(d.lines))}
	}
	var list []Section
	if first := found[0].line; javascript.Trim(strings.Join(d.lines[:first], "\n")) != "" {
		list = append(list, d.section(heading{text: preamble}, first))
	}
	second := false
	for i, h := range found {
		if h.level == 3 && second {
			continue // part of the section above it
		}
		second = second || h.level == 2
		end := len(d.lines)
		for _, next := range found[i+1:] {
			if next.level <= h.level {
				end = next.line
				break
			}
		}
		list = append(list, d.section(h, end))
	}
	return list
}

// headings lists the headings of level 2 and 3.
func (d *document) headings() []heading {
	var list []heading
	outline := javascript.NewOutline(strings.Join(d.lines, "\n"))
	for i, line := range d.lines {
		line = strings.TrimSuffix(line, "\r")
		switch outline.Next(line) {
		case javascript.Inert:
			continue
		case javascript.Underline:
			list = append(list, heading{i - 1, 2, 2, javascript.Trim(d.lines[i-1])})
			continue
		}
		level := 0
		for level < len(line) && line[level] == '#' {
			level++
		}
		text := strings.TrimLeftFunc(line[level:], javascript.IsSpace)
		if level < 2 || level > 3 || text == "" || len(text) == len(line)-level || strings.ContainsAny(text, "\r\u2028\u2029") {
			continue
		}
		if text = javascript.HeadingText(text); text == "" {
			continue
		}
		list = append(list, heading{i, level, 1, text})
	}
	return list
}

// section makes the section from a heading up to a line. A preamble, which has no
// heading, keeps the blank lines at its end.
func (d *document) section(h heading, end int) Section {
	s := Section{Heading: h.text, Level: h.level, StartLine: h.line, EndLine: end, Next: end, head: h.lines}
	for h.level > 0 && s.EndLine > h.line && javascript.Trim(d.lines[s.EndLine-1]) == "" {
		s.EndLine--
	}
	s.Content = strings.TrimSuffix(strings.Join(d.lines[h.line:s.EndLine], "\n"), "\r")
	s.Lines = s.EndLine - h.line
	s.Tokens = token.Estimate(s.Content)
	return s
}
