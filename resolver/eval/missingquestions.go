package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
)

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
