package templates

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
)

// The title of a page is above the facts about it, whoever wrote it.
var cutStart, h1Start, h1End = []byte("<p class=cut"), []byte("<h1"), []byte("</h1>\n")

// longTitle is how many bytes of a title, tags included, would fill a phone's screen.
const longTitle = 180

// write writes the page of a document, a wiki page or a view.
func (v Document) write(m *Markup) {
	v.Menu = v.Branch.All.URL != ""
	m.head(&v.Frame)
	if v.Menu {
		m.Raw("<div class=doc>\n<main id=s.main>\n")
	} else {
		m.Raw("<div class=\"doc lone\">\n<main id=s.main>\n")
	}
	m.trail(v.Pack, v.Trail)
	mark, title, body := v.parts()
	if v.Heading != "" {
		m.Put("<h1>%s</h1>\n", v.Heading)
	}
	if len(title) > longTitle {
		m.Raw("<h1 class=long")
		title = title[len(h1Start):]
	}
	m.B = append(m.B, title...)
	v.meta(m)
	for _, n := range v.Notices {
		m.notice(n)
	}
	v.contents(m)
	m.Raw("<article class=prose")
	if v.Splits != "" {
		m.Attr("data-splits", v.Splits)
	}
	m.Raw(">")
	m.B = append(append(m.B, mark...), body...)
	m.Raw("</article>\n")
	v.care(m)
	v.backlinks(m)
	v.turn(m)
	m.Raw("</main>\n")
	m.branch(&v.Branch)
	m.Raw("</div>\n")
	m.foot(&v.Frame)
}

// parts takes the title out of a body that begins with it, or with the mark of a split and
// then the title.
func (v *Document) parts() (mark, title, body []byte) {
	body = v.Body // escaped by the site's renderer
	if bytes.HasPrefix(body, cutStart) {
		at := bytes.IndexByte(body, '\n') + 1
		mark, body = body[:at], body[at:]
	}
	end := bytes.Index(body, h1End)
	if end < 0 || !bytes.HasPrefix(body, h1Start) {
		return nil, nil, v.Body
	}
	end += len(h1End)
	return mark, body[:end], body[end:]
}

// trail writes the breadcrumb below a pack.
func (m *Markup) trail(pack Link, trail []Link) {
	m.Put("<nav class=crumbs aria-label=Breadcrumb><a%[href]>%s</a>", pack.URL, pack.Text)
	for _, l := range trail {
		m.link(l)
	}
	m.Raw("</nav>\n")
}

// meta writes the line of facts below the breadcrumb.
func (v *Document) meta(m *Markup) {
	m.Raw("<p class=meta>")
	if v.Status != "" {
		m.badge(v.Status)
		m.Raw(" ")
	}
	m.Put("<span>%s</span>", v.Kind)
	if v.Tokens != 0 {
		m.Put("<span>%s tokens</span>", amount.Grouped(v.Tokens))
	}
	if v.Claims != 0 {
		m.Put("<a%[href]>%s</a>", v.ClaimURL, amount.Counted(v.Claims, "claim"))
	}
	if v.Split.URL != "" {
		m.link(v.Split)
	}
	if v.Changed != "" {
		m.Put("<span>changed <time>%s</time></span>", v.Changed)
	}
	if v.Edit != "" {
		m.Put("<a%[href]>Edit this page</a>", v.Edit)
	}
	if v.Markdown != "" {
		m.Put(`<a rel=alternate type="text/markdown"%[href]>Markdown</a>`, v.Markdown)
	}
	m.Raw("</p>\n")
}

func (v *Document) contents(m *Markup) {
	if len(v.Contents) == 0 {
		return
	}
	m.Raw("<details class=toc><summary>On this page</summary><ul>")
	for _, h := range v.Contents {
		m.Raw("<li")
		if h.Sub {
			m.Raw(" class=sub")
		}
		m.Raw("><a")
		m.Attr("href", "#"+h.ID)
		m.Put(">%s</a>", h.Text)
	}
	m.Raw("</ul></details>\n")
}

