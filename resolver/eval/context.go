package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/strictyaml"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/repo"
)

// ContextPath is where a pack keeps its queries for the context resolver.
const ContextPath = "evals/context.yaml"

// Limits of a suite.
const (
	maxSuiteBytes = 1 << 20
	maxCases      = 10_000
)

// ContextSuite is evals/context.yaml: queries with the sections that must be
// selected for them.
type ContextSuite struct {
	Pack   string
	Budget int   // tokens for cases that name none; 0 is the resolver's default
	Least  Least // figures that the validation half must reach
	Cases  []ContextCase
}

// Least are figures below which an eval fails, each from 0 to 1; 0 asks for nothing.
type Least struct {
	Recall    float64
	Precision float64
	Refused   float64 // of the queries that cannot be answered
}

// ContextCase is one query. Sections are named as documents/x.md#section,
// wiki/x.md, or by the path of a split or view.
type ContextCase struct {
	Query      string
	Also       []string // other wordings, as a caller gives them
	Required   []string // must be selected
	Forbidden  []string // must not be
	Budget     int      // tokens
	Answerable *bool    // false: nothing in the pack answers it
	Paraphrase bool     // asks in other words than the text
	Line       int      // in the suite
}

// MayBeAnswered is true unless the case says otherwise.
func (c *ContextCase) MayBeAnswered() bool { return c.Answerable == nil || *c.Answerable }

