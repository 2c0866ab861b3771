package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
)

// Need is a section without a question of its author, with the reasons to write one.
type Need struct {
	resolver.SectionInfo
	Lost    int      // queries of the train half that require it and do not find it
	Queries []string // recorded queries with an uncertain answer for which it was the best section
}

// Limits of records that are looked at.
const maxRecorded = 1000

// RecordedQueries are the queries of the records of a pack, runs/context-*.json, whose
// answer was uncertain or lacked something, each once, in the order of the records.
func RecordedQueries(p *pack.Pack) []string {
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

// Needs lists the sections of a pack that have no question of their author, most
// needed first: those that evals lose, then those that recorded queries come nearest
// to, then the largest. results are those of the pack's context suite, with misses; nil
// when it has none. total counts all sections.
func Needs(ctx context.Context, p resolver.Pack, results []ContextResult, recorded []string) (needs []Need, total int, err error) {
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
			needs = append(needs, Need{SectionInfo: s})
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
			needs[at].Queries = append(needs[at].Queries, query)
		}
	}
	slices.SortStableFunc(needs, func(a, b Need) int {
		return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(len(b.Queries), len(a.Queries)), cmp.Compare(b.Tokens, a.Tokens))
	})
	return needs, len(sections), nil
}
