package site

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/search"
	"github.com/packgen/packgen/templates"
)

// keptSearch gives a pack that is kept its part of the search: as an earlier build made
// it of the same files, or made of them now.
func (b *build) keptSearch(f *packFacts) error {
	key := b.keptKey(f)
	if b.recallSearch(key, f) {
		return nil
	}
	return b.makeSearch(f, key)
}

// keptKey identifies the files of a kept pack that the search is made from.
func (b *build) keptKey(f *packFacts) store.Digest {
	w := store.NewWriter(1 << 12)
	for _, name := range f.last {
		if !strings.HasSuffix(name, ".html") { // those have a notice that changes
			last, ok := b.sink.LastSum(name)
			w.Str(name)
			w.Bool(ok)
			w.Digest(last.Sum)
		}
	}
	return store.Key("search of a kept pack", compiler.Program(), w.Text())
}

// recallSearch takes over what an earlier build made; false when a part of it is gone.
func (b *build) recallSearch(key store.Digest, f *packFacts) bool {
	s := b.opts.Store
	found, ok := s.Action(key)
	if !ok || slices.ContainsFunc(found, func(d store.Digest) bool { return !s.Has(d) }) {
		return false
	}
	var said packSaid
	if len(found) != 1+len(searchFacts{}.blobs) {
		return false
	}
	data, _ := s.Blob(found[0])
	r := store.ReadBytes(data)
	err := json.Unmarshal([]byte(r.Str()), &said)
	files := publish.UnpackKept(r)
	if err != nil || !r.Done() || said.Search == nil || !b.sink.Keep(files...) {
		return false
	}
	copy(said.Search.blobs[:], found[1:])
	f.said.Search, f.said.First = said.Search, said.First
	b.files.Add(int64(len(files)))
	return true
}

// makeSearch makes the part of a kept pack from its published splits. What cannot be read
// is not found.
func (b *build) makeSearch(f *packFacts, key store.Digest) error {
	var splits []schema.Split
	if text, err := b.sink.ReadLast(f.dir + pack.IndexPath); err == nil {
		if ix, err := schema.DecodeIndex(text); err == nil {
			splits = ix.Splits
		}
	}
	var pages []search.Page
	for len(splits) > 0 {
		n := 1
		for n < len(splits) && splits[n].Document == splits[0].Document {
			n++
		}
		if p := keptPage(b.sink, f, splits[:n]); p != nil {
			pages = append(pages, *p)
			if len(f.said.First) < maxFirst {
				f.said.First = append(f.said.First, templates.Link{URL: article.EscapePath(f.dir) + p.URL, Text: p.Title})
			}
		}
		splits = splits[n:]
	}
	var made []string
	var err error
	if f.said.Search, err = b.join(f.name, f.dir, slices.Values([]search.Run{{Pages: pages}}), func(path string) { made = append(made, path) }); err != nil {
		return err
	}
	layout, kept := b.keepLayout(f)
	f.said.Search.Layout = layout
	var files []publish.Kept
	for _, path := range append(made, kept...) {
		k, ok := b.sink.Sum(path)
		if !ok {
			return nil
		}
		files = append(files, k)
	}
	said, err := json.Marshal(packSaid{Search: f.said.Search, First: f.said.First})
	if err != nil {
		return err
	}
	w := store.NewWriter(len(said) + 1<<10)
	w.Str(string(said))
	publish.PackKept(w, files)
	b.opts.Store.SetAction(key, append(store.Result{b.opts.Store.SetBlob(w.Bytes())}, f.said.Search.blobs[:]...))
	return nil
}

// keptPage is a page of a kept pack as the search shows it; nil when it is not
// published.
func keptPage(last publish.Target, f *packFacts, splits []schema.Split) *search.Page {
	name := splits[0].Document
	data, err := last.ReadLast(f.dir + name)
	if err != nil {
		return nil
	}
	text, ok := frontmatter.Decode(data)
	if !ok {
		return nil
	}
	doc := markdown.Parse(name, text)
	front := frontmatter.NewMap(name, doc.Meta, nil)
	asked := context.PageQuestions(name, front)
	p := &search.Page{URL: article.EscapePath(model.HTMLPath(name)), Title: cmp.Or(doc.MetaString("title", "linkTitle"), strings.TrimSuffix(path.Base(name), ".md"))}
	var headings []compiler.HeadingInfo
	for _, heading := range doc.Headings {
		headings = append(headings, compiler.HeadingInfo{Level: heading.Level, ID: heading.ID, Text: heading.Text})
	}
	for _, heading := range headings {
		if heading.Level == 1 {
			p.Title = article.HeadingText(heading.Text)
			break
		}
	}
	if pack.LayerOf(name) == pack.Wiki {
		p.Kind = search.Wiki
	}
	var noted []rank.Section
	for i := range splits {
		s := &splits[i]
		body, err := last.ReadLast(f.dir + s.Path)
		if err != nil {
			continue
		}
		noted = append(noted, model.ScoredSection(name, s, string(body), front, asked))
		section := search.Section{
			Number: len(p.Sections), Tokens: s.TokenEstimate, Text: splitStem(s.Path), Status: search.StatusOf(doc.Status),
		}
		if len(splits) > 1 {
			section.Fragment, section.Above = article.EscapeFragment(s.SectionID), headingsAbove(headings, s.SectionID)
		}
		if title := article.HeadingText(s.Title); title != p.Title {
			section.Title = title
		}
		p.Sections = append(p.Sections, section)
	}
	p.Note = search.Note(noted)
	return p
}
