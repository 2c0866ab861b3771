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

// addFolders plans a list of all pages of documents/ or wiki/, and a page for each folder
// in it that has no index page of its own.
func (b *build) addFolders(ps *packSite) {
	for _, root := range ps.roots() {
		b.addListing(ps, root)
	}
	for _, f := range ps.folders {
		if f.up != nil && f.index == nil {
			b.add(func() error { return ps.putFolder(f) })
		}
	}
}

// addListing plans the list of all pages of documents/ or wiki/.
func (b *build) addListing(ps *packSite, root *folder) {
	var pages []*node
	for _, n := range ps.reading {
		if pack.LayerOf(n.path) == pack.Layer(root.path) {
			pages = append(pages, n)
		}
	}
	name := "All documents"
	if root.path == string(pack.Wiki) {
		name = "All wiki pages"
	}
	for page := 1; page <= pagesFor(len(pages)); page++ {
		b.add(func() error {
			out := ps.dir + numbered(root.path, page)
			v := templates.Listing{
				Frame: ps.frame(out, name+" · "+ps.name, name+" of "+ps.name), Pack: templates.Link{URL: "index.html", Text: ps.name},
				Name: name, Total: len(pages), Pager: pager(root.path, page, len(pages)), Branch: ps.branch(out, root, nil),
			}
			dir := ""
			for _, n := range window(pages, page) {
				row := ps.row(out, n)
				if at := path.Dir(n.path); at != dir {
					dir, row.Folder = at, templates.Link{URL: relative(out, ps.folders[at].out), Text: at}
				}
				v.Rows = append(v.Rows, row)
			}
			return ps.render(out, v)
		})
	}
}

// row is a page in a list.
func (ps *packSite) row(out string, n *node) templates.ListingRow {
	return templates.ListingRow{
		URL: relative(out, n.out), Title: n.name(), Path: path.Base(n.path),
		Status: string(cmp.Or(ps.doubtOf(n), n.unit.Status)), Splits: len(n.splits), Tokens: token.Of(n.units),
	}
}

// putFolder makes the pages of a folder: its README, and what is in it.
func (ps *packSite) putFolder(f *folder) error {
	page := pageBuffers.Get().(*templates.Markup)
	defer pageBuffers.Put(page)
	for at := 1; at <= pagesFor(len(f.items)); at++ {
		out := ps.dir + f.path + "/" + numbered("index", at)
		v := templates.Listing{
			Frame: ps.frame(out, f.name()+" · "+ps.name, "The pages in "+f.path+"/ of "+ps.name), Pack: templates.Link{URL: relative(out, ps.dir+"index.html"), Text: ps.name},
			Trail: ps.trail(out, f.up), Name: f.name(), Total: f.pages, Pager: pager("index", at, len(f.items)), Branch: ps.branch(out, f, nil),
		}
		if f.readme != nil && at == 1 {
			if err := ps.body(page, f.readme, out); err != nil {
				return err
			}
			v.Body, v.Titled = page.B, f.readme.title
		}
		for _, it := range window(f.items, at) {
			if it.page != nil {
				v.Rows = append(v.Rows, ps.row(out, it.page))
				continue
			}
			v.Rows = append(v.Rows, templates.ListingRow{
				URL: relative(out, it.folder.out), Title: it.name() + "/", Path: path.Base(it.folder.path), Inside: it.folder.pages,
			})
		}
		if err := ps.render(out, v); err != nil {
			return err
		}
	}
	return nil
}
