package page

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// refBroken is the rule id of a link that leads nowhere. Compile reports them; the
// site reports links to files that exist and that it does not publish.
const refBroken = "ref-broken"

// linker writes the opening tags of the links on one page.
type linker struct {
	ps   *model.Pack
	from *model.Node // nil on pages that are not files of documents/ or wiki/
	file string      // the Markdown file that the link is in
	out  string      // the page
	deep bool        // in a page that another one embeds

	report func(list ...diag.Diagnostic) // takes what is wrong with a link
}

// open writes what takes the place of a placeholder.
func (l linker) open(w *templates.Markup, h article.Placeholder) {
	switch h.Kind {
	case article.Wiki:
		l.wiki(w, h)
	case article.Source:
		l.source(w, h)
	case article.Picture:
		h.Target = cmp.Or(l.ps.Links.Table.Resolve(l.file, h.Target).Path, h.Target)
		l.image(w, h)
	case article.Embed:
		l.embed(w, h)
	default:
		l.page(w, h)
	}
}

func (l linker) page(w *templates.Markup, h article.Placeholder) {
	url, why := l.target(h)
	if url == notHere {
		l.refused(h, "link")
	}
	openTag(w, url, why)
}

// openTag writes the opening tag of a link, or of one that leads nowhere.
func openTag(w *templates.Markup, url, why string) {
	switch {
	case why == "":
		w.Put("<a%[href]>", url)
	case url == notHere:
		w.Put("<a class=off%[title]>", why)
	default:
		w.Put("<a class=lost%[title]>", why)
	}
}

// notHere stands for the URL of a file that exists but is not published.
const notHere = "-"

// target returns the URL of a pack path seen from the page, or says why there
// is none.
func (l linker) target(h article.Placeholder) (url, why string) {
	ps := l.ps
	found := ps.Links.Table.Resolve(l.file, h.Target)
	if n := ps.ByPath[found.Path]; n != nil {
		return l.anchor(n, h.Fragment)
	}
	name := strings.TrimSuffix(cmp.Or(found.Path, h.Target), "/")
	switch {
	case name == pack.EntryName, name == ".":
		return model.Relative(l.out, ps.Dir+"index.html"), ""
	case ps.HasFolder(name):
		return model.Relative(l.out, ps.Folders[name].Out), ""
	case ps.HasView(name):
		return model.Relative(l.out, ps.Dir+model.HTMLPath(name)), ""
	case ps.IsPublished(name):
		return model.Relative(l.out, ps.Dir+name), ""
	case ps.Pack.Has(name):
		return notHere, "Not published on this site"
	}
	return "", "No such file in this pack"
}

// anchor returns the URL of a page, with its fragment when the page has such an
// element. A wrong fragment makes the link a broken one: it would arrive at the
// top and say nothing.
func (l linker) anchor(n *model.Node, fragment string) (url, why string) {
	if n.Out != l.out || fragment == "" {
		url = model.Relative(l.out, n.Out)
	}
	if fragment == "" {
		return url, ""
	}
	id, ok := l.ps.FindID(n, fragment)
	switch {
	case !ok && strings.HasSuffix(n.Path, ".mdx.md") && n.Out != l.out: // a component may make the section
	case !ok:
		return "", "No such section on that page"
	case id != "":
		url += "#" + article.EscapeFragment(id)
	case url == "":
		url = model.Relative(l.out, n.Out)
	}
	return url, ""
}

// wiki writes the opening tag of [[…]], and the label of one that has a label.
func (l linker) wiki(w *templates.Markup, h article.Placeholder) {
	url, why := "", "No page of that name in this pack"
	switch n := l.from; {
	case h.Target == "" && n != nil:
		url, why = l.anchor(n, h.Fragment)
	case h.Target != "":
		label := h.Alt
		if h.Kind != article.Wiki {
			label = "" // it is about what is embedded
		}
		found, fragment, swapped := l.ps.Links.Table.Labelled(l.ps.Links.Names, l.file, h.Target, h.Fragment, label)
		if swapped {
			h.Alt = h.Target
		}
		if found.Path != "" {
			h.Target, h.Fragment = found.Path, fragment
			url, why = l.target(h)
		}
	}
	openTag(w, url, why)
	if h.Kind == article.Wiki {
		w.Literal([]byte(article.EmojiText(h.Alt)))
	}
}

// source writes the chip of a source anchor.
func (l linker) source(w *templates.Markup, h article.Placeholder) {
	url, lost := l.ps.SourceURL(l.out, h.Target, h.Fragment)
	if lost != "" {
		w.Raw(`<a class="src lost"`)
	} else {
		w.Raw(`<a class=src`)
	}
	switch {
	case url != "":
		w.Attr("href", url)
	case lost != "":
		w.Attr("title", lost)
	case strings.Count(h.Target, "/") > 1:
		w.Attr("title", h.Target) // the chip shows the file's name alone
	}
	w.Raw(">")
}

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