// care lists the claims that are not confirmed.
func (v *Document) care(m *Markup) {
	if len(v.Care) == 0 {
		return
	}
	m.Raw("<section class=care aria-labelledby=s.care><h2 id=s.care class=label>Claims to handle with care</h2><ul>")
	for _, c := range v.Care {
		m.Raw("<li>")
		m.badge(c.Status)
		m.Put(" %s\n", c.Text)
	}
	m.Raw("</ul>")
	if v.MoreCare != 0 {
		m.Put("<p class=more><a%[href]>%s</a></p>", v.ClaimURL, amount.Counted(v.MoreCare, "more claim"))
	}
	m.Raw("</section>\n")
}

func (v *Document) backlinks(m *Markup) {
	if len(v.Back) == 0 {
		return
	}
	m.Raw("<section class=back><h2 class=label>Linked from</h2>")
	m.linked(v.Back)
	if v.MoreBack != 0 {
		m.Put("<p class=more>and <a%[href]>%s</a></p>", v.BackURL, amount.Counted(v.MoreBack, "more page"))
	}
	m.Raw("</section>\n")
}

// turn links to the previous and the next page.
func (v *Document) turn(m *Markup) {
	if v.Prev.URL == "" && v.Next.URL == "" {
		return
	}
	m.Raw("<nav class=turn aria-label=Turn>")
	if v.Prev.URL != "" {
		m.Put("<a rel=prev%[href]>%s</a>", v.Prev.URL, v.Prev.Text)
	}
	if v.Next.URL != "" {
		m.Put("<a rel=next%[href]>%s</a>", v.Next.URL, v.Next.Text)
	}
	m.Raw("</nav>\n")
}

// branch writes the folder that the page is in: beside the text where there is room, and
// behind the button in the header where there is none. The script puts the whole tree in
// its place.
func (m *Markup) branch(b *Branch) {
	if b.All.URL == "" {
		return
	}
	m.Raw("<nav class=side id=s.side popover aria-label=Pages><ul>")
	for _, p := range b.Pages {
		if p.Here {
			m.Put("<li><b>%s</b>", p.Text)
		} else {
			m.Put("<li><a%[href]>%s</a>", p.URL, p.Text)
		}
	}
	m.Put("<li><a%[href]>", b.All.URL)
	if b.Left > 0 {
		m.Put("%s more in ", amount.Grouped(b.Left))
	}
	m.Put("%s</a></ul></nav>\n", b.All.Text)
}

// The content security policy of every page. Only pages with modules, such as the match
// page, may run WebAssembly.
const (
	policyOpen  = `<meta http-equiv=Content-Security-Policy content="default-src 'none'; script-src 'self'`
	policyWASM  = ` 'wasm-unsafe-eval'`
	policyStyle = `; style-src 'self'`
	policyClose = `; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'">` + "\n"

	// policyAlone is for a page outside of a site, which holds its stylesheet.
	policyAlone = `<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">` + "\n"

	skipLink = "<a class=skip href=#s.main>Skip to content</a>\n"
)

// head writes the start of every page.
func (m *Markup) head(f *Frame) {
	m.Put("<!doctype html>\n<html%[lang]", f.Lang)
	if isRightToLeft(f.Lang) {
		m.Raw(" dir=rtl")
	}
	m.Raw(">\n<meta charset=utf-8>\n")
	switch {
	case f.Alone != nil:
		m.Put(policyAlone, f.Alone.Sum)
	case f.Policy:
		m.Raw(policyOpen)
		if f.First.Sum != "" {
			m.Put(" 'sha256-%s'", f.First.Sum)
		}
		if len(f.Module) > 0 {
			m.Raw(policyWASM)
		}
		m.Raw(policyStyle)
		if f.Look.Sum != "" {
			m.Put(" 'sha256-%s'", f.Look.Sum)
		}
		m.Raw(policyClose)
	}
	m.Raw(`<meta name=viewport content="width=device-width">` + "\n<title>")
	if f.Title != f.Site {
		m.Put("%s · ", f.Title)
	}
	m.Put("%s</title>\n", f.Site)
	if f.Description != "" {
		m.Put("<meta name=description%[content]>\n", f.Description)
	}
	if f.Canonical != "" {
		m.Put("<link rel=canonical%[href]>\n", f.Canonical)
		m.openGraph(f)
	}
	if f.Onward != "" {
		m.Put("<meta http-equiv=refresh%[content]>\n", "0; url="+f.Onward)
	}
	if f.Alone != nil {
		m.Raw("<style>")
		m.Raw(f.Alone.Style)
		m.Raw("</style>\n" + skipLink)
		return
	}
	m.Put("<link rel=icon%[href]>\n", f.Root+f.Icon)
	if f.Feed != "" {
		m.Put(`<link rel=alternate type="application/atom+xml"%[href]>`+"\n", f.Root+f.Feed)
	}
	m.styles(f)
	m.scripts(f)
	for _, path := range f.Module {
		m.Put("<script type=module%[src]></script>\n", f.Root+path)
	}
	m.top(f)
}