// ReadContextSuite reads a suite strictly: unknown and repeated keys, values of
// a wrong type, and cases that ask for nothing are faults. The suite is nil when
// there is one.
func ReadContextSuite(path string, data []byte) (*ContextSuite, []diag.Diagnostic) {
	fault := func(message, hint string) (*ContextSuite, []diag.Diagnostic) {
		return nil, []diag.Diagnostic{{ID: idSchema, Severity: diag.Error, Path: path, Message: message, Hint: hint}}
	}
	if len(data) > maxSuiteBytes {
		return fault(fmt.Sprintf("the suite is larger than %s", bytesize.Text(maxSuiteBytes)), "split the suite")
	}
	suite := &ContextSuite{}
	r := &strictyaml.Reader{Options: strictyaml.Options{ID: idSchema, Path: path}}
	doc := r.Document(data)
	if doc == nil && len(r.Faults) == 0 {
		return fault("the suite is empty", "add cases, each with a query and what it requires")
	}
	if doc != nil {
		r.Mapping(doc.Content[0], "", strictyaml.Keys{
			"pack_name": r.Text(&suite.Pack),
			"budget":    r.Whole(&suite.Budget, 0),
			"least": func(n *yaml.Node) {
				r.Mapping(n, "least.", strictyaml.Keys{
					"recall": fractionIn(r, &suite.Least.Recall), "precision": fractionIn(r, &suite.Least.Precision), "refused": fractionIn(r, &suite.Least.Refused),
				})
			},
			"cases": r.Each(maxCases, func(n *yaml.Node) { suite.Cases = append(suite.Cases, readCase(r, n)) }),
		})
	}
	if len(r.Faults) > 0 {
		return nil, r.Faults
	}
	if len(suite.Cases) == 0 {
		return fault("the suite has no cases", "add cases, each with a query and what it requires")
	}
	var faults []diag.Diagnostic
	for i := range suite.Cases {
		c := &suite.Cases[i]
		message, hint := "", ""
		switch {
		case strings.TrimSpace(c.Query) == "":
			message, hint = "has no query", "add query: with the words of a user"
		case c.MayBeAnswered() && len(c.Required)+len(c.Forbidden) == 0:
			message, hint = "requires and forbids nothing", "add required: or forbidden: with ids of sections"
		case !c.MayBeAnswered() && len(c.Required) > 0:
			message, hint = "is not answerable and requires something", "remove required:, or answerable: false"
		}
		if message != "" {
			_, f := fault(fmt.Sprintf("case %d %s", i+1, message), hint)
			faults = append(faults, f...)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return suite, nil
}

// fractionIn reads a number from 0 to 1.
func fractionIn(r *strictyaml.Reader, field *float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		share, err := strconv.ParseFloat(n.Value, 64)
		if err != nil || strictyaml.Type(n) != strictyaml.Number || !(share >= 0 && share <= 1) {
			r.Fault(n, "write 0.7 for seven of ten", "the value must be a number from 0 to 1, not %q", n.Value)
			return
		}
		*field = share
	}
}

// readCase reads one element of "cases".
func readCase(r *strictyaml.Reader, n *yaml.Node) ContextCase {
	c := ContextCase{Line: n.Line}
	r.Mapping(n, "", strictyaml.Keys{
		"query":     r.Text(&c.Query),
		"also":      r.List(&c.Also, strictyaml.Any),
		"required":  r.List(&c.Required, strictyaml.Any),
		"forbidden": r.List(&c.Forbidden, strictyaml.Any),
		"budget":    r.Whole(&c.Budget, 0),
		"answerable": func(n *yaml.Node) {
			c.Answerable = new(bool)
			r.Bool(c.Answerable)(n)
		},
		"paraphrase": r.Bool(&c.Paraphrase),
	})
	return c
}

// contextOptions say how to run a suite.
type contextOptions struct {
	Scorer  rank.Scorer // nil is the resolver's default
	Misses  bool        // say why the lost sections of the train half were lost
	Budgets []int       // tokens at which the curve is drawn; nil draws none
	// Among are the packs of the repository, the suite's too, in which nobody names one. The
	// queries are asked over all of them, as users ask; nil asks them inside the pack alone.
	Among []resolver.Pack
}

// ContextResult is what one case gave.
type ContextResult struct {
	Case      ContextCase
	Selected  []resolver.Selected
	Found     []string        // required sections that were selected
	Lost      []string        // required sections that were not
	Misses    []resolver.Miss // why the lost ones were lost, where that was asked for
	Forbidden []string        // forbidden sections that were selected
	Matched   int             // files that were selected for the query, not by default or as a boundary
	Hits      int             // matched files that were required
	Tokens    int
	Over      bool // the budget was exceeded
	Sure      bool // the resolver says so of its selection
	False     bool // the query cannot be answered, and the resolver is sure of its selection
	Passed    bool
}

// ContextSummary sums cases up. Ratios of nothing are 0.
type ContextSummary struct {
	Cases            int     `json:"cases"`
	Passed           int     `json:"passed"`
	Recall           float64 `json:"recall"`            // mean share of the required sections that were selected
	ParaphraseRecall float64 `json:"paraphrase_recall"` // the same over paraphrases
	Precision        float64 `json:"precision"`         // matched files that were required, over all matched files of queries that require some
	Tokens           float64 `json:"tokens"`            // mean of the selections
	Violations       int     `json:"budget_violations"` // selections above their budget
	Forbidden        int     `json:"forbidden"`         // cases in which a forbidden section was selected
	Unanswerable     int     `json:"unanswerable"`
	FalseAnswers     int     `json:"false_answers"` // of the unanswerable ones: the resolver was sure
	Uncertain        int     `json:"uncertain"`     // answerable queries with an uncertain answer
}

// CurvePoint is one budget of the curve of recall against budget.
type CurvePoint struct {
	Budget    int     `json:"budget"` // tokens
	Recall    float64 `json:"recall"`
	Precision float64 `json:"precision"`
	Tokens    float64 `json:"tokens"`

	Results []ContextResult `json:"-"` // that the figures are taken over
}

// ContextReport is what a suite gave.
type ContextReport struct {
	Results []ContextResult
	Summary ContextSummary
	Inside  ContextSummary // the same when the pack is named
	Curve   []CurvePoint
	Unknown []UnknownSection
}

// UnknownSection is a section that a case requires and the pack does not have.
type UnknownSection struct {
	Line int // of the case in the suite
	Name string
}

// unknownSections are the required sections of documents and pages that do not exist,
// whose queries can never find them.
func unknownSections(ctx context.Context, open *resolver.Collection, results []ContextResult) (list []UnknownSection, err error) {
	var all []resolver.SectionInfo
	for i := range results {
		for _, name := range results[i].Lost {
			if document, _, _ := strings.Cut(name, "#"); !strings.HasSuffix(document, ".md") || strings.HasPrefix(document, "compiled/") {
				continue
			}
			if all == nil {
				if all, err = open.Sections(ctx); err != nil {
					return nil, err
				}
			}
			if !slices.ContainsFunc(all, func(s resolver.SectionInfo) bool {
				return covers(resolver.File{Path: s.Path, Document: s.Document, Sections: s.Sections}, name)
			}) {
				list = append(list, UnknownSection{results[i].Case.Line, name})
			}
		}
	}
	return list, nil
}

// runContext runs a suite over the packs of its repository, and inside the pack alone, which
// then counts as named by the user, with every status allowed. The curve runs all cases
// again at each of its budgets. The error is that of the resolver.
func runContext(ctx context.Context, p resolver.Pack, suite *ContextSuite, o contextOptions) (*ContextReport, error) {
	p.Activation, p.Unapproved = resolver.Explicit, false
	open, err := resolver.Open(ctx, []resolver.Pack{p})
	if err != nil {
		return nil, err
	}
	asked := asking{open, p.Dir, resolver.Request{Scorer: o.Scorer, NoContext: true, Allow: []schema.Status{schema.Draft, schema.Archived}, Confirm: []schema.Status{schema.Disputed}}}
	inside, err := asked.run(ctx, suite, o.Budgets)
	if err != nil {
		return nil, err
	}
	if o.Misses {
		if err := asked.misses(ctx, suite, inside[0]); err != nil {
			return nil, err
		}
	}
	report := &ContextReport{Inside: summaryOf(inside[0])}
	if report.Unknown, err = unknownSections(ctx, open, inside[0]); err != nil {
		return nil, err
	}
	runs := inside
	if len(o.Among) > 1 {
		all, err := resolver.Open(ctx, o.Among)
		if err != nil {
			return nil, err
		}
		if runs, err = (asking{all, p.Dir, resolver.Request{Scorer: o.Scorer, NoContext: true}}).run(ctx, suite, o.Budgets); err != nil {
			return nil, err
		}
		for i := range runs[0] {
			runs[0][i].Misses = inside[0][i].Misses
		}
	}
	report.Results, report.Summary = runs[0], summaryOf(runs[0])
	for i, budget := range o.Budgets {
		s := summaryOf(runs[i+1])
		report.Curve = append(report.Curve, CurvePoint{budget, s.Recall, s.Precision, s.Tokens, runs[i+1]})
	}
	return report, nil
}

// asking is packs that the queries of a suite are asked.
type asking struct {
	open *resolver.Collection
	dir  string // of the suite's pack
	req  resolver.Request
}

// request is that of a case with its budget.
func (a asking) request(suite *ContextSuite, c *ContextCase) resolver.Request {
	req := a.req
	req.Query, req.Also, req.Budget = c.Query, c.Also, cmp.Or(c.Budget, suite.Budget)
	return req
}

// run runs all cases: with their own budgets, then with each of some budgets.
func (a asking) run(ctx context.Context, suite *ContextSuite, more []int) ([][]ContextResult, error) {
	runs := make([][]ContextResult, len(more)+1)
	for i := range runs {
		runs[i] = make([]ContextResult, len(suite.Cases))
	}
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range suite.Cases {
		group.Go(func() error {
			req := a.request(suite, &suite.Cases[i])
			budgets := append([]int{req.Budget}, more...)
			list, err := a.open.ResolveAt(running, req, budgets)
			if err != nil {
				return fmt.Errorf("case %d of %s: %w", i+1, ContextPath, err)
			}
			for run, r := range list {
				limit := max(cmp.Or(budgets[run], resolver.DefaultBudget), resolver.MinBudget)
				runs[run][i] = judge(suite.Cases[i], r, a.dir, limit)
			}
			return nil
		})
	}
	return runs, group.Wait()
}

// misses says why the lost sections of the train half were lost.
func (a asking) misses(ctx context.Context, suite *ContextSuite, results []ContextResult) error {
	for i := range results {
		r := &results[i]
		if len(r.Lost) == 0 || r.Case.Half() != Train {
			continue
		}
		var err error
		if r.Misses, err = a.open.Misses(ctx, a.request(suite, &r.Case), r.Lost, covers); err != nil {
			return err
		}
	}
	return nil
}

// judge compares a resolution with what the case asks of the pack in a directory.
func judge(c ContextCase, r *resolver.Resolution, dir string, limit int) ContextResult {
	out := ContextResult{Case: c, Selected: r.Selection, Tokens: r.TokenEstimate, Over: r.TokenEstimate > limit}
	var files []resolver.File // in the order of the selection
	var own []bool
	for _, a := range r.Activated {
		for _, f := range a.Files {
			files, own = append(files, f), append(own, a.Dir == dir)
		}
	}
	selected := func(ref string) bool {
		for i := range files {
			if own[i] && covers(files[i], ref) {
				return true
			}
		}
		return false
	}
	for _, ref := range c.Required {
		if selected(ref) {
			out.Found = append(out.Found, ref)
		} else {
			out.Lost = append(out.Lost, ref)
		}
	}
	for _, ref := range c.Forbidden {
		if selected(ref) {
			out.Forbidden = append(out.Forbidden, ref)
		}
	}
	for i, s := range r.Selection {
		if !forQuery(s.Reason) {
			continue
		}
		out.Matched++
		if own[i] && slices.ContainsFunc(c.Required, func(ref string) bool { return covers(files[i], ref) }) {
			out.Hits++
		}
	}
	out.Sure = r.Confidence == resolver.Sure
	out.False = !c.MayBeAnswered() && r.Confidence == resolver.Sure
	out.Passed = len(out.Lost)+len(out.Forbidden) == 0 && !out.Over && !out.False
	return out
}

// forQuery reports whether a file was selected because of the query's words.
func forQuery(reason string) bool {
	return reason != "default" && reason != "boundary" && !strings.HasPrefix(reason, "persona:")
}

// covers reports whether a selected file is the section that a case names.
func covers(f resolver.File, ref string) bool {
	if f.Path == ref || f.Document == ref {
		return true
	}
	document, section, ok := strings.Cut(ref, "#")
	return ok && f.Document == document && slices.Contains(f.Sections, section)
}

// summaryOf sums results up; those of several suites may be joined first.
func summaryOf(results []ContextResult) ContextSummary {
	s := ContextSummary{Cases: len(results)}
	var recall, paraphrase, tokens float64
	answerable, paraphrases, matched, hits := 0, 0, 0, 0
	for i := range results {
		r := &results[i]
		tokens += float64(r.Tokens)
		tally(&s.Passed, r.Passed)
		tally(&s.Violations, r.Over)
		tally(&s.Forbidden, len(r.Forbidden) > 0)
		if !r.Case.MayBeAnswered() {
			s.Unanswerable++
			tally(&s.FalseAnswers, r.False)
			continue
		}
		if len(r.Case.Required) == 0 {
			continue
		}
		tally(&s.Uncertain, !r.Sure)
		share := float64(len(r.Found)) / float64(len(r.Case.Required))
		answerable++
		recall += share
		matched += r.Matched
		hits += r.Hits
		if r.Case.Paraphrase {
			paraphrases++
			paraphrase += share
		}
	}
	s.Recall, s.ParaphraseRecall = mean(recall, answerable), mean(paraphrase, paraphrases)
	s.Precision, s.Tokens = mean(float64(hits), matched), mean(tokens, len(results))
	return s
}

func tally(n *int, yes bool) {
	if yes {
		*n++
	}
}

func mean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// Need is a section without a question of its author, with the reasons to write one.
type Need struct {
	Pack    string   `json:"pack"`
	Path    string   `json:"path"`
	Section string   `json:"section"` // as questions: and evals name it
	Tokens  int      `json:"tokens"`
	Lost    int      `json:"lost"`    // queries of the train half that require it and do not find it
	Queries []string `json:"queries"` // recorded queries with an uncertain answer for which it was the best section
}

// Limits of records that are looked at.
const maxRecorded = 1000

// recordedQueries are the queries of the records of a pack, runs/context-*.json, whose
// answer was uncertain or lacked something, each once, in the order of the records.
func recordedQueries(p *pack.Pack) []string {
	var list []string
	seen := map[string]bool{}
	for _, f := range p.List("runs") {
		base := path.Base(f.Path)
		if !strings.HasPrefix(base, "context-") || !strings.HasSuffix(base, ".json") || len(list) == maxRecorded {
			continue
		}
		data, err := p.ReadFile(f.Path)
		if err != nil {
			continue // a record that cannot be read asks for nothing
		}
		var record struct {
			Query   string   `json:"query"`
			Missing []string `json:"missing"`
		}
		if json.Unmarshal(data, &record) != nil || len(record.Missing) == 0 || record.Query == "" || seen[record.Query] {
			continue
		}
		seen[record.Query] = true
		list = append(list, record.Query)
	}
	return list
}

// needsOf lists the sections of a pack that have no question of their author, most
// needed first: those that evals lose, then those that recorded queries come nearest
// to, then the largest. results are those of the pack's context suite, with misses; nil
// when it has none. total counts all sections.
func needsOf(ctx context.Context, p resolver.Pack, results []ContextResult, recorded []string) (needs []Need, total int, err error) {
	p.Activation, p.Unapproved = resolver.Explicit, false
	open, err := resolver.Open(ctx, []resolver.Pack{p})
	if err != nil {
		return nil, 0, err
	}
	sections, err := open.Sections(ctx)
	if err != nil {
		return nil, 0, err
	}
	place := map[string]int{}
	for _, s := range sections {
		if s.Questions == 0 {
			place[s.Path] = len(needs)
			need := Need{Path: s.Path, Section: s.Document, Tokens: s.Tokens, Queries: []string{}}
			if s.Section != "" {
				need.Section += "#" + s.Section
			}
			needs = append(needs, need)
		}
	}
	for i := range results {
		for _, m := range results[i].Misses {
			if at, ok := place[m.Path]; ok {
				needs[at].Lost++
			}
		}
	}
	for _, query := range recorded {
		r, err := open.Resolve(ctx, resolver.Request{Query: query, NoContext: true, Allow: []schema.Status{schema.Draft, schema.Archived}, Confirm: []schema.Status{schema.Disputed}})
		if err != nil {
			return nil, 0, err
		}
		if len(r.Selection) == 0 || !forQuery(r.Selection[0].Reason) {
			continue
		}
		if at, ok := place[r.Selection[0].Path]; ok {
			needs[at].Queries = append(needs[at].Queries, secret.Redact(query))
		}
	}
	slices.SortStableFunc(needs, func(a, b Need) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(len(b.Queries), len(a.Queries)), cmp.Compare(b.Tokens, a.Tokens))
	})
	return needs, len(sections), nil
}

