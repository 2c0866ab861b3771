package site

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/site/article"
)

// folder is documents/, wiki/ or a folder below them, with what is in it in the author's
// order.
type folder struct {
	path   string
	up     *folder // nil for documents/ and wiki/
	index  *node   // its index.md: the page that is the folder's; nil for documents/ and wiki/
	readme *node   // its README.md
	out    string  // page of the folder, below the site root
	items  []item
	size   int // items in it and below
	pages  int // of these, pages
	first  int // place of its first page in compile order
}

// item is a page or a folder inside a folder.
type item struct {
	page   *node
	folder *folder
}

func (f *folder) name() string {
	if f.index != nil {
		return f.index.short()
	}
	return path.Base(f.path)
}

func (it item) name() string {
	if it.folder != nil {
		return it.folder.name()
	}
	return it.page.short()
}

func (it item) out() string {
	if it.folder != nil {
		return it.folder.out
	}
	return it.page.out
}

// arrange puts the pages into their folders, and both into the author's order: that of
// the context map, then that of the front matter, then compile order, which is the one
// of wiki/index.md and of names.
func arrange(ps *packSite) {
	for _, n := range ps.nodes {
		f := ps.folderOf(path.Dir(n.path))
		for up := f; up != nil; up = up.up {
			up.first = min(up.first, n.order)
		}
		switch base := path.Base(n.path); {
		case slices.Contains(reference.FolderPages[:], base) && f.up != nil:
			f.index, f.out = n, n.out
			continue
		case strings.EqualFold(base, "readme.md") && f.up != nil:
			f.readme = n
		}
		f.items = append(f.items, item{page: n})
	}
	ranks := ps.mapRanks()
	for _, root := range ps.roots() {
		ps.settle(root, ranks)
	}
}

// folderOf returns the folder of that path, and makes those above it.
func (ps *packSite) folderOf(dir string) *folder {
	if f := ps.folders[dir]; f != nil {
		return f
	}
	f := &folder{path: dir, out: ps.dir + dir + "/index.html", first: math.MaxInt}
	ps.folders[dir] = f
	if up := path.Dir(dir); up != "." {
		f.up = ps.folderOf(up)
		f.up.items = append(f.up.items, item{folder: f})
	} else {
		f.out = ps.dir + dir + ".html"
	}
	return f
}

// roots are documents/ and wiki/, the one with the primary source first.
func (ps *packSite) roots() []*folder {
	names := []string{string(pack.Documents), string(pack.Wiki)}
	if ps.res.Index.Profile == "wiki-first" {
		slices.Reverse(names)
	}
	var list []*folder
	for _, name := range names {
		if f := ps.folders[name]; f != nil {
			list = append(list, f)
		}
	}
	return list
}

// mapRanks returns the places at which the context map first names files, and folders or
// something in them.
func (ps *packSite) mapRanks() map[string]int {
	ranks := map[string]int{}
	for _, e := range markdown.Parse(pack.EntryName, ps.pack.EntryText).ContextMap() {
		for _, name := range ps.pack.AsListed(e.Paths) {
			name, _, _ = strings.Cut(name, "#")
			for name = path.Clean(name); name != "." && name != "/" && name != ".."; name = path.Dir(name) {
				if _, known := ranks[name]; !known {
					ranks[name] = len(ranks)
				}
			}
		}
	}
	return ranks
}

// settle sorts a folder and those in it, and notes the order in which their pages are read.
func (ps *packSite) settle(f *folder, ranks map[string]int) {
	place := func(it item) (rank int, order float64, first int) {
		name, page := "", it.page
		if it.folder != nil {
			name, page, first = it.folder.path, it.folder.index, it.folder.first
		} else {
			name, first = it.page.path, it.page.order
		}
		rank, order = math.MaxInt, math.Inf(1)
		if r, ok := ranks[name]; ok {
			rank = r
		}
		if page != nil && page.ordered {
			order = page.weight
		}
		return rank, order, first
	}
	slices.SortStableFunc(f.items, func(a, b item) int {
		rank, order, first := place(a)
		rank2, order2, first2 := place(b)
		return cmp.Or(cmp.Compare(rank, rank2), cmp.Compare(order, order2), cmp.Compare(first, first2))
	})
	read := func(n *node) {
		n.turn = len(ps.reading)
		ps.reading = append(ps.reading, n)
	}
	if f.index != nil {
		read(f.index)
		f.pages = 1
	}
	f.size = len(f.items)
	for i, it := range f.items {
		if it.folder != nil {
			ps.settle(it.folder, ranks)
			f.size += it.folder.size
			f.pages += it.folder.pages
			continue
		}
		f.pages++
		it.page.place = i
		read(it.page)
	}
}

// inside returns the folder that a page is in, as the navigation shows it: the index page
// of a folder is in that folder.
func (ps *packSite) inside(n *node) *folder { return ps.folders[path.Dir(n.path)] }

// counted says how many pages are in documents/ or wiki/.
func (f *folder) counted() string {
	if f.path == string(pack.Wiki) {
		return amount.Counted(f.pages, "wiki page")
	}
	return amount.Counted(f.pages, "document")
}

// label returns the name of a folder in a breadcrumb.
func (f *folder) label() string { return article.EmojiText(path.Base(f.path)) }
