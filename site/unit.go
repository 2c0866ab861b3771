package site

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/templates"
)

// page is what other pages need to know of a file, and where its article waits.
type page struct {
	pageLinks

	path    string
	body    store.Digest // of the article with placeholders for its links
	units   int          // UTF-16 code units of the body, for its token estimate
	title   bool         // the article starts with its own H1
	meta    string       // title in the front matter of a page without an H1
	label   string       // what navigation calls it; "" as its title
	summary string       // of the page, as its front matter has it, otherwise how its text begins
	weight  float64      // place that the front matter gives it among its neighbours
	ordered bool         // it gives one
	former  []string     // paths at which it was, without ending
	texts   store.Digest // of the splits, one after another
	splits  []split
	limits  []string // places that the front matter calls boundaries
	asked   []int    // words of the questions of each split that the front matter lists; nil for none
	note    string   // what the search counted

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
func (ps *packSite) linksOf(n *node) (l pageLinks, err error) {
	facts, _, ok := ps.res.Part(n.unit, contributorName)
	if !ok || !l.read(store.ReadBytes(facts)) {
		return l, errDamaged(n.path)
	}
	return l, nil
}

// split is the place of a split among the texts of its page.
type split struct {
	path     string
	from, to int
}

// contributorName names what the site adds to the records of units.
const contributorName = "site"

// contributorVersion changes with what is kept of a unit and with how an article is
// rendered.
const contributorVersion = "14 highlight="

// Contributor renders the article of each unit, with placeholders where links to other
// pages go.
func (s *Site) Contributor() compiler.Contributor {
	return compiler.Contributor{
		Name: contributorName, Key: contributorVersion + strconv.FormatBool(!s.opts.PlainCode), Unit: s.unit,
	}
}

// unit renders one file.
func (s *Site) unit(u *compiler.Unit) (facts, body []byte, err error) {
	buf := pageBuffers.Get().(*templates.Markup)
	defer pageBuffers.Put(buf)
	a := article.Render(u.Doc, u.Splits, article.Options{Paint: s.paint, Buffer: buf.B})
	buf.B = a.HTML
	title := slices.ContainsFunc(u.Doc.Headings, isTitle)
	meta := ""
	if !title {
		written := htmlTitle(u.Doc)
		title = written != ""
		meta = oneLine(cmp.Or(html.UnescapeString(u.Doc.MetaString("title", "linkTitle")), written), 200) // some systems put it into HTML as it is
	}
	w := store.NewWriter(1 << 9)
	targets, names := distinct(a.Targets), distinct(a.Wiki)
	w.Strs(targets)
	w.Strs(names)
	w.Strs(sentences(&a, targets, names))
	w.Uint(units(u.Doc.Text[u.Doc.Body:]))
	w.Bool(title)
	w.Str(meta)
	w.Str(oneLine(html.UnescapeString(u.Doc.NavigationLabel()), 100))
	w.Str(cmp.Or(oneLine(u.Doc.MetaString("description", "summary"), 200), a.Opening()))
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
	return w.Bytes(), slices.Clone(a.HTML), nil
}

// readPage takes what the site keeps of a unit from the result of a compile; nil
// for a file of which there is no page.
func readPage(r *compiler.Result, u *compiler.UnitInfo) (*page, error) {
	facts, body, ok := r.Part(u, contributorName)
	if !ok {
		return nil, nil
	}
	p := &page{path: u.Path, body: body, texts: u.Texts}
	if _, ok := p.read(facts); !ok {
		return nil, errDamaged(u.Path)
	}
	// These are parts of all that is kept of the page. They are read again when they are
	// needed: of all pages at once they would fill much memory.
	p.pageLinks, p.note = pageLinks{}, ""
	at := 0
	p.splits = make([]split, 0, len(u.Sizes))
	for _, s := range u.Sizes {
		p.splits = append(p.splits, split{s.Path, at, at + s.Size})
		at += s.Size
	}
	return p, nil
}

// read fills a page with what the contributor has noted, and returns the placeholders of
// its article in order; false when that is damaged.
func (p *page) read(facts []byte) (placeholders []article.Placeholder, ok bool) {
	x := store.ReadBytes(facts)
	linked := p.pageLinks.read(x)
	p.units, p.title, p.meta = x.Uint(), x.Bool(), strings.Clone(x.Str())
	p.label, p.summary, p.ordered = strings.Clone(x.Str()), strings.Clone(x.Str()), x.Bool()
	p.weight, _ = strconv.ParseFloat(x.Str(), 64)
	p.former = clones(x.Strs())
	placeholders = make([]article.Placeholder, x.CountOf(10))
	for i := range placeholders {
		placeholders[i] = article.Unpack(x)
	}
	p.limits = clones(x.Strs())
	p.asked = nil
	for range x.CountOf(1) {
		p.asked = append(p.asked, x.Uint())
	}
	p.note = x.Str()
	p.inner = readInner(x)
	return placeholders, x.Done() && linked
}

// placeholders returns the placeholders of the article of a page, in order. They are read when the
// page is put together: of all pages at once they would fill much memory.
func (ps *packSite) placeholders(n *node) ([]article.Placeholder, error) {
	_, placeholders, err := ps.readAgain(n)
	return placeholders, err
}

// readAgain reads what the contributor has noted of a page, the parts too that are not held.
func (ps *packSite) readAgain(n *node) (p page, placeholders []article.Placeholder, err error) {
	facts, _, ok := ps.res.Part(n.unit, contributorName)
	placeholders, whole := p.read(facts)
	if !ok || !whole {
		err = errDamaged(n.path)
	}
	return p, placeholders, err
}

func errDamaged(path string) error {
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
