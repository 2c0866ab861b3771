package lint

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// FactsKey is the version of what Facts writes.
const FactsKey = "1"

// Facts returns what the rules of Findings need to know of one parsed file, and what is
// wrong with it alone, for AddFacts.
func Facts(doc *markdown.Document) []byte {
	p := readPage(doc)
	w := store.NewWriter(1 << 10)
	w.Str(p.title)
	w.Str(string(p.status))
	w.Uint(p.line)
	w.Uint(p.column)
	w.Bool(p.limits)
	w.Strs(p.aliases)
	w.Strs(p.answer)
	ids := make([]string, 0, len(p.ids))
	for id := range p.ids {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	w.Strs(ids)
	w.Findings(p.found)
	packTargets(w, p)
	return w.Bytes()
}

// packTargets writes where the links of a page lead, each once: nothing else is asked of them.
func packTargets(w *store.Writer, p *page) {
	var targets []string
	for _, l := range p.links {
		if l.target != p.path {
			targets = append(targets, string(l.kind)+l.target)
		}
	}
	slices.Sort(targets)
	w.Strs(slices.Compact(targets))
}

// AddFacts takes in a file by what Facts made of it; false when that is damaged.
func (c *Checker) AddFacts(path string, facts []byte) bool {
	r := store.ReadBytes(facts)
	p := &page{path: path, title: r.Str(), status: schema.Status(r.Str()), line: r.Uint(), column: r.Uint(), limits: r.Bool(), aliases: r.Strs(), answer: r.Strs()}
	p.ids = map[string]bool{}
	for _, id := range r.Strs() {
		p.ids[id] = true
	}
	p.found = r.Findings()
	for _, t := range r.Strs() {
		if t != "" {
			p.links = append(p.links, reference{kind: t[0], target: t[1:]})
		}
	}
	if !r.Done() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages[path] = p
	return true
}

// AddText takes in a file that cannot be parsed as it is, or of which no facts are kept.
func (c *Checker) AddText(path string, data []byte) {
	if text, ok := frontmatter.Decode(data); ok {
		c.AddFacts(path, Facts(markdown.Parse(path, text)))
	}
}

// Findings applies the rules whose findings no phase of a compile reports, and returns the
// warnings and errors among them. Remarks, and what takes another look at every text, are
// left to Report. The files of documents/ and wiki/ were added; in is what the compile made.
func (c *Checker) Findings(ctx context.Context, in Compiled) ([]diag.Diagnostic, error) {
	r := c.run(in)
	r.guide = readPage(markdown.Parse(pack.EntryName, r.pack.EntryText))
	r.take(r.guide)
	r.namePages()
	if err := r.readHandKept(ctx); err != nil {
		return nil, err
	}
	r.checkFrontMatter()
	r.checkGuide()
	r.checkReferences()
	r.checkOrphans()
	r.checkDuplicates()
	for _, v := range r.views {
		r.checkView(v)
	}
	return slices.DeleteFunc(r.list, func(d diag.Diagnostic) bool { return d.Severity == diag.Info }), nil
}

// readHandKept reads the Markdown files of compiled/ that people made or edited, and where
// there are some, the records that they are compared with.
func (r *run) readHandKept(ctx context.Context) error {
	r.findHandKept()
	for _, v := range slices.Sorted(maps.Keys(r.generated)) {
		if r.generated[v] || !strings.HasSuffix(v, ".md") || !r.pack.Has(v) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.readView(v, readPage); err != nil {
			return err
		}
	}
	if len(r.views) == 0 {
		return nil
	}
	return r.readRecords()
}

// run begins an application of the rules to what was added.
func (c *Checker) run(in Compiled) *run {
	r := &run{pack: c.pack, in: in, by: map[string][]Suppression{}, byPath: map[string]*page{}}
	for _, p := range c.pages {
		r.pages = append(r.pages, p)
	}
	slices.SortFunc(r.pages, func(a, b *page) int { return strings.Compare(a.path, b.path) })
	for _, p := range r.pages {
		r.byPath[p.path] = p
		r.take(p)
	}
	return r
}
