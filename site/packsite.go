package site

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/article"
)

// packSite is a pack as its pages show it. Nothing of it changes once newPackSite has
// returned it.
type packSite struct {
	name     string
	dir      string // below the site root: "packs/<name>/"
	pack     *pack.Pack
	res      *compiler.Result
	settings settings
	found    []diag.Diagnostic // in the links of its pages

	nodes   []*node          // pages in compile order
	byPath  map[string]*node // by the path of the Markdown file
	folders map[string]*folder
	reading []*node          // pages in the author's order
	table   *reference.Table // of the files that links may lead to
	names   reference.Names  // what [[…]] may call the pages
	said    linkSentences    // with links between pages

	splits   map[string]int32 // indexes into Index.Splits by path
	views    map[string]bool  // paths of the views
	withheld map[string]bool  // files that must not be published
	edited   map[string]bool  // files of compiled/ that were kept as somebody edited them

	doubtful map[string]schema.Status // "needs-review", "stale" or "disputed" of the views and splits that rest on such material
	doubts   *compiler.Doubts         // claims that are either
	history  history
	claimIDs func() map[string]int32   // places of claims by their ids without a number
	citing   func() map[string][]int32 // claims by the source that they rest on

	staleSince    func() map[claimKey]string // the day on which stale claims were found so
	disputes      func() map[int32][]int32   // what disputed claims are disputed with
	sectionTitles map[[2]string]string       // titles of sections that state claims, by document and id

	drawings      sync.Map // what is wrong with an SVG, by path: func() *refusal
	pictures      sync.Map // sizes by path: func() image.Config
	sources       sync.Map // texts of cited sources, by path
	sourceLengths sync.Map // how many lines their pages show, by path
}

// settings are what pages show of a pack besides what is in it, and where they read it.
type settings struct {
	sources, excerpts bool // see [Options]
	edit              string
	locate            func(p *pack.Pack, name string) string
	changed           func(p *pack.Pack, name string) time.Time
	read              func(p *pack.Pack, path string) ([]byte, error) // see [Input]
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

// newPackSite reads what the pages of a pack need to know of each other.
func newPackSite(r *compiler.Result, s settings, runs store.Store) (*packSite, error) {
	ps := &packSite{
		pack: r.Pack, name: r.Pack.Meta.Name, dir: "packs/" + r.Pack.Meta.Name + "/", res: r, settings: s,
		history: history{res: r, read: s.read, store: runs},
		byPath:  map[string]*node{}, folders: map[string]*folder{},
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
	if err := ps.connect(); err != nil {
		ps.close()
		return nil, &PackError{ps.name, err}
	}
	return ps, nil
}

// close lets go what is in temporary files.
func (ps *packSite) close() { ps.said.close() }

// holdsSecret reports a page that a secret finding touched, itself or by one of
// its splits. All of it stays off the site.
func (ps *packSite) holdsSecret(p *page) bool {
	if ps.withheld[p.path] {
		return true
	}
	return slices.ContainsFunc(p.splits, func(s split) bool { return ps.withheld[s.path] })
}

// connect finds what needs all pages to be known: folders, names, and who links
// to whom.
func (ps *packSite) connect() error {
	arrange(ps)
	namePages(ps)
	nameRedirects(ps)
	return linkPages(ps)
}

// namePages fills the tables of paths and names.
func namePages(ps *packSite) {
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
