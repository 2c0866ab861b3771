package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/htmltag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
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

// Limits of what a page shows of others by ![[…]].
const (
	maxEmbed = 64 << 10  // bytes of HTML of one page; of a larger one there is a link
	maxBody  = 512 << 10 // bytes of a page, from which on it embeds nothing more
)

// embed writes what ![[…]] asks for: a picture, a page or a section of it, or a link
// to what cannot be shown. A page that is embedded embeds nothing itself, so that no
// circle of pages has no end.
func (l linker) embed(w *templates.Markup, h article.Placeholder) {
	ps := l.ps
	found := ps.Links.Table.Named(ps.Links.Names, l.file, h.Target)
	n := ps.ByPath[found.Path]
	switch {
	case h.Target != "" && found.Path != "" && model.IsImage(found.Path):
		h.Target = found.Path
		if h.Alt == "" {
			h.Alt = strings.TrimSuffix(path.Base(found.Path), path.Ext(found.Path))
		}
		h.Title = ""
		if h.Class == "block" {
			h.Class = ""
		}
		l.image(w, h)
		return
	case n != nil && n != l.from && n.Out != l.out && h.Class == "block" && !l.deep && len(w.B) < maxBody:
		if l.transclude(w, h, n) {
			return
		}
	}
	l.wiki(w, h)
	w.Literal([]byte(cmp.Or(h.Alt, h.Title)))
	w.Raw("</a>")
}

// transclude writes a page, or a section of it, into another one; false when it
// cannot.
func (l linker) transclude(w *templates.Markup, h article.Placeholder, n *model.Node) bool {
	text, err := l.ps.Result.Blob(n.Facts.Body)
	if err != nil {
		return false
	}
	placeholders, err := l.ps.Placeholders(n)
	if err != nil {
		return false
	}
	id := ""
	if h.Fragment != "" {
		var ok bool
		if id, ok = l.ps.FindID(n, h.Fragment); !ok || id == "" && h.Fragment != "top" {
			return false
		}
		from, to, ok := sectionOf(text, id)
		if strings.HasPrefix(id, "^") {
			from, to, ok = blockOf(text, id)
		}
		if !ok {
			return false
		}
		placeholders = placeholders[bytes.Count(text[:from], []byte{article.Mark}):]
		text = text[from:to]
		placeholders = placeholders[:bytes.Count(text, []byte{article.Mark})]
	}
	if len(text) > maxEmbed {
		return false
	}
	url, why := l.anchor(n, id)
	if why != "" {
		return false
	}
	w.Raw("<div class=embed><p class=from><a")
	w.Attr("href", url)
	w.Raw(">")
	w.Literal([]byte(article.EmojiText(n.Name())))
	w.Raw("</a>\n")
	inner := linker{ps: l.ps, from: n, file: n.Path, out: l.out, deep: true, report: l.report}
	before := len(w.B)
	if err := article.Fill(w, withoutIDs(text, model.Relative(l.out, n.Out)), placeholders, inner.open); err != nil {
		w.B = w.B[:before]
	}
	w.Raw("</div>\n")
	return true
}

