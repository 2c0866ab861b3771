package compiler

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
)

// material is what was read of a pack: every file by itself, and what earlier runs
// recorded of the claims.
type material struct {
	*opened
	files   []*file // Markdown files of documents/ and wiki/: compile order, then the rest
	byPath  map[string]*file
	guide   *file             // KNOWLEDGE.md, for its links
	limits  []string          // list items of the guide that are under a boundary heading
	inputs  map[string]*input // every input by path
	history *history
	ledger  *baseline.Ledger // of the claims as they are now
	sources copySources
	known   publishedClaims
	found   []diag.Diagnostic // about files that are not units
}

// readUnits does the actions of all files, in parallel.
func (c *opened) readUnits(ctx context.Context) (*material, error) {
	m := &material{opened: c, byPath: map[string]*file{}, inputs: make(map[string]*input, len(c.pack.Files))}
	m.sources.pack = c.pack
	var err error
	if m.history, err = openHistory(c.out.old); err != nil {
		return nil, err
	}
	m.readGuide()
	if err := m.readOthers(ctx); err != nil {
		return nil, err
	}
	if err := m.orderFiles(ctx); err != nil {
		return nil, err
	}
	if err := m.parallel(ctx, len(m.files), func(i int) error { return m.analyse(ctx, m.files[i]) }); err != nil {
		return nil, err
	}
	m.addUnits()
	if err := m.findCopies(ctx); err != nil {
		return nil, err
	}
	if !m.recallHistory() {
		m.history.read(m.files, m.pack)
	}
	return m, m.assess(ctx)
}

// readGuide reads the guide: its limits go into a view, and its links are judged
// like those of documents and pages.
func (m *material) readGuide() {
	doc := markdown.Parse(entryFile, m.pack.EntryText)
	m.guide = &file{path: entryFile}
	m.guide.describe(doc)
	m.guide.suppress, _ = lint.Suppressions(entryFile, doc.Text)
	m.guide.scan(doc)
	m.guide.links = linksOf(doc)
	if len(m.guide.secrets) == 0 {
		m.limits = doc.BoundaryItems()
	}
}

// orderFiles puts the Markdown files into compile order: the primary document,
// the other documents by path, the pages in page order; after them those that
// are inputs only.
func (m *material) orderFiles(ctx context.Context) error {
	for _, entry := range m.pack.Files {
		if isUnit(entry.Path) {
			f := &file{path: entry.Path, size: entry.Size, role: m.roleOf(entry.Path)}
			m.files = append(m.files, f)
			m.byPath[f.path] = f
		}
	}
	linked, err := m.linkedPages(ctx)
	if err != nil {
		return err
	}
	order := make(map[string]int, len(linked))
	for i, name := range linked {
		order[name] = i - len(linked) // before the pages that nobody links to
		m.byPath[name].linkedTo = true
	}
	slices.SortFunc(m.files, func(a, b *file) int {
		return cmp.Or(
			cmp.Compare(m.rank(a), m.rank(b)),
			cmp.Compare(order[a.path], order[b.path]),
			strings.Compare(a.path, b.path),
		)
	})
	return nil
}

// rank orders the groups of files.
func (m *material) rank(f *file) int {
	switch {
	case f.role == inputOnly:
		return 3
	case !strings.HasPrefix(f.path, "documents/"):
		return 2 // pages have an order of their own, even one that is declared primary
	case f.path == m.pack.Meta.PrimaryDocument:
		return 0
	}
	return 1
}

// linkedPages reads wiki/index.md before all other files, since the order of the
// pages depends on it, and returns the pages it links to.
func (m *material) linkedPages(ctx context.Context) ([]string, error) {
	f := m.byPath[wikiIndex]
	if !m.wiki || f == nil {
		return nil, nil
	}
	if err := m.analyse(ctx, f); err != nil {
		return nil, err
	}
	f.read = true
	a, err := m.asideOf(f)
	return pageOrder(a.links, m.isPage), err
}

// isPage reports whether a path is a wiki page that has a place in page order.
func (m *material) isPage(name string) bool {
	f := m.byPath[name]
	return f != nil && f.role != inputOnly && strings.HasPrefix(name, "wiki/")
}

// addUnits puts the units and the guide among the inputs, once all citations are known.
func (m *material) addUnits() {
	cited := map[string]bool{} // files of which anchors cite a heading
	for _, f := range m.files {
		for _, a := range f.citations {
			if isSlug(a.fragment) {
				cited[a.path] = true
			}
		}
	}
	if m.pack.Has(entryFile) {
		m.inputs[entryFile] = &input{sha256: schema.SHA256(m.pack.Entry)}
	}
	for _, f := range m.files {
		in := &input{sha256: f.info.SHA256, lines: f.lines}
		if cited[f.path] {
			in.ids = make(map[string]bool, len(f.info.Headings))
			for _, h := range f.info.Headings {
				in.ids[h.ID] = true
			}
		}
		m.inputs[f.path] = in
	}
}
