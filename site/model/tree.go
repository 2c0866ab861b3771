package model

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/article"
)

// Folder is documents/, wiki/ or a folder below them, with what is in it in the author's
// order.
type Folder struct {
	Path   string
	Up     *Folder // nil for documents/ and wiki/
	Index  *Node   // its index.md: the page that is the folder's; nil for documents/ and wiki/
	Readme *Node   // its README.md
	Out    string  // page of the folder, below the site root
	Items  []Item
	Size   int // items in it and below
	Pages  int // of these, pages
	first  int // place of its first page in compile order
}

// Item is a page or a folder inside a folder.
type Item struct {
	Page   *Node
	Folder *Folder
}

// Name is what navigation calls the folder.
func (f *Folder) Name() string {
	if f.Index != nil {
		return f.Index.short()
	}
	return path.Base(f.Path)
}

// Name is what navigation calls the item.
func (it Item) Name() string {
	if it.Folder != nil {
		return it.Folder.Name()
	}
	return it.Page.short()
}

// Out is the page of the item, below the site root.
func (it Item) Out() string {
	if it.Folder != nil {
		return it.Folder.Out
	}
	return it.Page.Out
}

// arrange puts the pages into their folders, and both into the author's order: that of
// the context map, then that of the front matter, then compile order, which is the one
// of wiki/index.md and of names.
func arrange(ps *Pack) {
	for _, n := range ps.Nodes {
		f := folderOf(ps, path.Dir(n.Path))
		for up := f; up != nil; up = up.Up {
			up.first = min(up.first, n.order)
		}
		switch base := path.Base(n.Path); {
		case slices.Contains(reference.FolderPages[:], base) && f.Up != nil:
			f.Index, f.Out = n, n.Out
			continue
		case strings.EqualFold(base, "readme.md") && f.Up != nil:
			f.Readme = n
		}
		f.Items = append(f.Items, Item{Page: n})
	}
	ranks := mapRanks(ps)
	for _, root := range ps.Roots() {
		settle(ps, root, ranks)
	}
}

// folderOf returns the folder of that path, and makes those above it.
func folderOf(ps *Pack, dir string) *Folder {
	if f := ps.Folders[dir]; f != nil {
		return f
	}
	f := &Folder{Path: dir, Out: ps.Dir + dir + "/index.html", first: math.MaxInt}
	ps.Folders[dir] = f
	if up := path.Dir(dir); up != "." {
		f.Up = folderOf(ps, up)
		f.Up.Items = append(f.Up.Items, Item{Folder: f})
	} else {
		f.Out = ps.Dir + dir + ".html"
	}
	return f
}

