package site

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/site/search"
	"github.com/packgen/packgen/site/shard"
	"github.com/packgen/packgen/templates"
)

// splitStem is the path of a split below compiled/splits/, without its ending.
func splitStem(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(path, pack.SplitsDir+"/"), ".md")
}

// join puts the files of the search that are of one pack below its directory, and returns
// what those of the site need of it.
func (b *build) join(name, dir string, runs iter.Seq[search.Run], made func(path string)) (*searchFacts, error) {
	s, facts := b.opts.Store, &searchFacts{}
	ranges := 0
	part, ok, err := search.Join(name, runs, func(words []byte) {
		ranges++
		facts.blobs[ranges] = s.SetBlob(words)
	}, func(file shard.File) error {
		file.Path = dir + file.Path
		return b.putShard(&file, made)
	})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, model.DamagedError(name)
	}
	facts.Sections, facts.Totals, facts.Titles, facts.blobs[0] = part.Sections, part.Totals, part.Titles, s.SetBlob(part.Flags)
	return facts, nil
}

// searched is a page as the search shows it, without its note.
func searched(ps *model.Pack, n *model.Node, asked map[string][]string) search.Page {
	p := search.Page{URL: article.EscapePath(model.HTMLPath(n.Path)), Title: n.Name()}
	if pack.LayerOf(n.Path) == pack.Wiki {
		p.Kind = search.Wiki
	}
	number := map[string]int{} // of the splits in the note
	for i, s := range n.Facts.Splits {
		number[s.Path] = i
	}
	for _, at := range n.Splits {
		s := ps.Split(at)
		i, ok := number[s.Path]
		if !ok || !ps.IsSplit(s.Path) {
			continue
		}
		p.Sections = append(p.Sections, searchedSection(ps, n, s, i, asked))
	}
	return p
}

func searchedSection(ps *model.Pack, n *model.Node, s *schema.Split, number int, asked map[string][]string) search.Section {
	out := search.Section{
		Number: number, Tokens: s.TokenEstimate, Text: splitStem(s.Path),
		Status:    search.StatusOf(cmp.Or(ps.Doubts.Files[s.Path], n.Unit.Status)),
		Questions: model.QuestionsOf(s.Document, s, asked),
	}
	if s.ID != s.Document {
		out.Questions = append(out.Questions, asked[s.ID]...)
	}
	if id, ok := ps.FindID(n, s.SectionID); ok && len(n.Splits) > 1 {
		out.Fragment = article.EscapeFragment(id)
		out.Above = headingsAbove(n.Unit.Headings, id)
	}
	if title := article.HeadingText(model.ShownTitle(n, s)); title != n.Name() {
		out.Title = title
	}
	return out
}

// headingsAbove names the headings that a section is below, from the outermost,
// without the title of the page.
func headingsAbove(headings []compiler.HeadingInfo, id string) []string {
	at := slices.IndexFunc(headings, func(h compiler.HeadingInfo) bool { return h.ID == id })
	if at < 0 {
		return nil
	}
	var above []string
	level := headings[at].Level
	for ; at >= 0 && level > 2; at-- {
		if h := headings[at]; h.Level < level {
			level = h.Level
			if level > 1 {
				above = append(above, article.HeadingText(h.Text))
			}
		}
	}
	slices.Reverse(above)
	return above
}

// searchName is the results page of the search.
const searchName = "search.html"

// maxFirst is how many pages of a pack the results page lists without script.
const maxFirst = 20

// searchLinks are the pages of the pack that the results page lists without script.
func searchLinks(ps *model.Pack) (first, lists []templates.Link) {
	for _, n := range ps.Reading[:min(len(ps.Reading), maxFirst)] {
		first = append(first, templates.Link{URL: article.EscapePath(n.Out), Text: n.Name()})
	}
	if len(ps.Nodes) <= maxFirst {
		return first, nil
	}
	for _, root := range ps.Roots() {
		lists = append(lists, templates.Link{URL: article.EscapePath(root.Out), Text: "All " + root.Counted()})
	}
	return first, lists
}

// putSearchPage puts the results page. Where the packs are many it lists some of them,
// without their pages: the others are on the pages that the start page leads to.
func (b *build) putSearchPage() error {
	f := b.frames.Of(searchName, "Search", "Search the sections of every pack")
	f.Here = ""
	v := templates.Search{Frame: f}
	many := len(b.packs) > page.RowsPerPage
	for _, p := range page.Window(b.packs, 1) {
		item := templates.SearchPack{URL: article.EscapePath(p.dir) + "index.html", Name: p.name, Status: cmp.Or(p.said.Card.Standing, p.said.Card.Status)}
		if !many {
			item.Pages, item.Lists = p.said.First, p.said.Lists
		}
		v.Packs = append(v.Packs, item)
	}
	if many {
		v.More = templates.Link{URL: page.Numbered("index", 2), Text: amount.Counted(len(b.packs)-page.RowsPerPage, "more pack")}
	}
	return b.render(searchName, v)
}

// searchFacts is what the search has of a pack.
type searchFacts struct {
	Sections int
	Totals   [rank.Fields]int
	Titles   []string
	Layout   string // name of the file with the layout; "" for none

	blobs [1 + search.Ranges]store.Digest // flags, then words: kept in the store by themselves
}

// searchPack is what the search has of a pack: its words are read when they are asked for.
func (b *build) searchPack(f *packFacts) (search.Pack, error) {
	s, facts := b.opts.Store, f.said.Search
	flags, ok := s.Blob(facts.blobs[0])
	if !ok {
		return search.Pack{}, errReused(f.name)
	}
	part := &search.Part{Sections: facts.Sections, Totals: facts.Totals, Titles: facts.Titles, Flags: flags}
	words := func(stems int) ([]byte, error) {
		text, ok := s.Blob(facts.blobs[1+stems])
		if !ok {
			return nil, errReused(f.name)
		}
		return text, nil
	}
	return search.Pack{Name: f.name, Dir: article.EscapePath(f.dir), Status: f.pack.Meta.Status, Layout: facts.Layout, Part: part, Words: words}, nil
}

// addSearch plans the files of the search that are about all packs.
func (b *build) addSearch() {
	if !b.sink.Wants(search.RootPath) {
		return
	}
	b.addLarge(func() error {
		packs := make([]search.Pack, 0, len(b.packs))
		for _, f := range b.packs {
			p, err := b.searchPack(f)
			if err != nil {
				return err
			}
			packs = append(packs, p)
		}
		return search.Build(packs, func(f shard.File) error { return b.putShard(&f, func(string) {}) })
	})
}

// putShard puts a file of an index for the browser. One that is named after its content and is
// there is not packed again.
func (b *build) putShard(f *shard.File, made func(path string)) error {
	made(f.Path)
	if f.Text {
		return b.put(f.Path, f.Pack())
	}
	s := b.opts.Store
	key := store.Key("shard", compiler.Program(), f.Path)
	if sum, ok := s.Action(key); ok && len(sum) == 1 && b.keep(f.Path, sum[0]) {
		return nil
	}
	if err := b.put(f.Path, f.Pack()); err != nil {
		return err
	}
	if kept, ok := b.sink.Sum(f.Path); ok {
		s.SetAction(key, store.Result{kept.Sum})
	}
	return nil
}
