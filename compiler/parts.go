package compiler

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/schema"
)

// parts notes where the part of each file lies in the records and views, for the
// next compile to replace it. A nil one notes nothing.
type parts struct {
	list   []cache.Part
	places map[string]int // of paths in the list
}

// openParts begins to note the parts of files that are in compile order.
func openParts(files []*file) *parts {
	p := &parts{list: make([]cache.Part, len(files)), places: make(map[string]int, len(files))}
	for i, f := range files {
		p.list[i].Path = f.path
		p.places[f.path] = i
	}
	return p
}

// of returns the part of a file; one that is thrown away for a file that is none.
func (p *parts) of(path string) *cache.Part {
	if p != nil {
		if i, ok := p.places[path]; ok {
			return &p.list[i]
		}
	}
	return &cache.Part{}
}

// lengths returns a mark for [schema.WriteMarked] that adds up, for each file, the
// bytes of its elements in the lists of a record. Whose tells the file of an
// element, field where the sum is kept.
func (p *parts) lengths(lists map[string]partList) func(list string, i, at int) {
	if p == nil {
		return nil
	}
	last := 0
	return func(list string, i, at int) {
		l, ok := lists[list]
		if !ok {
			return
		}
		if i < 0 { // the text may be written more than once
			for j := range p.list {
				*l.field(&p.list[j]) = 0
			}
		} else {
			*l.field(p.of(l.whose(i))) += at - last
		}
		last = at
	}
}

// partList tells about the elements of a list of a record.
type partList struct {
	whose func(i int) string
	field func(*cache.Part) *int
}

func sourceMapLists(m *schema.SourceMap) map[string]partList {
	return map[string]partList{
		"claims":            {func(i int) string { return m.Claims[i].Document }, func(p *cache.Part) *int { return &p.Claims }},
		"document_sections": {func(i int) string { return m.DocumentSections[i].Document }, func(p *cache.Part) *int { return &p.Sections }},
	}
}

func indexLists(x *schema.Index) map[string]partList {
	return map[string]partList{
		"splits": {func(i int) string { return x.Splits[i].Document }, func(p *cache.Part) *int { return &p.Splits }},
	}
}

func runLists(r *schema.Run) map[string]partList {
	return map[string]partList{
		"chapters": {func(i int) string { return r.Chapters[i].Document }, func(p *cache.Part) *int { return &p.Chapters }},
	}
}

// joined is what the next compile needs to replace the parts of single files; nil
// when there is none.
func (c *compilation) joined(r *Result) *cache.Joined {
	if c.parts == nil || r.RunPath == "" || c.out.once || len(c.copies.late) > 0 {
		return nil
	}
	j := &cache.Joined{Run: r.RunPath, Parts: c.parts.list}
	for _, d := range r.Diagnostics {
		j.Copied = j.Copied || d.ID == gateRawCopy
	}
	j.Disputed = slices.ContainsFunc(r.SourceMap.Claims, func(claim schema.Claim) bool {
		return claim.Status == disputed || strings.HasPrefix(claim.Document, wikiContradictions)
	})
	for _, f := range c.files {
		p := c.parts.of(f.path)
		p.Status, p.Walked, p.Target = f.info.Status, f.walked, c.targets[f.path]
	}
	given := make(map[cache.ClaimID]int, len(c.ids))
	for id, n := range c.ids {
		given[claimID(id)] = n
	}
	j.Claims = cache.NewClaims(given)
	return j
}

// claimID is the hash in a claim id, with or without a number.
func claimID(id string) (sum cache.ClaimID) {
	id = strings.TrimPrefix(id, "clm-")
	if len(id) >= 2*len(sum) {
		_, _ = hex.Decode(sum[:], []byte(id[:2*len(sum)]))
	}
	return sum
}

// aim notes that a file is cited, or that a heading of it is linked to.
func (c *compilation) aim(from *file, target string) {
	if c.cache != nil && target != from.path && isUnit(target) {
		if c.targets == nil {
			c.targets = map[string]bool{}
		}
		c.targets[target] = true
	}
}
