package site

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/templates"
)

// packSite is a pack with everything its pages need to know of each other.
type packSite struct {
	packFacts
	b                *build
	res              *compiler.Result
	nodes            []*node          // pages in compile order
	byPath           map[string]*node // by the path of the Markdown file
	folders          map[string]*folder
	reading          []*node          // pages in the author's order
	table            *reference.Table // of the files that links may lead to
	names            reference.Names  // what [[…]] may call the pages
	splits           map[string]int32 // indexes into Index.Splits by path
	views            map[string]bool  // paths of the views
	withheld         map[string]bool  // files that must not be published
	said             linkSentences    // with links between pages
	unpublished      int              // links of pages to files that are not on the site
	firstUnpublished [2]string        // the page with the first of them, and the file

	edited   map[string]bool           // files of compiled/ that were kept as somebody edited them
	drawings sync.Map                  // what is wrong with an SVG, by path: func() *refusal
	pictures sync.Map                  // sizes by path: func() image.Config
	doubtful map[string]schema.Status  // "needs-review", "stale" or "disputed" of the views and splits that rest on such material
	doubts   *compiler.Doubts          // claims that are either
	claimIDs func() map[string]int32   // places of claims by their ids without a number
	citing   func() map[string][]int32 // claims by the source that they rest on

	staleSince    func() map[claimKey]string // the day on which stale claims were found so
	disputes      func() map[int32][]int32   // what disputed claims are disputed with
	sectionTitles map[[2]string]string       // titles of sections that state claims, by document and id
	sources       sync.Map                   // texts of cited sources, by path
	sourceLengths sync.Map                   // how many lines their pages show, by path
	newest        *keptRow                   // of the run that was just recorded, once that is kept
	archived      splitTexts                 // of the page that the archive is at
}

// node is one page of a pack.
type node struct {
	*page
	unit   *compiler.UnitInfo
	out    string // below the site root
	order  int    // place in packSite.nodes
	place  int    // place in its folder
	turn   int    // place in packSite.reading
	back   []backlink
	links  []int32 // pages that it links to, by their places in packSite.nodes
	splits []int32 // indexes into Index.Splits
	claims []int32 // indexes into SourceMap.Claims

	ids atomic.Pointer[weak.Pointer[reference.IDs]] // of the elements that links may point at, until the collector takes them
}

// name is what readers know a page by: its H1, otherwise the title in its front
// matter, otherwise the file stem.
func (n *node) name() string { return article.HeadingText(cmp.Or(n.meta, n.unit.Title)) }

// short is what navigation calls a page.
func (n *node) short() string { return article.HeadingText(cmp.Or(n.label, n.meta, n.unit.Title)) }

// secretSuspect is the rule of likely secrets.
const secretSuspect = "secret-suspect"

func (b *build) newPackSite(r *compiler.Result) (*packSite, error) {
	ps := &packSite{
		packFacts: packFacts{pack: r.Pack, name: r.Pack.Meta.Name, dir: "packs/" + r.Pack.Meta.Name + "/"}, b: b, res: r,
		byPath: map[string]*node{}, folders: map[string]*folder{},
		splits: make(map[string]int32, len(r.Index.Splits)), views: map[string]bool{},
		withheld: map[string]bool{}, edited: map[string]bool{}, doubtful: r.Doubtful(), doubts: compiler.DoubtsOf(&r.SourceMap),
	}
	ps.citing, ps.claimIDs = sync.OnceValue(ps.citedOf), sync.OnceValue(ps.claimIDsOf)
	ps.staleSince, ps.disputes = sync.OnceValue(ps.staleSinceOf), sync.OnceValue(ps.disputesOf)
	ps.sectionTitles = titlesOfClaims(&r.SourceMap)
	for _, d := range r.Found {
		switch {
		case compiler.Withheld(d):
			ps.withheld[d.Path] = true
		case d.ID == "view-hand-edited":
			ps.edited[d.Path] = true
		}
	}
	for i := range r.Units {
		u := &r.Units[i]
		p, err := readPage(r, u)
		if err != nil {
			return nil, err
		}
		if p == nil || ps.holdsSecret(p) {
			continue
		}
		n := &node{page: p, unit: u, out: ps.dir + htmlPath(u.Path), order: len(ps.nodes)}
		ps.nodes = append(ps.nodes, n)
		ps.byPath[u.Path] = n
	}
	for _, v := range r.Index.Views {
		ps.views[v.Path] = true
	}
	for i, s := range r.Index.Splits {
		ps.splits[s.Path] = int32(i)
		if n := ps.byPath[s.Document]; n != nil {
			n.splits = append(n.splits, int32(i))
		}
	}
	for i, c := range r.SourceMap.Claims {
		if n := ps.byPath[c.Document]; n != nil {
			n.claims = append(n.claims, int32(i))
		}
	}
	return ps, nil
}

// close lets go what is in temporary files.
func (ps *packSite) close() {
	ps.said.close()
	ps.outputs.close()
}