// styles writes the stylesheet that the page carries in itself, and names the others.
func (m *Markup) styles(f *Frame) {
	if len(f.Look.Text) > 0 {
		m.Raw("<style>")
		m.B = append(m.B, f.Look.Text...)
		m.Raw("</style>\n")
	}
	for _, path := range f.Style {
		m.Put("<link rel=stylesheet%[href]>\n", f.Root+path)
	}
}

// scripts names the scripts of the page. One that the page carries in itself loads them once
// something is seen; they are on their way before, but on a page so long that they would
// keep it waiting.
func (m *Markup) scripts(f *Frame) {
	switch {
	case len(f.First.Text) == 0:
		for _, path := range f.Script {
			m.Put("<script%[src]></script>\n", f.Root+path)
		}
		return
	case len(f.Look.Text) > 0:
		m.Raw("<script")
		m.Attr("data-load", joined(f.Root, f.Script))
		m.carried(f.First)
		return
	}
	for _, path := range f.Script {
		m.Put("<link rel=preload as=script%[href]>", f.Root+path)
	}
	m.carry(f.First)
}

// joined is the addresses of files as the scripts that load them read them.
func joined(root string, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return root + strings.Join(paths, " "+root)
}

// carry writes a script into the page.
func (m *Markup) carry(i Inline) {
	m.Raw("<script")
	m.carried(i)
}

// carried writes a script whose tag is open.
func (m *Markup) carried(i Inline) {
	m.Raw(">")
	m.B = append(m.B, i.Text...)
	m.Raw("</script>\n")
}

// openGraph writes what a link to the page is shown by elsewhere. Without an address of
// the site there is none.
func (m *Markup) openGraph(f *Frame) {
	m.Put("<meta property=og:type content=article><meta property=og:site_name%[content]><meta property=og:title%[content]><meta property=og:url%[content]>", f.Site, f.Title, f.Canonical)
	if f.Description != "" {
		m.Put("<meta property=og:description%[content]>", f.Description)
	}
	m.Raw("\n")
}

// top writes the bar at the top of a page.
func (m *Markup) top(f *Frame) {
	m.Put(skipLink+"<header class=top><a class=brand%[href]>%s</a>\n", f.Root+"index.html", f.Site)
	if f.Menu {
		m.Raw("<button class=menu popovertarget=s.side>Pages</button>\n")
	}
	m.Put("<a class=find%[href]>Search</a>\n", f.Root+"search.html")
	m.Put("<nav aria-label=Site><a%[href]", f.Root+"index.html")
	m.current(f.Here == "packs")
	m.Put(">Packs</a><a%[href]", f.Root+"match.html")
	m.current(f.Here == "match")
	m.Raw(">Match</a></nav></header>\n")
}

// isRightToLeft reports a language that is written from right to left, by its tag.
func isRightToLeft(tag string) bool {
	language, rest, _ := strings.Cut(strings.ToLower(tag), "-")
	switch script, _, _ := strings.Cut(rest, "-"); script {
	case "arab", "hebr", "thaa", "nkoo", "syrc", "adlm", "rohg":
		return true
	case "latn", "cyrl", "deva", "guru":
		return false
	}
	switch language {
	case "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi":
		return true
	}
	return false
}