// mapRanks returns the places at which the context map first names files, and folders or
// something in them.
func mapRanks(ps *Pack) map[string]int {
	ranks := map[string]int{}
	for _, e := range markdown.Parse(pack.EntryName, ps.Pack.EntryText).ContextMap() {
		for _, name := range ps.Pack.AsListed(e.Paths) {
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
func settle(ps *Pack, f *Folder, ranks map[string]int) {
	place := func(it Item) (rank int, order float64, first int) {
		name, page := "", it.Page
		if it.Folder != nil {
			name, page, first = it.Folder.Path, it.Folder.Index, it.Folder.first
		} else {
			name, first = it.Page.Path, it.Page.order
		}
		rank, order = math.MaxInt, math.Inf(1)
		if r, ok := ranks[name]; ok {
			rank = r
		}
		if page != nil && page.Facts.ordered {
			order = page.Facts.weight
		}
		return rank, order, first
	}
	slices.SortStableFunc(f.Items, func(a, b Item) int {
		rank, order, first := place(a)
		rank2, order2, first2 := place(b)
		return cmp.Or(cmp.Compare(rank, rank2), cmp.Compare(order, order2), cmp.Compare(first, first2))
	})
	read := func(n *Node) {
		n.Turn = len(ps.Reading)
		ps.Reading = append(ps.Reading, n)
	}
	if f.Index != nil {
		read(f.Index)
		f.Pages = 1
	}
	f.Size = len(f.Items)
	for i, it := range f.Items {
		if it.Folder != nil {
			settle(ps, it.Folder, ranks)
			f.Size += it.Folder.Size
			f.Pages += it.Folder.Pages
			continue
		}
		f.Pages++
		it.Page.Place = i
		read(it.Page)
	}
}

// Counted says how many pages are in documents/ or wiki/.
func (f *Folder) Counted() string {
	if f.Path == string(pack.Wiki) {
		return amount.Counted(f.Pages, "wiki page")
	}
	return amount.Counted(f.Pages, "document")
}

// Label returns the name of a folder in a breadcrumb.
func (f *Folder) Label() string { return article.EmojiText(path.Base(f.Path)) }

// nameRedirects gives the former paths of pages to them. Where a page is, or two
// pages want one path, whatever its case, the page, or the first of them, has it.
func nameRedirects(ps *Pack) {
	taken := map[string]bool{}
	for _, n := range ps.Nodes {
		taken[strings.ToLower(n.Out)] = true
	}
	for _, f := range ps.Folders {
		taken[strings.ToLower(f.Out)] = true
	}
	for _, n := range ps.Nodes {
		kept := n.Facts.Former[:0]
		for _, former := range n.Facts.Former {
			out := ps.Dir + former + ".html"
			if packpath.Check(former) != nil || taken[strings.ToLower(out)] || ps.Pack.Has(former+".html") {
				continue
			}
			taken[strings.ToLower(out)] = true
			kept = append(kept, strings.Clone(former)) // it is a part of all that is kept of the page
		}
		n.Facts.Former = kept
	}
}

// RootNames are what readers call the upper folders.
var RootNames = map[string]string{string(pack.Documents): "Documents", string(pack.Wiki): "Wiki"}

// innerHeading is a heading written in HTML: it is in the contents of its page, where a
// section does not start at it.
type innerHeading struct {
	heading compiler.HeadingInfo
	after   int // how many headings of Markdown are above it
}

// packInner writes the headings of a page that are written in HTML.
func packInner(w *store.Writer, doc *markdown.Document) {
	w.Uint(len(doc.HTMLHeadings))
	after := 0
	for _, h := range doc.HTMLHeadings {
		for after < len(doc.Headings) && doc.Headings[after].Start < h.Offset {
			after++
		}
		w.Uint(h.Level)
		w.Str(h.ID)
		w.Str(h.Text)
		w.Uint(after)
	}
}

// readInner reads what packInner wrote.
func readInner(x *store.Reader) []innerHeading {
	var list []innerHeading
	for range x.CountOf(4) {
		list = append(list, innerHeading{
			compiler.HeadingInfo{Level: x.Uint(), ID: strings.Clone(x.Str()), Text: strings.Clone(x.Str())}, x.Uint(),
		})
	}
	return list
}

// Headings returns all headings of a page in order, those written in HTML too.
func (n *Node) Headings() []compiler.HeadingInfo {
	headings, inner := n.Unit.Headings, n.Facts.inner
	if len(inner) == 0 {
		return headings
	}
	all := make([]compiler.HeadingInfo, 0, len(headings)+len(inner))
	taken := 0
	for _, h := range inner {
		if h.heading.Text == "" { // a picture
			continue
		}
		to := min(max(h.after, taken), len(headings))
		all = append(append(all, headings[taken:to]...), h.heading)
		taken = to
	}
	return append(all, headings[taken:]...)
}

// htmlTitle is the title of a page that is written in HTML; "" when none has a text.
func htmlTitle(doc *markdown.Document) string {
	for _, h := range doc.HTMLHeadings {
		if h.Level == 1 && h.Text != "" {
			return h.Text
		}
	}
	return ""
}

// HasTitle reports whether a document has a heading of the first level in Markdown.
func HasTitle(doc *markdown.Document) bool {
	return slices.ContainsFunc(doc.Headings, func(h markdown.Heading) bool { return h.Level == 1 })
}

// Relative returns the URL of a file seen from another, both named by their
// slash paths below the site root. Nothing on a site is addressed absolutely,
// so that it works from any folder of any server, and from a disk.
func Relative(from, to string) string {
	dir := path.Dir(from)
	if dir == "." {
		dir = ""
	}
	rest := to
	for dir != "" {
		head, tail, more := strings.Cut(dir, "/")
		if !strings.HasPrefix(rest, head+"/") {
			break
		}
		rest = rest[len(head)+1:]
		if dir = tail; !more {
			dir = ""
		}
	}
	up := 0
	if dir != "" {
		up = 1 + strings.Count(dir, "/")
	}
	url := strings.Repeat("../", up) + article.EscapePath(rest)
	if first, _, _ := strings.Cut(url, "/"); strings.Contains(first, ":") {
		return "./" + url // otherwise it would read as a scheme
	}
	return url
}

// HTMLPath returns the page of a Markdown file: documents/x.md is shown by
// documents/x.html beside it. The page of a folder is at the address of the folder, in
// whatever letter case its name is.
func HTMLPath(md string) string {
	if dir, base := path.Split(md); slices.Contains(reference.FolderPages[:], base) {
		return dir + "index.html"
	}
	return strings.TrimSuffix(md, ".md") + ".html"
}

// MarkdownOf returns the Markdown file that a page shows; "" when there is none.
func MarkdownOf(out string, has func(md string) bool) string {
	stem, isPage := strings.CutSuffix(out, ".html")
	if !isPage {
		return ""
	}
	if has(stem + ".md") {
		return stem + ".md"
	}
	for _, base := range reference.FolderPages {
		if md := path.Join(path.Dir(out), base); path.Base(out) == "index.html" && has(md) {
			return md
		}
	}
	return ""
}
