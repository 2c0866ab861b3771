package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// Limits of what one page shows of others, so that no page grows with the
// number of pages.
const (
	maxFolder   = 15  // items of a folder that the navigation shows whole
	maxSiblings = 1   // items around a page that it shows of a larger folder
	maxBack     = 2   // pages that link here
	maxCare     = 12  // claims that are not confirmed
	maxContents = 60  // lines of the table of contents
	maxTrail    = 6   // folders of the breadcrumb; of a deeper one it names the ends
	maxName     = 120 // characters of the name of another page
)

// Key returns the key of a page: of its view, of its article and of what its links are
// on the page. To look the links up takes a part of the time that the page would.
func Key(p *Pages, page *templates.Markup, n *model.Node, v *templates.Document) (store.Digest, error) {
	around, err := json.Marshal(v)
	if err != nil {
		return store.Digest{}, fmt.Errorf("describe the page of %s: %w", n.Path, err)
	}
	placeholders, err := p.Model.Placeholders(n)
	if err != nil {
		return store.Digest{}, err
	}
	page.B = page.B[:0]
	l := linker{ps: p.Model, from: n, file: n.Path, out: n.Out, report: p.Report}
	for _, h := range placeholders {
		l.open(page, h)
		page.B = append(page.B, article.Mark)
	}
	return store.Key("page", compiler.Program(), string(n.Facts.Body[:]), string(page.B), string(around)), nil
}

// Body fills the links of a page's article in, as they are on the page at out.
func (p *Pages) Body(page *templates.Markup, n *model.Node, out string) error {
	placeholders, err := p.Model.Placeholders(n)
	if err != nil {
		return err
	}
	text, err := p.Model.Result.Blob(n.Facts.Body)
	if err != nil {
		return fmt.Errorf("make the page of %s: %w", n.Path, err)
	}
	page.B = page.B[:0]
	l := linker{ps: p.Model, from: n, file: n.Path, out: out, report: p.Report}
	if err := article.Fill(page, text, placeholders, l.open); err != nil {
		return fmt.Errorf("make the page of %s: %w", n.Path, err)
	}
	return nil
}

// Document is the page of a file, without its article.
func Document(p *Pages, n *model.Node) (v templates.Document, err error) {
	v = templates.Document{
		Frame:    p.frame(n.Out, n.Name()+" · "+p.Model.Name, cmp.Or(n.Facts.Summary, n.Name())),
		Pack:     p.home(n.Out),
		Trail:    trail(p.Model, n.Out, p.Model.Inside(n)),
		Status:   string(n.Unit.Status),
		Kind:     "document",
		Tokens:   token.Of(n.Facts.Units),
		Claims:   len(n.Claims),
		Notices:  documentNotices(p.Model, n),
		Contents: contents(n.Headings()),
		Branch:   branch(p.Model, n.Out, p.Model.Inside(n), n),
	}
	v.Frame.Markdown = model.Relative(n.Out, p.Model.Dir+n.Path)
	v.Changed, v.Edit = model.DayOf(p.Model.Settings.LastChange(p.Model.Pack, n.Path)), editURL(p.Model, n.Path)
	if pack.LayerOf(n.Path) == pack.Wiki {
		v.Kind = "wiki page"
	}
	if !n.Facts.HasTitle {
		v.Heading = n.Name()
	}
	if len(n.Facts.Splits) > 1 {
		v.Splits = model.Relative(n.Out, p.Model.Dir+path.Dir(n.Facts.Splits[0].Path)) + "/"
	}
	if len(n.Facts.Splits) == 1 && p.Model.IsSplit(n.Facts.Splits[0].Path) {
		v.Split = templates.Link{URL: model.Relative(n.Out, p.Model.Dir+n.Facts.Splits[0].Path), Text: "one split"}
	}
	if len(n.Claims) > 0 {
		v.ClaimURL = model.Relative(n.Out, claimPage(p.Model, n.Claims[0])) + "#" + p.Model.Result.SourceMap.Claims[n.Claims[0]].ClaimID
	}
	v.Care, v.MoreCare = care(p.Model, n)
	if v.Back, v.MoreBack, err = backlinks(p.Model, n); err != nil {
		return v, fmt.Errorf("make the page of %s: %w", n.Path, err)
	}
	if v.MoreBack > 0 {
		v.BackURL = model.Relative(n.Out, p.Model.Dir+GraphName) + "?" + article.EscapeFragment(model.InPack(p.Model, n))
	}
	v.Prev, v.Next = neighbour(p.Model, n, -1), neighbour(p.Model, n, 1)
	return v, nil
}

