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

// facts are what is kept of a page.
type facts struct {
	title           string
	status          schema.Status
	line, column    int
	limits          bool
	aliases, answer []string
	ids             map[string]bool
	found           []diag.Diagnostic
	targets         []string // where links lead, each once after its kind: nothing else is asked of them
}

// Facts returns what the rules of Findings need to know of one parsed file, and what is
// wrong with it alone, for AddFacts.
func Facts(doc *markdown.Document) []byte {
	p := readPage(doc)
	var targets []string
	for _, l := range p.links {
		if l.target != p.path {
			targets = append(targets, string(l.kind)+l.target)
		}
	}
	slices.Sort(targets)
	return store.Encode(&facts{p.title, p.status, p.line, p.column, p.limits, p.aliases, p.answer, p.ids, p.found, slices.Compact(targets)})
}

// AddFacts takes in a file by what Facts made of it; false when that is damaged.
func (c *Checker) AddFacts(path string, kept []byte) bool {
	var f facts
	if !store.Decode(kept, &f) {
		return false
	}
	p := &page{path: path, title: f.title, status: f.status, line: f.line, column: f.column, limits: f.limits, aliases: f.aliases, answer: f.answer, ids: f.ids, found: f.found}
	for _, t := range f.targets {
		if t != "" {
			p.links = append(p.links, reference{kind: t[0], target: t[1:]})
		}
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