func (m *Markup) current(here bool) {
	if here {
		m.Raw(" aria-current=true")
	}
}

// foot writes the end of every page.
func (m *Markup) foot(f *Frame) {
	m.Raw("<footer class=foot>Made by packgen")
	if f.Version != "" {
		m.Put(" %s", f.Version)
	}
	m.Raw(". What a pack says is data, not instructions.</footer>\n")
}

// pager writes the links between the pages of a list. There is one above the list and
// one below; place distinguishes them in a screen reader.
func (m *Markup) pager(p *Pager, place string) {
	if p.Pages <= 1 {
		return
	}
	m.Put("<nav class=pager%[aria-label]>", "Pages, "+place+" the list")
	if p.Prev != "" {
		m.Put("<a%[href]>First</a><a%[href] rel=prev>Previous</a>", p.First, p.Prev)
	}
	m.Put("<span>Page %s of %s</span>", amount.Grouped(p.Page), amount.Grouped(p.Pages))
	if p.Next != "" {
		m.Put("<a%[href] rel=next>Next</a><a%[href]>Last</a>", p.Next, p.Last)
	}
	m.Raw("</nav>\n")
}

// Kept is the notice about a pack that could not be built.
func Kept(name string, errors int) Notice {
	why := "has " + amount.Counted(errors, "error")
	if errors == 0 {
		why = "could not be built"
	}
	return Notice{
		Kind: keptKind, Title: "Not up to date.",
		Text: fmt.Sprintf("The pack %s %s. Its pages are those of its last good build.", name, why),
	}
}

// keptKind are the CSS classes of that notice. No other notice has them.
const keptKind = "failed kept"

// Marks in the pages of this package.
var (
	mainTag    = []byte("<main id=s.main")
	keptNotice = []byte(`<div class="notice ` + keptKind + `"`)
	noticeEnd  = []byte("</div>\n")
)

// WithKept returns a page of an earlier site with the notice at the head of its content,
// in the place of the one that it may have there. A page without content of its own, such
// as a redirect, is returned as it is.
func WithKept(page []byte, n Notice) []byte {
	at := bytes.Index(page, mainTag)
	if at < 0 {
		return page
	}
	end := bytes.Index(page[at:], []byte(">\n"))
	if end < 0 {
		return page
	}
	at += end + len(">\n")
	rest := page[at:]
	if bytes.HasPrefix(rest, keptNotice) {
		if end := bytes.Index(rest, noticeEnd); end >= 0 {
			rest = rest[end+len(noticeEnd):]
		}
	}
	m := Markup{B: make([]byte, 0, len(page)+400)}
	m.B = append(m.B, page[:at]...)
	m.notice(n)
	m.B = append(m.B, rest...)
	return m.B
}

// write writes a list of pages: of documents or wiki, or the page of a folder.
func (v Listing) write(m *Markup) {
	v.Menu = v.Branch.All.URL != ""
	m.head(&v.Frame)
	m.Raw("<div class=doc>\n<main id=s.main class=lists>\n")
	m.trail(v.Pack, v.Trail)
	if !v.Titled {
		m.Put("<h1>%s</h1>\n", v.Name)
	}
	if v.Body != nil {
		m.Raw("<article class=prose>")
		m.B = append(m.B, v.Body...) // escaped by the site's renderer
		m.Raw("</article>\n<h2 class=label>In this folder</h2>\n")
	}
	m.Put("<p class=sum>%s</p>\n", amount.Counted(v.Total, "page"))
	m.pager(&v.Pager, "above")
	if len(v.Rows) >= sifted {
		what := "Filter this list"
		if v.Pager.Pages > 1 {
			what = "Filter this page"
		}
		m.sift(what)
	}
	m.Raw("<div class=scroll><table class=\"list pages sorts\"><thead><tr><th>Page<th>File<th class=n>Splits<th class=n>Tokens</thead><tbody>\n")
	for i := range v.Rows {
		m.listed(&v.Rows[i])
	}
	m.Raw("</tbody></table></div>\n")
	m.pager(&v.Pager, "below")
	m.Raw("</main>\n")
	m.branch(&v.Branch)
	m.Raw("</div>\n")
	m.foot(&v.Frame)
}

