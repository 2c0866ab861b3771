package rules

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
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
