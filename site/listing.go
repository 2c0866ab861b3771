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
func (b *build) addFolders(w *making) {
	for _, root := range w.ps.roots() {
		b.addListing(w, root)
	}
	for _, f := range w.ps.folders {
		if f.up != nil && f.index == nil {
			b.add(func() error { return w.putFolder(f) })
		}
	}
}

// addListing plans the list of all pages of documents/ or wiki/.
func (b *build) addListing(w *making, root *folder) {
	var pages []*node
	for _, n := range w.ps.reading {
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
			out := w.ps.dir + numbered(root.path, page)
			v := templates.Listing{
				Frame: w.frame(out, name+" · "+w.ps.name, name+" of "+w.ps.name), Pack: templates.Link{URL: "index.html", Text: w.ps.name},
				Name: name, Total: len(pages), Pager: pager(root.path, page, len(pages)), Branch: branch(w.ps, out, root, nil),
			}
			dir := ""
			for _, n := range window(pages, page) {
				row := row(w.ps, out, n)
				if at := path.Dir(n.path); at != dir {
					dir, row.Folder = at, templates.Link{URL: relative(out, w.ps.folders[at].out), Text: at}
				}
				v.Rows = append(v.Rows, row)
			}
			return w.render(out, v)
		})
	}
}

// row is a page in a list.
func row(ps *packSite, out string, n *node) templates.ListingRow {
	return templates.ListingRow{
		URL: relative(out, n.out), Title: n.name(), Path: path.Base(n.path),
		Status: string(cmp.Or(doubtOf(ps, n), n.unit.Status)), Splits: len(n.splits), Tokens: token.Of(n.units),
	}
}

// putFolder makes the pages of a folder: its README, and what is in it.
func (w *making) putFolder(f *folder) error {
	page := pageBuffers.Get().(*templates.Markup)
	defer pageBuffers.Put(page)
	for at := 1; at <= pagesFor(len(f.items)); at++ {
		out := w.ps.dir + f.path + "/" + numbered("index", at)
		v := templates.Listing{
			Frame: w.frame(out, f.name()+" · "+w.ps.name, "The pages in "+f.path+"/ of "+w.ps.name), Pack: templates.Link{URL: relative(out, w.ps.dir+"index.html"), Text: w.ps.name},
			Trail: trail(w.ps, out, f.up), Name: f.name(), Total: f.pages, Pager: pager("index", at, len(f.items)), Branch: branch(w.ps, out, f, nil),
		}
		if f.readme != nil && at == 1 {
			if err := w.body(page, f.readme, out); err != nil {
				return err
			}
			v.Body, v.Titled = page.B, f.readme.title
		}
		for _, it := range window(f.items, at) {
			if it.page != nil {
				v.Rows = append(v.Rows, row(w.ps, out, it.page))
				continue
			}
			v.Rows = append(v.Rows, templates.ListingRow{
				URL: relative(out, it.folder.out), Title: it.name() + "/", Path: path.Base(it.folder.path), Inside: it.folder.pages,
			})
		}
		if err := w.render(out, v); err != nil {
			return err
		}
	}
	return nil
}
