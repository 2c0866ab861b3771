package templates

import (
	"strings"

	"github.com/packgen/packgen/compiler/amount"
)

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
