package eval

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	"github.com/packgen/packgen/resolver/repo"
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

// keyQuestions is the front matter key of the questions that a page answers.
const keyQuestions = "questions"

// errByHand marks front matter that is not rewritten.
var errByHand = errors.New("its front matter has a form that is not rewritten; add the question by hand")

// addQuestionTo adds a question to the front matter of a document or page: to its list
// for one section, or to the list for the whole file where it has one. All other bytes
// stay as they are. A question that already exists changes nothing.
func addQuestionTo(text []byte, section, question string) ([]byte, error) {
	line := oneLine(question)
	if line == "" {
		return nil, errors.New("the question is empty")
	}
	quoted := quote(line)
	decoded, ok := frontmatter.Decode(text)
	if !ok || !bytes.Equal(decoded, text) {
		return nil, errByHand
	}
	block, _ := frontmatter.Read(text, frontmatter.Options{})
	var out []byte
	switch top := frontmatter.NewMap("", block.Node, nil); {
	case block.Node == nil && bytes.HasPrefix(text, []byte("---\n")):
		return nil, errByHand
	case block.Node == nil:
		out = slices.Concat(fmt.Appendf(nil, "---\n%s:\n  %s:\n    - %s\n---\n", keyQuestions, quoteKey(section), quoted), text)
	case top.Value(keyQuestions) == nil:
		out = insertLines(text, closing(text), fmt.Sprintf("%s:\n  %s:\n    - %s\n", keyQuestions, quoteKey(section), quoted))
	default:
		var err error
		if out, err = addTo(text, top.Value(keyQuestions), section, line); err != nil || out == nil {
			return text, err
		}
	}
	if !asks(out, section, line) {
		return nil, errByHand
	}
	return out, nil
}

// addTo adds a line to the lists that there are; nil when the question exists.
func addTo(text []byte, questions *yaml.Node, section, line string) ([]byte, error) {
	list, indent := questions, "  "
	if questions.Kind == yaml.MappingNode {
		if questions.Style&yaml.FlowStyle != 0 || len(questions.Content) == 0 {
			return nil, errByHand
		}
		indent = strings.Repeat(" ", questions.Content[0].Column-1)
		list = nil
		for i := 0; i+1 < len(questions.Content); i += 2 {
			if questions.Content[i].Value == section {
				list = questions.Content[i+1]
			}
		}
		if list == nil {
			last := lastLine(questions)
			return insertLines(text, last+1, fmt.Sprintf("%s%s:\n%s  - %s\n", indent, quoteKey(section), indent, quote(line))), nil
		}
	}
	if list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		return nil, errByHand
	}
	for _, item := range list.Content {
		if item.Value == line {
			return nil, nil
		}
	}
	// The column of an item is that of its text, two after its dash.
	indent = strings.Repeat(" ", max(0, list.Column-1))
	return insertLines(text, lastLine(list)+1, fmt.Sprintf("%s- %s\n", indent, quote(line))), nil
}

// lastLine is the last line of a node, from 1.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// closing is the line of the marker that closes the front matter, from 1.
func closing(text []byte) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := 1; i < len(lines); i++ {
		if string(bytes.TrimRight(lines[i], " \t")) == "---" {
			return i + 1
		}
	}
	return len(lines)
}

// insertLines puts lines before a line, counted from 1.
func insertLines(text []byte, before int, lines string) []byte {
	at := 0
	for range before - 1 {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			at = len(text)
			break
		}
		at += next + 1
	}
	return slices.Concat(text[:at], []byte(lines), text[at:])
}

// asks reports whether a text has the question for the section, or for the whole file,
// and reads as front matter without a fault.
func asks(text []byte, section, line string) bool {
	block, faults := frontmatter.Read(text, frontmatter.Options{})
	if len(faults) > 0 || block.Node == nil {
		return false
	}
	top := frontmatter.NewMap("", block.Node, nil)
	list, _ := top.StringOrStrings(keyQuestions)
	if node := top.Value(keyQuestions); node != nil && node.Kind == yaml.MappingNode {
		list, _ = top.Map(keyQuestions).StringOrStrings(section)
	}
	return slices.Contains(list, line)
}

// quote writes a string of one line in double quotes.
func quote(line string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line) + `"`
}

// quoteKey writes a section id, in quotes where YAML needs them.
func quoteKey(section string) string {
	if section == "" || strings.Trim(section, "abcdefghijklmnopqrstuvwxyz-") != "" || strings.HasPrefix(section, "-") ||
		slices.Contains([]string{"yes", "no", "on", "off", "true", "false", "null", "y", "n"}, section) {
		return quote(section)
	}
	return section
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// OfferQuestions offers the query of each section that was lost as a question of its
// page, on ask, and writes those that the author agrees to: a line "y" of in for each.
// What was written is added to Written and reported on out. Validation queries are never
// offered, and none for a section that does not exist.
func (e *Run) OfferQuestions(in io.Reader, ask, out io.Writer) error {
	answers := bufio.NewScanner(in)
	for _, c := range e.Contexts {
		for i := range c.Report.Results {
			r := &c.Report.Results[i]
			for _, m := range r.Misses {
				document, section, ok := strings.Cut(m.Section, "#")
				if !ok || !strings.HasSuffix(document, ".md") || m.Rule == resolver.BySplit {
					continue
				}
				fmt.Fprintf(ask, "%s: add the question %q? [y/N] ", diag.Printable(m.Section), diag.Printable(r.Case.Query))
				agreed := answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
				fmt.Fprintln(ask)
				if !agreed {
					continue
				}
				if err := writeQuestion(e, c.member, document, section, r.Case.Query, ask, out); err != nil {
					return err
				}
			}
		}
	}
	if err := answers.Err(); err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	return nil
}

// writeQuestion writes one question into the front matter of a file of a pack. A file
// whose front matter cannot be rewritten is left as it is, with a note.
func writeQuestion(e *Run, m *repo.Member, document, section, question string, note, out io.Writer) error {
	name := diag.Printable(m.Dir + "/" + document)
	text, err := m.Pack.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	now, err := addQuestionTo(text, section, question)
	if err != nil {
		fmt.Fprintf(note, "note: %s: %v\n", name, err)
		return nil
	}
	if err := e.write(e.ws.Paths.Abs(m.Dir), m.Dir+"/"+document, document, now); err != nil {
		return err
	}
	verb := "wrote"
	if e.DryRun {
		verb = "would write"
	}
	fmt.Fprintf(out, "%s %s\n", verb, name)
	return nil
}
