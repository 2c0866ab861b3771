package site

import (
	"cmp"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// packSite is a pack with everything its pages need to know of each other.
type packSite struct {
	packFacts
	b        *build
	res      *compiler.Result
	nodes    []*node          // pages in compile order
	byPath   map[string]*node // by the path of the Markdown file
	folders  map[string][]*node
	children map[string][]string // folders directly inside a folder, sorted
	names    map[string]*node    // by slug of title, stem and path: what [[…]] may say
	splits   map[string]int32    // indexes into Index.Splits by path
	views    map[string]bool     // paths of the views
	withheld map[string]bool     // files that must not be published
	edited   map[string]bool     // files of compiled/ that were kept as somebody edited them
	drawings sync.Map            // what is wrong with an SVG, by path: func() *refusal
	pictures sync.Map            // sizes by path: func() image.Config
	standing map[string]string   // "stale" or "disputed" of the views and splits that rest on such material
	doubts   *compiler.Doubts    // claims that are either
	archived splitTexts          // of the page that the archive is at
}

// node is one page of a pack.
type node struct {
	*page
	unit   *compiler.UnitInfo
	out    string // below the site root
	order  int    // place in packSite.nodes
	place  int    // place in its folder
	back   []int32
	splits []int32 // indexes into Index.Splits
	claims []int32 // indexes into SourceMap.Claims

	idsOnce sync.Once
	ids     map[string]bool // of the elements that links may point at
}

// name is what readers know a page by: its H1, else the title in its front
// matter, else the file stem.
func (n *node) name() string { return cmp.Or(n.meta, n.unit.Title) }

// secretSuspect is the rule of likely secrets.
const secretSuspect = "secret-suspect"

// keepsOff reports a finding that keeps a file off the site: a secret whose form is
// known. A guess is a warning, and its file is published.
func keepsOff(d diag.Diagnostic) bool { return d.ID == secretSuspect && d.Severity == diag.Error }

func (b *build) newPackSite(r *compiler.Result) (*packSite, error) {
	ps := &packSite{
		packFacts: packFacts{pack: r.Pack, name: r.Pack.Meta.Name, dir: "packs/" + r.Pack.Meta.Name + "/"}, b: b, res: r,
		byPath: map[string]*node{}, folders: map[string][]*node{}, children: map[string][]string{},
		splits: make(map[string]int32, len(r.Index.Splits)), views: map[string]bool{},
		withheld: map[string]bool{}, edited: map[string]bool{}, standing: r.Standings(), doubts: compiler.DoubtsOf(&r.SourceMap),
	}
	for _, d := range r.Found {
		switch {
		case keepsOff(d):
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
		dir := path.Dir(u.Path)
		n.place = len(ps.folders[dir])
		ps.folders[dir] = append(ps.folders[dir], n)
		ps.report(p.diags...)
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
	ps.pages = append(ps.pages, ps.dir)
	for _, n := range ps.nodes {
		ps.pages = append(ps.pages, n.out)
	}
	for _, v := range ps.res.Index.Views {
		if ps.view(v.Path) {
			ps.pages = append(ps.pages, ps.dir+htmlPath(v.Path))
		}
	}
	ps.pages = append(ps.pages, ps.dir+"claims.html", ps.dir+"history.html")
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
		f, err := ps.b.in.Open(ps.pack, name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
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
func (ps *packSite) connect() {
	ps.nameFolders()
	ps.namePages()
	for _, n := range ps.nodes {
		linked := map[*node]bool{n: true}
		link := func(to *node) {
			if to != nil && !linked[to] {
				linked[to] = true
				to.back = append(to.back, int32(n.order))
			}
		}
		for _, file := range n.targets {
			link(ps.byPath[file])
		}
		for _, name := range n.wiki {
			link(ps.named(name, n.path))
		}
		n.targets, n.wiki = nil, nil
	}
}

func (ps *packSite) nameFolders() {
	seen := map[string]bool{}
	for dir := range ps.folders {
		for dir != "." && !seen[dir] {
			seen[dir] = true
			up := path.Dir(dir)
			ps.children[up] = append(ps.children[up], dir)
			dir = up
		}
	}
	for _, list := range ps.children {
		slices.Sort(list)
	}
}

// namePages fills the table of names. Where two pages answer to one name, a
// title stands above a file stem, and the page that compile reads first wins.
func (ps *packSite) namePages() {
	ps.names = make(map[string]*node, 2*len(ps.nodes))
	take := func(name string, n *node) {
		if key := markdown.Slug(name); ps.names[key] == nil {
			ps.names[key] = n
		}
	}
	for _, n := range ps.nodes {
		take(n.unit.Title, n)
	}
	for _, n := range ps.nodes {
		take(strings.TrimSuffix(path.Base(n.path), ".md"), n)
	}
}

// named returns the page that [[name]] means in a file: a path below the
// pack or below the page's own source, a title, or a file stem.
func (ps *packSite) named(name, from string) *node {
	file := strings.TrimSuffix(name, ".md") + ".md"
	root := source(from)
	for _, try := range []string{file, path.Join(root, file), path.Join(path.Dir(from), file)} {
		if n := ps.byPath[try]; n != nil {
			return n
		}
	}
	return ps.names[markdown.Slug(name)]
}

// hasID reports whether a page has an element with that id: a heading, or the
// mark of a split with an id of its own.
func (ps *packSite) hasID(n *node, id string) bool {
	n.idsOnce.Do(func() {
		n.ids = make(map[string]bool, len(n.unit.Headings)+len(n.splits))
		for _, h := range n.unit.Headings {
			n.ids[h.ID] = true
		}
		if len(n.page.splits) < 2 {
			return
		}
		for _, i := range n.splits {
			n.ids[ps.splitAt(i).SectionID] = true
		}
	})
	return n.ids[id]
}

// fragment returns the id on a page that a fragment means, compared as compile
// does: as written, in lower case, or after the id rule of agent-knowledge
// section 6.3.
func (ps *packSite) fragment(n *node, fragment string) (id string, ok bool) {
	for _, id := range []string{fragment, strings.ToLower(fragment), markdown.Slug(fragment)} {
		if ps.hasID(n, id) {
			return id, true
		}
	}
	return "", fragment == "top"
}

// section returns the URL of a section seen from another page: of the page
// alone when it has no such id.
func (ps *packSite) section(from string, n *node, id string) string {
	url := relative(from, n.out)
	if id != "" && ps.hasID(n, id) {
		url += "#" + escapeFragment(id)
	}
	return url
}

// source returns the first part of a path: "documents" or "wiki".
func source(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// listed returns the pages of documents/ or wiki/ in the order of a listing: by
// folder, and in compile order within it.
func (ps *packSite) listed(root string) []*node {
	var list []*node
	for _, n := range ps.nodes {
		if source(n.path) == root {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *node) int { return cmp.Compare(path.Dir(a.path), path.Dir(b.path)) })
	return list
}

// split returns a split by its index.
func (ps *packSite) splitAt(i int32) *schema.Split { return &ps.res.Index.Splits[i] }