// holdsSecret reports a page that a secret finding touched, itself or by one of
// its splits. All of it stays off the site.
func (ps *packSite) holdsSecret(p *page) bool {
	if ps.withheld[p.path] {
		return true
	}
	return slices.ContainsFunc(p.splits, func(s split) bool { return ps.withheld[s.path] })
}

// describe fills in what the site as a whole says of the pack.
func (ps *packSite) describe() {
	ps.card, ps.status = ps.asCard(), ps.res.Run.Status
	ps.prompts = ps.shortPrompts()
	ps.first, ps.lists = ps.searchLinks()
	ps.changes = ps.changesOf()
	ps.pages = append(ps.pages, ps.dir)
	for _, n := range ps.nodes {
		ps.pages = append(ps.pages, n.out)
	}
	for _, dir := range slices.Sorted(maps.Keys(ps.folders)) {
		if f := ps.folders[dir]; f.index == nil {
			ps.pages = append(ps.pages, f.out)
		}
	}
	for _, v := range ps.res.Index.Views {
		if ps.view(v.Path) {
			ps.pages = append(ps.pages, ps.dir+htmlPath(v.Path))
		}
	}
	ps.pages = append(ps.pages, ps.dir+"claims.html", ps.dir+"history.html", ps.dir+graphPage)
}

// put hands a file of the pack to the sink.
func (ps *packSite) put(path string, data []byte) error {
	ps.made(path)
	return ps.b.put(path, data)
}

// putFrom is put for a file that may be as large as the pack.
func (ps *packSite) putFrom(path string, content publish.Content) (int64, error) {
	ps.made(path)
	return ps.b.putFrom(path, content)
}

// putRecord publishes a record of the pack in the bytes that compile has written, or
// would write.
func (ps *packSite) putRecord(name string, record any) error {
	out := ps.dir + name
	ps.made(out)
	if ps.b.in.Open == nil {
		return ps.b.putRecord(out, record)
	}
	_, err := ps.b.putFrom(out, func(w io.Writer) error {
		return copyFrom(w, func() (io.ReadCloser, error) { return ps.b.in.Open(ps.pack, name) })
	})
	return err
}

// render puts a page of the pack into the sink.
func (ps *packSite) render(page string, v templates.View) error {
	ps.made(page)
	return ps.b.render(page, v)
}

// connect finds what needs all pages to be known: folders, names, and who links
// to whom.
func (ps *packSite) connect() error {
	ps.arrange()
	ps.namePages()
	ps.nameRedirects()
	return ps.linkPages()
}

// namePages fills the tables of paths and names.
func (ps *packSite) namePages() {
	pages := make([]reference.Page, len(ps.nodes))
	for i, n := range ps.nodes {
		pages[i] = reference.Page{Path: n.path, Title: n.unit.Title, Aliases: n.unit.Aliases}
	}
	ps.names = reference.NewNames(pages)
	has := func(name string) bool {
		return ps.byPath[name] != nil || ps.pack.Has(name) || ps.view(name) || ps.isSplit(name)
	}
	hasDir := func(dir string) bool { return ps.hasFolder(dir) || ps.pack.HasDir(dir) }
	ps.table = reference.NewTable(has, hasDir, func() []string {
		var files []string
		for _, f := range ps.pack.Files {
			if !pack.LayerOf(f.Path).IsOutput() {
				files = append(files, f.Path)
			}
		}
		return files
	})
	ps.table.At(ps.res.Places)
	ps.table.Listed(ps.pack.ListedAs)
}

// namedPath returns the file that [[name]] or [[name|label]] means in a file; "" for none.
func (ps *packSite) namedPath(name, from string) string {
	name, label, _ := strings.Cut(name, "|")
	found, _, _ := ps.table.Labelled(ps.names, from, name, "", label)
	return found.Path
}

// idsOf returns the ids of a page: of its headings, of its elements, of the marks of
// splits with an id of their own.
func (ps *packSite) idsOf(n *node) *reference.IDs {
	if known := n.ids.Load(); known != nil {
		if ids := known.Value(); ids != nil {
			return ids
		}
	}
	headings := make([]string, len(n.unit.Headings))
	for i, h := range n.unit.Headings {
		headings[i] = h.ID
	}
	var sections []string
	for _, i := range n.splits {
		s := ps.splitAt(i)
		if len(n.page.splits) > 1 || len(s.Sections) > 1 { // it is marked
			sections = append(append(sections, s.SectionID), s.Sections...)
		}
	}
	ids := reference.NewIDs(headings, n.unit.Targets, sections)
	known := weak.Make(ids)
	n.ids.Store(&known)
	return ids
}

// fragment returns the id on a page that a fragment means.
func (ps *packSite) fragment(n *node, fragment string) (id string, ok bool) {
	return ps.idsOf(n).Find(fragment)
}

// section returns the URL of a section seen from another page: of the page
// alone when it has no such id.
func (ps *packSite) section(from string, n *node, id string) string {
	url := relative(from, n.out)
	if found, ok := ps.fragment(n, id); ok && found != "" {
		url += "#" + article.EscapeFragment(found)
	}
	return url
}

// splitAt returns a split by its index.
func (ps *packSite) splitAt(i int32) *schema.Split { return &ps.res.Index.Splits[i] }