// QuestionsNeeded lists, for each of the named packs, or all, the sections without a
// question of their author, at most limit of a pack unless that is 0, with a note a
// pack that counts them.
func QuestionsNeeded(ctx context.Context, w *repo.Repo, open Open, names []string, limit int) (list []Need, notes []string, err error) {
	all, chosen, err := w.OpenForCheck(names)
	if err != nil {
		return nil, nil, err
	}
	defer all.Close()
	list = []Need{}
	for _, m := range chosen.Members {
		if m.Pack == nil {
			continue
		}
		p, err := open(m.Dir, resolver.Explicit)
		if err != nil {
			return nil, nil, err
		}
		suite, _, err := ContextSuiteOf(m)
		if err != nil {
			return nil, nil, err
		}
		var results []ContextResult
		if suite != nil {
			report, err := measure(ctx, p, m, suite, contextOptions{Misses: true})
			if err != nil {
				return nil, nil, err
			}
			results = report.Results
		}
		needs, total, err := needsOf(ctx, p, results, recordedQueries(m.Pack))
		if err != nil {
			return nil, nil, fmt.Errorf("list the sections of %s: %w", m.Dir, err)
		}
		for i, n := range needs {
			if limit > 0 && i == limit {
				break
			}
			n.Pack = m.Name()
			list = append(list, n)
		}
		notes = append(notes, fmt.Sprintf("%s: %s of %s sections have no question", m.Name(), amount.Grouped(len(needs)), amount.Grouped(total)))
	}
	return list, notes, nil
}
