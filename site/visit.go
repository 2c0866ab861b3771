package site

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/site/spool"
)

// packState is what the site knows of one pack.
type packState struct {
	pack  *pack.Pack
	name  string
	dir   string           // below the site root: "packs/<name>/"
	files map[string]int32 // index of every file of the pack by path
	paths []string         // the other way round

	mu    sync.Mutex
	pages map[string]*page // of visited files, by path
}

// page is what is kept of a visited file: where its article waits, and what
// other pages need to know.
type page struct {
	path    string
	body    spool.Span
	targets []int32  // files linked to, each once, in order of index
	wiki    []string // names in [[…]], each once, sorted
	units   int      // UTF-16 code units of the body, for its token estimate
	title   bool     // the article starts with its own H1
	meta    string   // title in the front matter of a page without an H1
	splits  []spooledSplit
	diags   []diag.Diagnostic
}

// spooledSplit is the text of a split, as compile made it.
type spooledSplit struct {
	path string
	text spool.Span
}

func newPackState(p *pack.Pack) *packState {
	st := &packState{
		pack: p, name: p.Meta.Name, dir: "packs/" + p.Meta.Name + "/",
		files: make(map[string]int32, len(p.Files)), paths: make([]string, len(p.Files)),
		pages: map[string]*page{},
	}
	for i, f := range p.Files {
		st.files[f.Path] = int32(i)
		st.paths[i] = f.Path
	}
	return st
}

// Visit renders the article of one file. It is called by compile, from several
// goroutines, while the file's tree is in memory; it keeps nothing of the unit.
func (s *Site) Visit(u *compiler.Unit) error {
	st := s.state(u.Pack)
	buf := pageBuffers.Get().(*pageBuffer)
	defer pageBuffers.Put(buf)
	r := renderer{pack: st, doc: u.Doc, page: st.dir + htmlPath(u.Doc.Path), paint: s.paint}
	r.b = buf.article[:0]
	r.article(u.Splits)
	p := &page{
		path: strings.Clone(u.Doc.Path), body: spool.Span{Size: int64(len(r.b))}, diags: r.diags,
		targets: distinct(r.targets), wiki: distinct(r.wiki),
		units: units(u.Doc.Text[u.Doc.Body:]),
		title: len(u.Doc.Headings) > 0 && slices.ContainsFunc(u.Doc.Headings, isTitle),
	}
	if !p.title {
		name, _ := frontmatter.NewMap(p.path, u.Doc.Meta, nil).String("title")
		p.meta = strings.Clone(oneLine(name, 200))
	}
	for _, split := range u.Splits {
		at := spool.Span{Start: int64(len(r.b)), Size: int64(len(split.Text))}
		r.b = append(r.b, split.Text...)
		p.splits = append(p.splits, spooledSplit{strings.Clone(split.Path), at})
	}
	buf.article = r.b
	at, err := s.spool.Put(r.b) // article and splits in one piece
	if err != nil {
		return fmt.Errorf("keep the page of %s: %w", u.Doc.Path, err)
	}
	p.body.Start += at.Start
	for i := range p.splits {
		p.splits[i].text.Start += at.Start
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.pages[p.path] = p
	return nil
}

// distinct returns the values of a list in order, each once, in memory of their
// own.
func distinct[T int32 | string](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	return slices.Clone(slices.Compact(list))
}