// trail is the part of the breadcrumb between pack and page: the folders, from
// documents/ or wiki/ on. A folder that is itself the page is left out.
func trail(ps *model.Pack, out string, f *model.Folder) []templates.Link {
	var folders []*model.Folder
	for ; f != nil; f = f.Up {
		if f.Out != out {
			folders = append(folders, f)
		}
	}
	slices.Reverse(folders)
	left := len(folders) - maxTrail
	if left > 0 {
		folders = slices.Delete(folders, 1, 1+left)
	}
	var trail []templates.Link
	for i, f := range folders {
		text := f.Label()
		if left > 0 && i == 1 {
			text = "…"
		}
		trail = append(trail, templates.Link{URL: model.Relative(out, f.Out), Text: text})
	}
	return trail
}

// branch is a folder as the navigation beside a page shows it: what is around the page
// when that is much, and a link to all of it.
func branch(ps *model.Pack, out string, f *model.Folder, here *model.Node) templates.Branch {
	b := templates.Branch{All: templates.Link{URL: model.Relative(out, f.Out), Text: f.Label() + "/"}}
	items := f.Items
	if len(items) > maxFolder {
		place := 0
		if here != nil {
			place = here.Place
		}
		from := max(0, min(place-maxSiblings/2, len(items)-maxSiblings))
		items = items[from : from+maxSiblings]
		b.Left = len(f.Items) - len(items)
	}
	for _, it := range items {
		p := templates.BranchPage{URL: model.Relative(out, it.Out()), Text: diag.OneLine(it.Name(), maxName), Here: here != nil && it.Page == here}
		if it.Folder != nil {
			p.Text += "/"
		}
		b.Pages = append(b.Pages, p)
	}
	return b
}

// neighbour is the page before or after in the author's order, inside documents/ or
// wiki/.
func neighbour(ps *model.Pack, n *model.Node, step int) templates.Link {
	i := n.Turn + step
	if i < 0 || i >= len(ps.Reading) || pack.LayerOf(ps.Reading[i].Path) != pack.LayerOf(n.Path) {
		return templates.Link{}
	}
	return templates.Link{URL: model.Relative(n.Out, ps.Reading[i].Out), Text: diag.OneLine(ps.Reading[i].Name(), maxName)}
}

// care lists the claims of a page that are not confirmed, each text once.
func care(ps *model.Pack, n *model.Node) (rows []templates.ClaimRow, more int) {
	seen := map[string]bool{}
	for _, i := range n.Claims {
		c := &ps.Result.SourceMap.Claims[i]
		if c.Status == schema.Confirmed || seen[c.Text] {
			continue
		}
		seen[c.Text] = true
		if len(rows) == maxCare {
			more++
			continue
		}
		rows = append(rows, templates.ClaimRow{Text: diag.OneLine(c.Text, 240), Status: string(c.Status)})
	}
	return rows, more
}

// contents is the table of contents: the two upper levels below the title.
func contents(headings []compiler.HeadingInfo) []templates.Heading {
	top := 2
	titles := 0
	for _, h := range headings {
		if h.Level == 1 {
			titles++
		}
	}
	if titles > 1 {
		top = 1
	}
	list := pick(headings, top, top+1)
	if len(list) > maxContents/2 {
		list = pick(headings, top, top)
	}
	if len(list) < 2 {
		return nil
	}
	return list[:min(len(list), maxContents)]
}

func pick(headings []compiler.HeadingInfo, top, sub int) []templates.Heading {
	var list []templates.Heading
	for _, h := range headings {
		if h.Level != top && h.Level != sub {
			continue
		}
		text := h.Text
		if text == "" {
			text = h.ID
		}
		list = append(list, templates.Heading{ID: h.ID, Text: article.HeadingText(text), Sub: h.Level != top})
	}
	return list
}

// backlinks are the first pages that link to a page, and where the others are.
func backlinks(ps *model.Pack, n *model.Node) (links []templates.Backlink, more int, err error) {
	for _, b := range n.Back[:min(len(n.Back), maxBack)] {
		said, err := ps.Links.Said.Of(b)
		if err != nil {
			return nil, 0, err
		}
		other := ps.Nodes[b.From]
		links = append(links, templates.Backlink{Link: templates.Link{URL: model.Relative(n.Out, other.Out), Text: diag.OneLine(other.Name(), maxName)}, Said: said})
	}
	return links, len(n.Back) - len(links), nil
}

// editURL returns the address that edits a file of the pack; "" when there is none.
func editURL(ps *model.Pack, name string) string {
	o := &ps.Settings
	if o.Edit == "" || o.Locate == nil {
		return ""
	}
	at := o.Locate(ps.Pack, name)
	if !filepath.IsLocal(filepath.FromSlash(at)) {
		return ""
	}
	return strings.ReplaceAll(o.Edit, "{path}", article.EscapePath(at))
}
