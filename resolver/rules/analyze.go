package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// DefaultDir is where rule files go, LazyDir where they go when nothing of them
// is loaded ahead; both relative to the repository root.
const (
	DefaultDir = ".claude/rules"
	LazyDir    = ".claude/loadout"
)

// MaxFile is the largest instruction file that is read, in bytes.
const MaxFile = 4 << 20 // 4 MiB

// Options steer Analyze. The zero value does.
type Options struct {
	Dir     string   // of the rule files, relative to the repository root; "" is DefaultDir
	Signals *Signals // nil is DefaultSignals
	// Taken reports whether an id is in use already.
	Taken func(id string) bool
	// Compat reproduces upstream where loadout section 28 says switch: signals
	// match inside words (D15), code fences and carriage returns are not
	// understood (D12, D13), and ids may collide (D2).
	Compat bool
}

// Proposal is a section that is better kept in a rule file (loadout section
// 20.5).
type Proposal struct {
	Section  Section
	ID       string
	Path     string
	Keywords []string
	Patterns []string
	Priority string
	Summary  string
	Reason   string
}

// Report is what an instruction file is made of.
type Report struct {
	FilePath      string // as given
	TotalLines    int
	TotalTokens   int
	Sections      []Section
	Proposals     []Proposal
	CoreCandidate []Section // what stays

	text string
	dir  string
}

// Analyze proposes how to split an instruction file (loadout section 20.5).
func Analyze(file, text string, o Options) *Report {
	if o.Dir == "" {
		o.Dir = DefaultDir
	}
	signals := o.Signals
	if signals == nil {
		d := DefaultSignals()
		signals = &d
	}
	r := &Report{
		FilePath: file, TotalLines: strings.Count(text, "\n") + 1, TotalTokens: token.Estimate(text),
		Sections: ParseSections(text, o.Compat), text: text, dir: path.Clean(o.Dir),
	}
	used := map[string]bool{}
	for i := range r.Sections {
		s := &r.Sections[i]
		switch {
		case s.Level == 0:
			r.CoreCandidate = append(r.CoreCandidate, *s)
		case s.Lines <= 1 || isIndex(s):
			// A heading alone, or the table that an earlier split wrote: it stays
			// where it is.
		case !signals.isDomain(s, o.Compat):
			r.CoreCandidate = append(r.CoreCandidate, *s)
		default:
			r.Proposals = append(r.Proposals, propose(s, signals, used, o))
		}
	}
	return r
}

func propose(s *Section, signals *Signals, used map[string]bool, o Options) Proposal {
	p := Proposal{
		Section: *s, ID: HeadingID(s.Heading), Keywords: signals.keywords(s, o.Compat), Patterns: signals.patterns(s, o.Compat),
		Priority: loadout.PriorityDomain, Summary: summary(s),
	}
	if !o.Compat {
		p.ID = free(p.ID, used, o.Taken)
		if len(p.Keywords) == 0 {
			p.Priority = loadout.PriorityManual // nothing could call it
		}
	}
	p.Path = path.Join(o.Dir, p.ID+".md")
	p.Reason = fmt.Sprintf("%d lines — too large to load every session", s.Lines)
	if s.Lines < largeSection {
		p.Reason = "Domain-specific content (" + strings.Join(p.Keywords[:min(3, len(p.Keywords))], ", ") + ")"
	}
	return p
}

// free makes an id unique by a number at its end, and notes it (loadout section
// 28, D2).
func free(id string, used map[string]bool, taken func(string) bool) string {
	name := id
	for n := 2; used[name] || taken != nil && taken(name); n++ {
		name = fmt.Sprintf("%s-%d", id, n)
	}
	used[name] = true
	return name
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
	i := slices.IndexFunc(r.Sections, func(s Section) bool {
		return s.StartLine == line && s.Heading == heading && s.Content == content
	})
	if i < 0 || r.Sections[i].Level == 0 {
		return nil
	}
	return &r.Sections[i]
}
