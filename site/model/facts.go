package model

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/search"
)

// Facts is what other pages need to know of a file, and where its article waits.
type Facts struct {
	Body       store.Digest // of the article with placeholders for its links
	Units      int          // UTF-16 code units of the body, for its token estimate
	HasTitle   bool         // the article starts with its own H1
	FrontTitle string       // title in the front matter of a page without an H1
	label      string       // what navigation calls it; "" as its title
	Summary    string       // of the page, as its front matter has it, otherwise how its text begins
	weight     float64      // place that the front matter gives it among its neighbours
	ordered    bool         // it gives one
	Former     []string     // paths at which it was, without ending
	texts      store.Digest // of the splits, one after another
	Splits     []Split
	Boundaries []string // places that the front matter calls boundaries
	Asked      []int    // words of the questions of each split that the front matter lists; nil for none
	Note       string   // what the search counted

	inner []innerHeading // written in HTML; nil when there are none
}

// pageLinks are the links of a page; only while they are looked up.
type pageLinks struct {
	targets []string // files linked to, each once, sorted
	wiki    []string // names in [[…]], the same
	said    []string // the sentences of both, one list after the other
}

// read takes the links from the start of what the contributor has noted; false when that is
// damaged.
func (l *pageLinks) read(x *store.Reader) bool {
	l.targets, l.wiki, l.said = x.Strs(), x.Strs(), x.Strs()
	return len(l.said) == len(l.targets)+len(l.wiki)
}

// linksOf returns the links of a page.
func linksOf(ps *Pack, n *Node) (l pageLinks, err error) {
	facts, _, ok := ps.Result.Part(n.Unit, PartName)
	if !ok || !l.read(store.ReadBytes(facts)) {
		return l, DamagedError(n.Path)
	}
	return l, nil
}

// Split is the place of a split among the texts of its page.
type Split struct {
	Path     string
	From, To int
}

// PartName names what the site adds to the records of units.
const PartName = "site"

// articles are rendered into buffers that are used again.
var articles = sync.Pool{New: func() any { return new([]byte) }}

// PartOf renders the article of a file, with placeholders where links to other pages go, and
// notes what pages need to know of the file.
func PartOf(u *compiler.Unit, paint *highlight.Highlighter) (facts, body []byte) {
	buf := articles.Get().(*[]byte)
	defer articles.Put(buf)
	a := article.Render(u.Doc, u.Splits, article.Options{Paint: paint, Buffer: *buf})
	*buf = a.HTML
	title := HasTitle(u.Doc)
	meta := ""
	if !title {
		written := htmlTitle(u.Doc)
		title = written != ""
		meta = diag.OneLine(cmp.Or(html.UnescapeString(u.Doc.MetaString("title", "linkTitle")), written), 200) // some systems put it into HTML as it is
	}
	w := store.NewWriter(1 << 9)
	targets, names := distinct(a.Targets), distinct(a.Wiki)
	w.Strs(targets)
	w.Strs(names)
	w.Strs(sentences(&a, targets, names))
	w.Uint(token.Units(u.Doc.Text[u.Doc.Body:]))
	w.Bool(title)
	w.Str(meta)
	w.Str(diag.OneLine(html.UnescapeString(u.Doc.NavigationLabel()), 100))
	w.Str(cmp.Or(diag.OneLine(u.Doc.MetaString("description", "summary"), 200), a.Opening()))
	weight, ordered := u.Doc.NavigationPlace()
	w.Bool(ordered)
	w.Str(strconv.FormatFloat(weight, 'g', -1, 64))
	w.Strs(u.Doc.Redirects())
	w.Uint(len(a.Placeholders))
	for i := range a.Placeholders {
		a.Placeholders[i].Pack(w)
	}
	w.Strs(context.PageBoundaries(u.Doc.Path, frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil)))
	words := questionWords(u)
	w.Uint(len(words))
	for _, n := range words {
		w.Uint(n)
	}
	w.Str(searchNote(u))
	packInner(w, u.Doc)
	return w.Bytes(), slices.Clone(a.HTML)
}

// readPage takes what the site keeps of a unit from the result of a compile; nil
// for a file of which there is no page.
func readPage(r *compiler.Result, u *compiler.UnitInfo) (*Facts, error) {
	facts, body, ok := r.Part(u, PartName)
	if !ok {
		return nil, nil
	}
	p := &Facts{Body: body, texts: u.Texts}
	if _, ok := p.read(facts); !ok {
		return nil, DamagedError(u.Path)
	}
	// The note is a part of all that is kept of the page. It is read again when it is needed:
	// of all pages at once they would fill much memory.
	p.Note = ""
	at := 0
	p.Splits = make([]Split, 0, len(u.Sizes))
	for _, s := range u.Sizes {
		p.Splits = append(p.Splits, Split{s.Path, at, at + s.Size})
		at += s.Size
	}
	return p, nil
}

