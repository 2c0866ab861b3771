package site

import (
	"cmp"
	"path"
	"strconv"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/model"
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
	for _, root := range ps.Roots() {
		var list []*model.Node
		for _, n := range ps.Reading {
			if pack.LayerOf(n.Path) == pack.Layer(root.Path) {
				list = append(list, n)
			}
		}
		for at := 1; at <= pagesFor(len(list)); at++ {
			w.plan(ps.Dir+numbered(root.Path, at), func(out string) (templates.View, error) {
				return listingPage(w.pages, out, root, list, at), nil
			})
		}
	}
	for _, f := range ps.Folders {
		if f.Up == nil || f.Index != nil {
			continue
		}
		for at := 1; at <= pagesFor(len(f.Items)); at++ {
			w.plan(ps.Dir+f.Path+"/"+numbered("index", at), func(out string) (templates.View, error) {
				return folderPage(w.pages, out, f, at)
			})
		}
	}
}

// listingPage is a page of the list of all pages of documents/ or wiki/.
func listingPage(p *pageMaker, out string, root *model.Folder, list []*model.Node, at int) templates.Listing {
	name := "All documents"
	if root.Path == string(pack.Wiki) {
		name = "All wiki pages"
	}
	v := templates.Listing{
		Frame: p.frame(out, name+" · "+p.ps.Name, name+" of "+p.ps.Name), Pack: p.home(out),
		Name: name, Total: len(list), Pager: pager(root.Path, at, len(list)), Branch: branch(p.ps, out, root, nil),
	}
	dir := ""
	for _, n := range window(list, at) {
		row := row(p.ps, out, n)
		if at := path.Dir(n.Path); at != dir {
			dir, row.Folder = at, templates.Link{URL: model.Relative(out, p.ps.Folders[at].Out), Text: at}
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// row is a page in a list.
func row(ps *model.Pack, out string, n *model.Node) templates.ListingRow {
	return templates.ListingRow{
		URL: model.Relative(out, n.Out), Title: n.Name(), Path: path.Base(n.Path),
		Status: string(cmp.Or(model.DoubtOf(ps, n), n.Unit.Status)), Splits: len(n.Splits), Tokens: token.Of(n.Facts.Units),
	}
}

// folderPage is a page of a folder: its README, and what is in it.
func folderPage(p *pageMaker, out string, f *model.Folder, at int) (templates.Listing, error) {
	v := templates.Listing{
		Frame: p.frame(out, f.Name()+" · "+p.ps.Name, "The pages in "+f.Path+"/ of "+p.ps.Name), Pack: p.home(out),
		Trail: trail(p.ps, out, f.Up), Name: f.Name(), Total: f.Pages, Pager: pager("index", at, len(f.Items)), Branch: branch(p.ps, out, f, nil),
	}
	if f.Readme != nil && at == 1 {
		var page templates.Markup
		if err := p.body(&page, f.Readme, out); err != nil {
			return v, err
		}
		v.Body, v.Titled = page.B, f.Readme.Facts.HasTitle
	}
	for _, it := range window(f.Items, at) {
		if it.Page != nil {
			v.Rows = append(v.Rows, row(p.ps, out, it.Page))
			continue
		}
		v.Rows = append(v.Rows, templates.ListingRow{
			URL: model.Relative(out, it.Folder.Out), Title: it.Name() + "/", Path: path.Base(it.Folder.Path), Inside: it.Folder.Pages,
		})
	}
	return v, nil
}