// headingTag finds the headings of an article.
var headingTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<h([1-6])(?: id=("[^"]*"|[^ >]*))?[ >]`) })

// sectionOf finds the section of a heading in an article that we rendered: up to the
// next heading of its level or above.
func sectionOf(text []byte, id string) (from, to int, ok bool) {
	level := 0
	var quoted templates.Markup
	quoted.Attr("id", id)
	want := strings.TrimPrefix(string(quoted.B), " id=")
	for _, m := range headingTag().FindAllSubmatchIndex(text, -1) {
		here, _ := strconv.Atoi(string(text[m[2]:m[3]]))
		switch {
		case level > 0 && here <= level:
			return from, m[0], true
		case level == 0 && m[4] >= 0 && string(text[m[4]:m[5]]) == want:
			from, level = m[0], here
		}
	}
	return from, len(text), level > 0
}

// blockOf finds the paragraph or list item that an id of Obsidian, which is at its end,
// names in an article that we rendered.
func blockOf(text []byte, id string) (from, to int, ok bool) {
	var anchor templates.Markup
	anchor.Raw("<a")
	anchor.Attr("id", id)
	anchor.Raw("></a>")
	at := bytes.Index(text, anchor.B)
	if at < 0 {
		return 0, 0, false
	}
	from, head := -1, ""
	for _, tag := range []string{"<p>", "<li>", "<li class=task>", "<div class=p>"} {
		if i := bytes.LastIndex(text[:at], []byte(tag)); i > from {
			from, head = i, tag
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	if head != "<p>" { // its end is not in what is shown
		from += len(head)
	}
	return from, at + len(anchor.B), true
}

// cutMark finds the marks where splits start.
var cutMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<p class=cut[^>]*>[^\n]*\n`) })

// withoutIDs returns an article without ids, which the page that embeds it may have
// too, and without the marks of splits. Links to its own footnotes lead to its page.
func withoutIDs(text []byte, page string) []byte {
	text = cutMark().ReplaceAll(text, nil)
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		t := htmltag.Next(text, at)
		at = t.End
		done := t.Start
		for _, a := range t.Attrs {
			if a.At < t.Start {
				continue // without a value, such as checked
			}
			from := bytes.LastIndex(text[t.Start:a.At], []byte(" "+a.Name+"=")) + t.Start
			end := a.At + len(a.Value)
			if end < t.End && text[end] == '"' {
				end++
			}
			var w templates.Markup
			switch {
			case t.Kind != htmltag.Open || from < t.Start:
				continue
			case a.Name == "id":
			case a.Name == "name" && t.Name == "details": // tabs of one page do not close those of another
				w.Attr("name", page+"#"+a.Value)
			case a.Name == "href" && strings.HasPrefix(a.Value, "#s."):
				w.Attr("href", page+a.Value)
			default:
				continue
			}
			out = append(append(out, text[done:from]...), w.B...)
			done = end
		}
		out = append(out, text[done:t.End]...)
	}
	return out
}

// RuleRefused is the rule id of a drawing that could do something when it is
// opened by its own address, and is not published for that.
const RuleRefused = "svg-refused"

// refused reports a link or picture that leads to a drawing that is not
// published.
func (l linker) refused(h article.Placeholder, what string) {
	if packpath.IsDrawing(h.Target) && l.ps.MayPublish(h.Target) {
		l.dangling(h, what, "the drawing is refused", "correct the drawing, as "+RuleRefused+" says")
	}
}

// dangling reports a link or picture whose file exists and is not on the site.
// What is in a view is reported where it was taken from.
func (l linker) dangling(h article.Placeholder, what, why, hint string) {
	if l.from == nil && l.file != pack.EntryName {
		return
	}
	l.report(diag.Diagnostic{
		ID: refBroken, Severity: diag.Warning, Pack: l.ps.Name, Path: l.file, Line: h.Line, Column: h.Column,
		Message: "the " + what + " \"" + diag.Clip(h.Target, 80) + "\" is left out of the page: " + why, Hint: hint,
	})
}

// image writes a picture, or its text where there is none to show.
func (l linker) image(w *templates.Markup, h article.Placeholder) {
	ps := l.ps
	why := ""
	switch {
	case !ps.Pack.Has(h.Target):
		why = "No such image in this pack" // compile reports it
	case !model.IsImage(h.Target):
		why = "Not an image that a page can show"
		l.dangling(h, "image", "a page cannot show a file of this kind", "use a PNG, JPEG, GIF, WebP, AVIF or SVG file, or write a link")
	case !ps.MayPublish(h.Target):
		why = "Not published on this site"
		l.dangling(h, "image", "it is not published", "keep pictures in assets/, or beside the page")
	case packpath.IsDrawing(h.Target) && model.Refusal(ps, h.Target) != nil:
		why = "Not published on this site"
		l.refused(h, "image")
	}
	if why != "" {
		w.Raw(`<span class=lost`)
		w.Attr("title", why)
		w.Raw(">")
		w.Literal([]byte(h.Alt))
		w.Raw("</span>")
		return
	}
	w.Raw("<img")
	w.Attr("src", model.Relative(l.out, ps.Dir+h.Target))
	w.Attr("alt", h.Alt)
	if h.Title != "" {
		w.Attr("title", h.Title)
	}
	if h.Class != "" {
		w.Attr("class", h.Class)
	}
	width, height := model.PictureSize(ps, h.Target)
	if h.Width > 0 || h.Height > 0 {
		width, height = fitted(width, height, h.Width, h.Height)
	}
	if width > 0 {
		w.Attr("width", strconv.Itoa(width))
	}
	if height > 0 {
		w.Attr("height", strconv.Itoa(height))
	}
	w.Raw(` loading=lazy>`)
}

// fitted returns the size of a picture that is shown in another width or height than
// its own: what is not written follows from its proportions.
func fitted(width, height, wantWidth, wantHeight int) (w, h int) {
	switch {
	case wantWidth > 0 && wantHeight > 0, width == 0 || height == 0:
		return wantWidth, wantHeight
	case wantWidth > 0:
		return wantWidth, max(1, height*wantWidth/width)
	}
	return max(1, width*wantHeight/height), wantHeight
}