func (m *Markup) listed(row *ListingRow) {
	if row.Folder.Text != "" {
		m.Raw("<tr class=group><th colspan=4 scope=rowgroup>")
		m.link(row.Folder)
		m.Raw("\n")
	}
	m.Put("<tr><td><a%[href]>%s</a>", row.URL, row.Title)
	if row.Status != "" {
		m.Raw(" ")
		m.badge(row.Status)
	}
	m.Put("<td><code>%s</code><td class=n>", row.Path)
	switch {
	case row.Inside > 0:
		m.Put("<td class=n>%s", amount.Counted(row.Inside, "page"))
	default:
		if row.Splits != 0 {
			m.Put("%s", amount.Grouped(row.Splits))
		}
		m.Raw("<td class=n>")
		if row.Tokens != 0 {
			m.Put("%s", amount.Grouped(row.Tokens))
		}
	}
	m.Raw("\n")
}

// sifted is how many rows a list has at least that can be filtered.
const sifted = 8

// sift writes the field that filters the list after it. Without script it is not shown.
func (m *Markup) sift(what string) {
	m.Put("<p class=sift><input type=search%[placeholder]%[aria-label]> <span role=status></span></p>\n", what, what)
}

// Print is a pack, or a part of it, as one document.
type Print struct {
	Frame
	Pack        Link
	Description string
	Pages       int    // of the whole pack
	Rows        []Link // the pages of this part, in the author's order
	Pager       Pager
}

func (Print) page() string { return "print" }

// write writes the list of the pages. The script puts their texts in its place.
func (v Print) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a></nav>\n<h1>%s</h1>\n<p class=lede>%s</p>\n", v.Root+"index.html", v.Pack.URL, v.Pack.Text, v.Pack.Text, v.Description)
	m.pager(&v.Pager, "above")
	m.Put("<p class=sum role=status>%s, in the author's order.</p>\n<ol class=sheaf>", amount.Counted(v.Pages, "page"))
	for _, l := range v.Rows {
		m.Raw("<li>")
		m.link(l)
	}
	m.Raw("</ol>\n</main>\n")
	m.foot(&v.Frame)
}

// Graph is the page of a pack that shows how its pages link to each other.
type Graph struct {
	Frame
	Pack         Link
	Pages, Links int
	Rows         []GraphRow // the pages that most others link to
}

// GraphRow is a page of the list.
type GraphRow struct {
	URL, Title string
	From, To   int // pages that link to it, and that it links to
}

func (Graph) page() string { return "graph" }

// write writes the page. The script draws the graph above the list.
func (v Graph) write(m *Markup) {
	m.head(&v.Frame)
	m.Put("<main id=s.main class=wide>\n<nav class=crumbs aria-label=Breadcrumb><a%[href]>Packs</a><a%[href]>%s</a></nav>\n<h1>Graph</h1>\n<p class=sum>%s, %s between them.</p>\n",
		v.Root+"index.html", v.Pack.URL, v.Pack.Text, amount.Counted(v.Pages, "page"), amount.Counted(v.Links, "link"))
	m.Raw("<div class=graph></div>\n")
	if len(v.Rows) > 0 {
		m.Raw("<h2 class=label>Linked to most</h2>\n<div class=scroll><table class=\"list sorts\"><thead><tr><th>Page<th class=n>Linked from<th class=n>Links to</thead><tbody>\n")
		for _, row := range v.Rows {
			m.Put("<tr><td><a%[href]>%s</a><td class=n>%s<td class=n>%s\n", row.URL, row.Title, amount.Grouped(row.From), amount.Grouped(row.To))
		}
		m.Raw("</tbody></table></div>\n")
	}
	m.Raw("</main>\n")
	m.foot(&v.Frame)
}
