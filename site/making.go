package site

import (
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// making is a pack while its files are made.
type making struct {
	b     *build
	ps    *model.Pack
	facts *packFacts
	pages *page.Pages // makes the views of its pages
	files packFiles

	mu      sync.Mutex
	outputs outputList // below the site root
}

// open reads what the pages of a pack need to know of each other, and what the site as a
// whole says of it.
func (b *build) open(r *compiler.Result) (*making, error) {
	ps, err := b.read(r)
	if err != nil {
		return nil, err
	}
	if b.in.Open != nil && r.RunPath != "" {
		ps.History.KeepNewest()
	}
	return b.making(ps, factsOf(ps)), nil
}

func (b *build) making(ps *model.Pack, facts *packFacts) *making {
	w := &making{b: b, ps: ps, facts: facts, files: packFiles{ps: ps, written: b.in.Open}}
	w.pages = &page.Pages{Frames: b.frames, Model: ps, Highlighter: b.paint, Report: w.report, Retrieval: b.in.Retrieval[ps.Name]}
	return w
}

// read reads what the pages of a pack need to know of each other.
func (b *build) read(r *compiler.Result) (*model.Pack, error) {
	ps, err := model.Of(r, model.Settings{
		Sources: b.opts.PublishSources, Excerpts: b.opts.Excerpts, Edit: b.opts.Edit, Locate: b.opts.Locate,
		Changed: b.opts.Changed, Read: b.in.Read,
	}, b.opts.Store)
	if err != nil {
		return nil, &PackError{r.Pack.Meta.Name, err}
	}
	return ps, nil
}

// close lets go what is in temporary files.
func (w *making) close() {
	w.ps.Close()
	w.outputs.close()
}

// report notes findings about the pack.
func (w *making) report(list ...diag.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts.diags = append(w.facts.diags, list...)
}

// made notes a file of the pack.
func (w *making) made(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outputs.add(path)
}

// keep adds a file of the pack to the new site without its bytes, when it is
// there untouched with that digest.
func (w *making) keep(path string, sum store.Digest) bool {
	if !w.b.keep(path, sum) {
		return false
	}
	w.made(path)
	return true
}

// factsOf is what the site as a whole says of a pack, as far as that is known before its
// files are made.
func factsOf(ps *model.Pack) *packFacts {
	f := &packFacts{
		pack: ps.Pack, name: ps.Name, dir: ps.Dir, card: cardOf(ps), status: ps.Result.Run.Status,
		prompts: shortPrompts(ps), changes: changesOf(ps), pages: []string{ps.Dir}, diags: ps.Links.Found,
	}
	f.first, f.lists = searchLinks(ps)
	for _, n := range ps.Nodes {
		f.pages = append(f.pages, n.Out)
	}
	for _, dir := range slices.Sorted(maps.Keys(ps.Folders)) {
		if in := ps.Folders[dir]; in.Index == nil {
			f.pages = append(f.pages, in.Out)
		}
	}
	for _, v := range ps.Result.Index.Views {
		if ps.HasView(v.Path) {
			f.pages = append(f.pages, ps.Dir+model.HTMLPath(v.Path))
		}
	}
	f.pages = append(f.pages, ps.Dir+"claims.html", ps.Dir+"history.html", ps.Dir+page.GraphName)
	return f
}

// put hands a file of the pack to the sink.
func (w *making) put(path string, data []byte) error {
	w.made(path)
	return w.b.put(path, data)
}

// putFrom is put for a file that may be as large as the pack.
func (w *making) putFrom(path string, content publish.Content) (int64, error) {
	w.made(path)
	return w.b.putFrom(path, content)
}

// putRecord publishes a record of the pack in the bytes that compile has written, or
// would write.
func (w *making) putRecord(name string, record any) error {
	out := w.ps.Dir + name
	w.made(out)
	if w.b.in.Open == nil {
		return w.b.putRecord(out, record)
	}
	_, err := w.b.putFrom(out, func(to io.Writer) error {
		return copyFrom(to, func() (io.ReadCloser, error) { return w.b.in.Open(w.ps.Pack, name) })
	})
	return err
}

// render puts a page of the pack into the sink.
func (w *making) render(page string, v templates.View) error {
	w.made(page)
	return w.b.render(page, v)
}

// plan plans a page of the pack.
func (w *making) plan(out string, view func(out string) (templates.View, error)) {
	w.b.add(func() error {
		v, err := view(out)
		if err != nil {
			return err
		}
		return w.render(out, v)
	})
}
