package site

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
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

	mu     sync.Mutex
	others []string // files below the site root that are not those of one page
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
}

// report notes findings about the pack.
func (w *making) report(list ...diag.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts.diags = append(w.facts.diags, list...)
}

// made notes a file of the pack that is not of one page.
func (w *making) made(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.others = append(w.others, path)
}

// outputs yields the files that the site has of the pack: those of its pages, which are many
// in a large pack and are not listed, then the others in order.
func (w *making) outputs() iter.Seq[string] {
	return func(yield func(path string) bool) {
		for _, n := range w.ps.Nodes {
			for _, path := range outputsOf(w.ps, n) {
				if !yield(path) {
					return
				}
			}
		}
		slices.Sort(w.others)
		for _, path := range w.others {
			if !yield(path) {
				return
			}
		}
	}
}

// count returns how many files the site has of the pack.
func (w *making) count() int {
	n := len(w.others)
	for _, page := range w.ps.Nodes {
		n += len(outputsOf(w.ps, page))
	}
	return n
}

// outputsOf are the files that the site has of a page.
func outputsOf(ps *model.Pack, n *model.Node) []string {
	list := []string{n.Out, ps.Dir + n.Path}
	for _, former := range n.Facts.Former {
		list = append(list, ps.Dir+former+".html")
	}
	for _, s := range n.Facts.Splits {
		if model.IsIndexed(ps, n, s.Path) {
			list = append(list, ps.Dir+s.Path)
		}
	}
	return list
}

// factsOf is what the site as a whole says of a pack, as far as that is known before its
// files are made.
func factsOf(ps *model.Pack) *packFacts {
	f := &packFacts{pack: ps.Pack, name: ps.Name, dir: ps.Dir, diags: ps.Links.Found, said: packSaid{
		Card: cardOf(ps), Status: ps.Result.Run.Status, Prompts: shortPrompts(ps), Changes: changesOf(ps), Pages: []string{ps.Dir},
	}}
	f.said.First, f.said.Lists = searchLinks(ps)
	for _, n := range ps.Nodes {
		f.said.Pages = append(f.said.Pages, n.Out)
	}
	for _, dir := range slices.Sorted(maps.Keys(ps.Folders)) {
		if in := ps.Folders[dir]; in.Index == nil {
			f.said.Pages = append(f.said.Pages, in.Out)
		}
	}
	for _, v := range ps.Result.Index.Views {
		if ps.HasView(v.Path) {
			f.said.Pages = append(f.said.Pages, ps.Dir+model.HTMLPath(v.Path))
		}
	}
	f.said.Pages = append(f.said.Pages, ps.Dir+"claims.html", ps.Dir+"history.html", ps.Dir+page.GraphName)
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

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render puts a page into the sink.
func (b *build) render(page string, v templates.View) error {
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := templates.Render(buf, v); err != nil {
		return fmt.Errorf("make %s: %w", page, err)
	}
	return b.put(page, buf.Bytes())
}

// putRecord publishes a record in the bytes that compile writes.
func (b *build) putRecord(path string, record any) error {
	_, err := b.putFrom(path, func(w io.Writer) error { return schema.Write(w, record) })
	return err
}
