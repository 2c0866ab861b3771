package site

import (
	"cmp"
	"path"
	"strconv"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/templates"
)

// rowsPerPage is how many rows a listing shows at once.
const rowsPerPage = 200

// numbered returns the name of a page of a listing: claims.html, claims-2.html.
func numbered(name string, page int) string {
	if page == 1 {
		return name + ".html"
	}
	return name + "-" + strconv.Itoa(page) + ".html"
}

// pagesFor returns how many pages a listing of that many rows has: at least one.
func pagesFor(rows int) int { return max(1, (rows+rowsPerPage-1)/rowsPerPage) }

// window returns the rows of one page of a listing.
func window[T any](rows []T, page int) []T {
	from := (page - 1) * rowsPerPage
	return rows[from:min(len(rows), from+rowsPerPage)]
}

// pager leads from a page of a listing of that many rows to the others.
func pager(name string, page, rows int) templates.Pager { return pagerOf(name, page, pagesFor(rows)) }

// pagerOf leads from one of some pages to the others.
func pagerOf(name string, page, pages int) templates.Pager {
	p := templates.Pager{Page: page, Pages: pages, First: numbered(name, 1), Last: numbered(name, pages)}
	if page > 1 {
		p.Prev = numbered(name, page-1)
	}
	if page < pages {
		p.Next = numbered(name, page+1)
	}
	return p
}

// addFolders plans a list of all pages of documents/ or wiki/, and a page for each folder
// in it that has no index page of its own.
func (b *build) addFolders(w *making) {
	ps := w.ps
	for _, root := range ps.roots() {
		var list []*node
		for _, n := range ps.reading {
			if pack.LayerOf(n.path) == pack.Layer(root.path) {
				list = append(list, n)
			}
		}
		for at := 1; at <= pagesFor(len(list)); at++ {
			w.plan(ps.dir+numbered(root.path, at), func(out string) (templates.View, error) {
				return listingPage(w.pages, out, root, list, at), nil
			})
		}
	}
	for _, f := range ps.folders {
		if f.up == nil || f.index != nil {
			continue
		}
		for at := 1; at <= pagesFor(len(f.items)); at++ {
			w.plan(ps.dir+f.path+"/"+numbered("index", at), func(out string) (templates.View, error) {
				return folderPage(w.pages, out, f, at)
			})
		}
	}
}

// listingPage is a page of the list of all pages of documents/ or wiki/.
func listingPage(p *pageMaker, out string, root *folder, list []*node, at int) templates.Listing {
	name := "All documents"
	if root.path == string(pack.Wiki) {
		name = "All wiki pages"
	}
	v := templates.Listing{
		Frame: p.frame(out, name+" · "+p.ps.name, name+" of "+p.ps.name), Pack: p.home(out),
		Name: name, Total: len(list), Pager: pager(root.path, at, len(list)), Branch: branch(p.ps, out, root, nil),
	}
	dir := ""
	for _, n := range window(list, at) {
		row := row(p.ps, out, n)
		if at := path.Dir(n.path); at != dir {
			dir, row.Folder = at, templates.Link{URL: relative(out, p.ps.folders[at].out), Text: at}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// row is a page in a list.
func row(ps *packSite, out string, n *node) templates.ListingRow {
	return templates.ListingRow{
		URL: relative(out, n.out), Title: n.name(), Path: path.Base(n.path),
		Status: string(cmp.Or(doubtOf(ps, n), n.unit.Status)), Splits: len(n.splits), Tokens: token.Of(n.units),
	}
}

// folderPage is a page of a folder: its README, and what is in it.
func folderPage(p *pageMaker, out string, f *folder, at int) (templates.Listing, error) {
	v := templates.Listing{
		Frame: p.frame(out, f.name()+" · "+p.ps.name, "The pages in "+f.path+"/ of "+p.ps.name), Pack: p.home(out),
		Trail: trail(p.ps, out, f.up), Name: f.name(), Total: f.pages, Pager: pager("index", at, len(f.items)), Branch: branch(p.ps, out, f, nil),
	}
	if f.readme != nil && at == 1 {
		var page templates.Markup
		if err := p.body(&page, f.readme, out); err != nil {
			return v, err
		}
		v.Body, v.Titled = page.B, f.readme.title
	}
	for _, it := range window(f.items, at) {
		if it.page != nil {
			v.Rows = append(v.Rows, row(p.ps, out, it.page))
			continue
		}
		v.Rows = append(v.Rows, templates.ListingRow{
			URL: relative(out, it.folder.out), Title: it.name() + "/", Path: path.Base(it.folder.path), Inside: it.folder.pages,
		})
	}
	return v, nil
}
