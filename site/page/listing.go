package page

import (
	"cmp"
	"path"
	"strconv"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// RowsPerPage is how many rows a listing shows at once.
const RowsPerPage = 200

// Numbered returns the name of a page of a listing: claims.html, claims-2.html.
func Numbered(name string, page int) string {
	if page == 1 {
		return name + ".html"
	}
	return name + "-" + strconv.Itoa(page) + ".html"
}

// PagesFor returns how many pages a listing of that many rows has: at least one.
func PagesFor(rows int) int { return max(1, (rows+RowsPerPage-1)/RowsPerPage) }

// Window returns the rows of one page of a listing.
func Window[T any](rows []T, page int) []T {
	from := (page - 1) * RowsPerPage
	return rows[from:min(len(rows), from+RowsPerPage)]
}

// Pager leads from a page of a listing of that many rows to the others.
func Pager(name string, page, rows int) templates.Pager { return pagerOf(name, page, PagesFor(rows)) }

// pagerOf leads from one of some pages to the others.
func pagerOf(name string, page, pages int) templates.Pager {
	p := templates.Pager{Page: page, Pages: pages, First: Numbered(name, 1), Last: Numbered(name, pages)}
	if page > 1 {
		p.Prev = Numbered(name, page-1)
	}
	if page < pages {
		p.Next = Numbered(name, page+1)
	}
	return p
}

// Listing is a page of the list of all pages of documents/ or wiki/.
func Listing(p *Pages, out string, root *model.Folder, list []*model.Node, at int) templates.Listing {
	name := "All documents"
	if root.Path == string(pack.Wiki) {
		name = "All wiki pages"
	}
	v := templates.Listing{
		Frame: p.frame(out, name+" · "+p.Model.Name, name+" of "+p.Model.Name), Pack: p.home(out),
		Name: name, Total: len(list), Pager: Pager(root.Path, at, len(list)), Branch: branch(p.Model, out, root, nil),
	}
	dir := ""
	for _, n := range Window(list, at) {
		row := row(p.Model, out, n)
		if at := path.Dir(n.Path); at != dir {
			dir, row.Folder = at, templates.Link{URL: model.Relative(out, p.Model.Folders[at].Out), Text: at}
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

// Folder is a page of a folder: its README, and what is in it.
func Folder(p *Pages, out string, f *model.Folder, at int) (templates.Listing, error) {
	v := templates.Listing{
		Frame: p.frame(out, f.Name()+" · "+p.Model.Name, "The pages in "+f.Path+"/ of "+p.Model.Name), Pack: p.home(out),
		Trail: trail(p.Model, out, f.Up), Name: f.Name(), Total: f.Pages, Pager: Pager("index", at, len(f.Items)), Branch: branch(p.Model, out, f, nil),
	}
	if f.Readme != nil && at == 1 {
		var page templates.Markup
		if err := p.Body(&page, f.Readme, out); err != nil {
			return v, err
		}
		v.Body, v.Titled = page.B, f.Readme.Facts.HasTitle
	}
	for _, it := range Window(f.Items, at) {
		if it.Page != nil {
			v.Rows = append(v.Rows, row(p.Model, out, it.Page))
			continue
		}
		v.Rows = append(v.Rows, templates.ListingRow{
			URL: model.Relative(out, it.Folder.Out), Title: it.Name() + "/", Path: path.Base(it.Folder.Path), Inside: it.Folder.Pages,
		})
	}
	return v, nil
}
