package context

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

// SectionInfo is a section that queries are ranked over.
type SectionInfo struct {
	Path      string // of the split or page, or documents/x.md#section
	Document  string
	Section   string   // id in the document
	Sections  []string // ids of all sections in it
	Tokens    int
	Questions int // of its author, those for the whole document included
}

// Sections lists the sections of the first pack that a query is ranked over, in
// compile order.
func (o *Collection) Sections(ctx context.Context) ([]SectionInfo, error) {
	req := Request{Scorer: rank.BM25F{}, Allow: []schema.Status{schema.Draft, schema.Archived}, Confirm: []schema.Status{schema.Disputed}}
	p, err := o.firstPicker(ctx, &req)
	if err != nil {
		return nil, fmt.Errorf("list sections: %w", err)
	}
	if p == nil {
		return nil, nil
	}
	var out []SectionInfo
	for i, s := range p.sections(all(p.pool), p.questions()) {
		u := p.pool.at(i)
		out = append(out, SectionInfo{s.Path, s.Document, u.section, u.sections, token.Estimate(s.Text), len(s.Questions)})
	}
	return out, nil
}

// firstPicker is what selects from the first pack that a request activates; nil when it
// activates none, or one that holds nothing to select from.
func (o *Collection) firstPicker(ctx context.Context, req *Request) (*picker, error) {
	chosen, err := (&competition{Collection: o, req: req}).choose(ctx)
	if err != nil || len(chosen) == 0 {
		return nil, err
	}
	return chosen[0].picker, nil
}
