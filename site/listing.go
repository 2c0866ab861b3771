package site

import (
	"cmp"
	"path"
	"strconv"

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

func pager(name string, page, rows int) templates.Pager {
	p := templates.Pager{Page: page, Pages: pagesFor(rows)}
	p.First, p.Last = numbered(name, 1), numbered(name, p.Pages)
	if page > 1 {
		p.Prev = numbered(name, page-1)
	}
	if page < p.Pages {
		p.Next = numbered(name, page+1)
	}
	return p
}

// addListing plans the list of all pages of documents/ or wiki/.
func (b *build) addListing(ps *packSite, root string) {
	pages := ps.listed(root)
	if len(pages) == 0 {
		return
	}
	name := "All documents"
	if root == "wiki" {
		name = "All wiki pages"
	}
	for page := 1; page <= pagesFor(len(pages)); page++ {
		b.add(func() error {
			out := ps.dir + numbered(root, page)
			v := templates.Listing{
				Frame: ps.frame(out, name+" · "+ps.name, name+" of "+ps.name),
				Pack:  templates.Link{URL: "index.html", Text: ps.name},
				Name:  name, Total: len(pages), Pager: pager(root, page, len(pages)),
			}
			folder := ""
			for _, n := range window(pages, page) {
				row := templates.ListingRow{
					URL: relative(out, n.out), Title: n.name(), Path: path.Base(n.path),
					Status: cmp.Or(ps.doubtOf(n), n.unit.Status), Splits: len(n.splits), Tokens: token.Of(n.units),
				}
				if dir := path.Dir(n.path); dir != folder {
					folder, row.Folder = dir, dir
				}
				v.Rows = append(v.Rows, row)
			}
			return ps.render(out, v)
		})
	}
}
