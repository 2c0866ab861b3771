package eval

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// SelectScore is the score from which a prompt selects a pack: two hits. One
// word alone selects nothing, since most words mean something elsewhere too.
const SelectScore = 0.4

// Subject is a pack as a selection eval sees it: its metadata as one loadout
// entry, and the warnings that selecting it raises.
type Subject struct {
	Name     string
	Warnings []string
	index    loadout.Index
}

// NewSubject makes a subject of a pack. Its keywords are the words of name, type
// and description and all keywords declared in metadata.loadout
// (agent-knowledge section 11.3). Sentences of the description that say what the
// pack is not for count nothing. run is the pack's newest compile; nil when there
// is none.
func NewSubject(p *pack.Pack, run *schema.Run) *Subject {
	meta := &p.Meta
	e := loadout.Entry{
		ID: meta.Name, Path: pack.EntryName, Priority: loadout.PriorityDomain, Summary: meta.Description,
		Keywords: SubjectWords(p), Triggers: loadout.DefaultTriggers(),
	}
	declared, _ := index.Declared(p)
	for _, k := range declared {
		if !slices.Contains(e.Keywords, k) {
			e.Keywords = append(e.Keywords, k)
		}
	}
	s := &Subject{Name: meta.Name}
	s.index = loadout.Index{Version: loadout.Version, Entries: []loadout.Entry{e}}
	switch meta.Status {
	case schema.Ready, "":
	default:
		s.Warnings = append(s.Warnings, fmt.Sprintf("the pack is %s", meta.Status))
	}
	if run != nil && run.Status != schema.Passed {
		s.Warnings = append(s.Warnings, fmt.Sprintf("its newest compile came out %s", run.Status))
	}
	return s
}

// SubjectWords are the words of the name, type and description of a pack that select it.
func SubjectWords(p *pack.Pack) []string {
	meta := &p.Meta
	return index.Words(strings.ReplaceAll(meta.Name, "-", " ") + ". " + strings.ReplaceAll(meta.Type, "-", " ") + ". " + affirmed(meta.Description))
}

// DiscoveryPaths lists the selection suites of a pack.
func DiscoveryPaths(p *pack.Pack) []string {
	var names []string
	for _, file := range p.List("evals") {
		base := path.Base(file.Path)
		if path.Dir(file.Path) == "evals" && strings.HasPrefix(base, "discovery.") && strings.HasSuffix(base, ".json") {
			names = append(names, file.Path)
		}
	}
	return names
}

// Warns reports whether selecting the pack raises the warnings that a case expects.
func (s *Subject) Warns(c *schema.SuiteCase) bool {
	return len(s.Warnings) > 0 && raised(c.ExpectedWarnings, s.Warnings)
}

// affirmed drops the sentences that say what a pack is not for: the words in
// them lead elsewhere.
func affirmed(description string) string {
	var kept []string
	for _, s := range sentences(description) {
		lower := strings.ToLower(s)
		if !strings.HasPrefix(lower, "not ") && !strings.HasPrefix(lower, "do not ") && !strings.HasPrefix(lower, "don't ") {
			kept = append(kept, s)
		}
	}
	return strings.Join(kept, " ")
}

// sentences cuts a text after each full stop, question or exclamation mark that
// a blank follows.
func sentences(text string) []string {
	var list []string
	var current []string
	for word := range strings.FieldsSeq(text) {
		current = append(current, word)
		if strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!") {
			list = append(list, strings.Join(current, " "))
			current = nil
		}
	}
	if len(current) > 0 {
		list = append(list, strings.Join(current, " "))
	}
	return list
}

// CaseResult is what came of one case, with the arithmetic.
type CaseResult struct {
	schema.SuiteCase
	Actual   string
	Passed   bool
	Warned   bool // the warnings fired as expected
	Warnings []string
	Rating   loadout.Rating
	Words    []string // of the prompt
}

// Discovery is one suite run over one pack.
type Discovery struct {
	Record schema.EvalRun
	Cases  []CaseResult
}

// Failed counts the cases that failed.
func (d *Discovery) Failed() int { return d.Record.Summary.Failed }

// Discover runs a suite (sections 11.1 and 11.3). name is the path of the suite
// in the pack. minScore is the score from which the pack counts as selected; 0 is
// SelectScore.
func (s *Subject) Discover(name string, suite *schema.Suite, minScore float64) (*Discovery, error) {
	if minScore == 0 {
		minScore = SelectScore
	}
	d := &Discovery{Record: schema.EvalRun{Suite: name, PackName: s.Name, Results: []schema.EvalResult{}}}
	options := loadout.MatchOptions{Dialect: loadout.Recall, MinScore: &minScore}
	for _, c := range suite.Cases {
		outlook, err := loadout.ExplainTask(c.Prompt, s.Name, &s.index, options)
		if err != nil {
			return nil, fmt.Errorf("run case %s: %w", c.ID, err)
		}
		r := CaseResult{SuiteCase: c, Actual: schema.Reject, Rating: outlook.Rating, Words: outlook.Words}
		if outlook.Included {
			r.Actual, r.Warnings = schema.Select, s.Warnings
			if len(s.Warnings) > 0 {
				r.Actual = schema.Warn
			}
		}
		r.judge()
		d.Cases = append(d.Cases, r)
		d.Record.Results = append(d.Record.Results, schema.EvalResult{ID: secret.Redact(c.ID), Expected: c.Expected, Actual: r.Actual, Passed: r.Passed})
	}
	d.Record.Summary = summaryOfCases(d.Cases)
	return d, nil
}

// judge decides whether a case passed. A pack that is selected with warnings
// passes a case that expects selection; that the warnings came unexpected shows
// in the warning accuracy.
func (r *CaseResult) judge() {
	switch r.Expected {
	case schema.Reject:
		r.Passed = r.Actual == schema.Reject
		r.Warned = r.Actual != schema.Warn
	case schema.Select:
		r.Passed = r.Actual != schema.Reject
		r.Warned = r.Actual != schema.Warn
	case schema.Warn:
		r.Passed = r.Actual == schema.Warn && raised(r.ExpectedWarnings, r.Warnings)
		r.Warned = r.Passed
	}
}

// raised reports whether each expected warning is part of one that was raised, in
// any letter case.
func raised(expected, warnings []string) bool {
	for _, e := range expected {
		if !slices.ContainsFunc(warnings, func(w string) bool {
			return strings.Contains(strings.ToLower(w), strings.ToLower(e))
		}) {
			return false
		}
	}
	return true
}

// summaryOfCases computes the metrics of section 11.3. For precision and recall a
// case that expects a warning counts as one that expects selection.
func summaryOfCases(cases []CaseResult) schema.EvalSummary {
	s := schema.EvalSummary{Total: len(cases)}
	selected, expected, both, warned := 0, 0, 0, 0
	for i := range cases {
		c := &cases[i]
		is, should := c.Actual != schema.Reject, c.Expected != schema.Reject
		tally(&s.Passed, c.Passed)
		tally(&warned, c.Warned)
		tally(&selected, is)
		tally(&expected, should)
		tally(&both, is && should)
		tally(&s.FalsePositives, is && !should)
		tally(&s.FalseNegatives, should && !is)
	}
	s.Failed = s.Total - s.Passed
	s.PassRate = shareOf(s.Passed, s.Total)
	s.Precision = shareOf(both, selected)
	s.Recall = shareOf(both, expected)
	s.WarningAccuracy = shareOf(warned, s.Total)
	return s
}

// shareOf is nil when there is nothing to divide by.
func shareOf(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	r := float64(part) / float64(whole)
	return &r
}
