package site

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
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

// packLayout is what the match page needs to select from a pack as packgen resolve does.
type packLayout struct {
	*context.Layout
	Totals [rank.Fields]int `json:"totals"` // words of all sections
	// Splits is how many the pack has. Where the search has fewer, some are not on the
	// site, and a selection may be another one.
	Splits int `json:"splits"`
	// Asked names a file with the number of words of the questions of each split.
	Asked string `json:"asked,omitempty"`
	// Marked are the names of files with the texts of splits and views that have markers
	// after stale and disputed claims, by path.
	Marked map[string]string `json:"marked,omitempty"`
}

// askedWords are the numbers of words of the questions of each split, as varints; nil where no
// split has a question.
func askedWords(ps *model.Pack) []byte {
	asked := context.PackQuestions(ps.Pack, ps.Result.SourceMap.Claims)
	var words []byte
	any := false
	for _, n := range ps.Nodes {
		if len(asked) == 0 && n.Facts.Asked == nil {
			words = append(words, make([]byte, len(n.Splits))...)
			continue
		}
		for i, at := range n.Splits {
			s := ps.Split(at)
			questions := model.QuestionsOf(s.Document, s, asked)
			if s.ID != s.Document {
				questions = append(questions, asked[s.ID]...)
			}
			count := model.CountWords(questions)
			if i < len(n.Facts.Asked) {
				count += n.Facts.Asked[i]
			}
			any = any || count > 0
			words = binary.AppendUvarint(words, uint64(count))
		}
	}
	if !any {
		return nil
	}
	return words
}

// putLayout puts the layout of the pack.
func putLayout(w *making) error {
	var limits []string
	for _, n := range w.ps.Nodes {
		limits = append(limits, n.Facts.Boundaries...)
	}
	l := packLayout{Layout: context.LayoutOf(w.ps.Pack, &w.ps.Result.Index, limits), Totals: w.facts.said.Search.Totals, Splits: len(w.ps.Result.Index.Splits), Marked: map[string]string{}}
	put := func(data []byte) (string, error) {
		name := shard.Name([]byte(w.ps.Name), data)
		return name, w.b.putShard(&shard.File{Path: w.ps.Dir + search.Dir + name + ".bin", Data: data}, w.made)
	}
	mark := func(document, path, text string) (err error) {
		if marked := context.Marked(w.ps.Pack, w.ps.Doubts.Claims, document, path, text); marked != text {
			l.Marked[path], err = put([]byte(marked))
		}
		return err
	}
	for _, n := range w.ps.Nodes {
		if !w.ps.Doubts.Claims.Any(n.Path) {
			continue
		}
		if err := model.EachSplit(w.ps, n, func(s model.Split, text []byte) error { return mark(n.Path, s.Path, string(text)) }); err != nil {
			return err
		}
	}
	for _, v := range w.ps.Result.Index.Views {
		if !w.ps.Doubts.Claims.Any("") {
			break
		}
		text, err := model.ViewText(w.ps, v.Path)
		if err != nil {
			return err
		}
		if err := mark("", v.Path, string(text)); err != nil {
			return err
		}
	}
	var err error
	if words := askedWords(w.ps); words != nil {
		if l.Asked, err = put(words); err != nil {
			return err
		}
	}
	data, err := json.Marshal(&l)
	if err != nil {
		return fmt.Errorf("write the layout of %s: %w", w.ps.Name, err)
	}
	w.facts.said.Search.Layout, err = put(data)
	return err
}