// read fills a page with what the contributor has noted, and returns the placeholders of
// its article in order; false when that is damaged.
func (p *Facts) read(facts []byte) (placeholders []article.Placeholder, ok bool) {
	x := store.ReadBytes(facts)
	var links pageLinks
	linked := links.read(x)
	p.Units, p.HasTitle, p.FrontTitle = x.Uint(), x.Bool(), strings.Clone(x.Str())
	p.label, p.Summary, p.ordered = strings.Clone(x.Str()), strings.Clone(x.Str()), x.Bool()
	p.weight, _ = strconv.ParseFloat(x.Str(), 64)
	p.Former = clones(x.Strs())
	placeholders = make([]article.Placeholder, x.CountOf(10))
	for i := range placeholders {
		placeholders[i] = article.Unpack(x)
	}
	p.Boundaries = clones(x.Strs())
	p.Asked = nil
	for range x.CountOf(1) {
		p.Asked = append(p.Asked, x.Uint())
	}
	p.Note = x.Str()
	p.inner = readInner(x)
	return placeholders, x.Done() && linked
}

// ReadFacts reads what the contributor has noted of a page, the parts too that are not held.
func ReadFacts(ps *Pack, n *Node) (p Facts, placeholders []article.Placeholder, err error) {
	facts, _, ok := ps.Result.Part(n.Unit, PartName)
	placeholders, whole := p.read(facts)
	if !ok || !whole {
		err = DamagedError(n.Path)
	}
	return p, placeholders, err
}

// DamagedError is the error about a file of which what the site has noted cannot be read.
func DamagedError(path string) error {
	return fmt.Errorf("what the site knows of %s is damaged: build again", path)
}

// sentences returns those of the links of an article, in the order of its targets and then
// of its names.
func sentences(a *article.Article, targets, names []string) []string {
	ofTargets, ofNames := a.Sentences()
	list := make([]string, 0, len(targets)+len(names))
	for _, target := range targets {
		list = append(list, ofTargets[target])
	}
	for _, name := range names {
		list = append(list, ofNames[name])
	}
	return list
}

// distinct returns the values of a list in order, each once.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// clones copies strings that are parts of a larger text, which would stay in memory with
// them.
func clones(list []string) []string {
	for i := range list {
		list[i] = strings.Clone(list[i])
	}
	return list
}

// searchNote counts the words of the sections of a file, as a resolver would.
func searchNote(u *compiler.Unit) string {
	front := frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil)
	asked := context.PageQuestions(u.Doc.Path, front)
	sections := make([]rank.Section, len(u.Splits))
	for i, s := range u.Splits {
		sections[i] = ScoredSection(u.Doc.Path, &s.Split, s.Text, front, asked)
	}
	return search.Note(sections)
}

// questionWords counts the words of the questions that front matter lists for each split; nil for
// none.
func questionWords(u *compiler.Unit) []int {
	asked := context.PageQuestions(u.Doc.Path, frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil))
	if len(asked) == 0 {
		return nil
	}
	list := make([]int, len(u.Splits))
	for i, s := range u.Splits {
		list[i] = CountWords(QuestionsOf(u.Doc.Path, &s.Split, asked))
	}
	return list
}

// CountWords counts the words of questions as the scorer does.
func CountWords(questions []string) int {
	if len(questions) == 0 {
		return 0
	}
	_, lengths := rank.NewTally().Of(&rank.Section{Questions: questions})
	return lengths[rank.Questions]
}

// ScoredSection is a section as the scorer takes it.
func ScoredSection(document string, s *schema.Split, text string, front frontmatter.Map, asked map[string][]string) rank.Section {
	return rank.Section{
		Title: s.Title, TitlePath: append(context.TitlePath(document), context.FrontTitles(document, s.Title, front)...),
		Text: text, Questions: QuestionsOf(document, s, asked),
	}
}

// QuestionsOf are the questions for a document and for the sections that a split holds.
func QuestionsOf(document string, s *schema.Split, asked map[string][]string) []string {
	list := slices.Clone(asked[document])
	if len(s.Sections) == 0 {
		return append(list, asked[document+"#"+s.SectionID]...)
	}
	for _, id := range s.Sections {
		list = append(list, asked[document+"#"+id]...)
	}
	return list
}
