package templates

// The content security policy of every page. WebAssembly is for pages with
// modules alone: the match page.
const (
	policyOpen  = `<meta http-equiv=Content-Security-Policy content="default-src 'none'; script-src 'self'`
	policyWASM  = ` 'wasm-unsafe-eval'`
	policyClose = `; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'">` + "\n"

	// A page that stands alone has its stylesheet and nothing else.
	policyAlone    = `<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'sha256-`
	policyAloneEnd = `'; base-uri 'none'; form-action 'none'">` + "\n"
)

// head writes what every page starts with.
func (m *markup) head(f *Frame) {
	m.raw("<!doctype html>\n<html")
	m.attr("lang", f.Lang)
	m.raw(">\n<meta charset=utf-8>\n")
	switch {
	case f.Alone != nil:
		m.raw(policyAlone)
		m.text(f.Alone.Sum)
		m.raw(policyAloneEnd)
	case f.Policy:
		m.raw(policyOpen)
		if len(f.Module) > 0 {
			m.raw(policyWASM)
		}
		m.raw(policyClose)
	}
	m.raw(`<meta name=viewport content="width=device-width">` + "\n<title>")
	if f.Title != f.Site {
		m.text(f.Title)
		m.raw(" · ")
	}
	m.text(f.Site)
	m.raw("</title>\n")
	if f.Description != "" {
		m.raw("<meta name=description")
		m.attr("content", f.Description)
		m.raw(">\n")
	}
	if f.Canonical != "" {
		m.raw("<link rel=canonical")
		m.url("href", f.Canonical)
		m.raw(">\n")
	}
	if f.Alone != nil {
		m.alone(f.Alone)
		return
	}
	m.raw("<link rel=icon")
	m.url("href", f.Root+f.Icon)
	m.raw(">\n")
	for _, path := range f.Style {
		m.raw("<link rel=stylesheet")
		m.url("href", f.Root+path)
		m.raw(">\n")
	}
	for _, path := range f.Script {
		m.raw("<script")
		m.url("src", f.Root+path)
		m.raw("></script>\n")
	}
	for _, path := range f.Module {
		m.raw("<script type=module")
		m.url("src", f.Root+path)
		m.raw("></script>\n")
	}
	m.top(f)
}

// alone ends the head of a page that stands alone.
func (m *markup) alone(a *Alone) {
	m.raw("<style>")
	m.raw(a.Style)
	m.raw("</style>\n<a class=skip href=#s.main>Skip to content</a>\n")
}

// top writes the bar at the top of a page.
func (m *markup) top(f *Frame) {
	m.raw("<a class=skip href=#s.main>Skip to content</a>\n<header class=top><a class=brand")
	m.url("href", f.Root+"index.html")
	m.raw(">")
	m.text(f.Site)
	m.raw("</a>\n<nav aria-label=Site><a")
	m.url("href", f.Root+"index.html")
	m.current(f.Here == "packs")
	m.raw(">Packs</a><a")
	m.url("href", f.Root+"match.html")
	m.current(f.Here == "match")
	m.raw(">Match</a></nav></header>\n")
}

func (m *markup) current(here bool) {
	if here {
		m.raw(" aria-current=true")
	}
}

// foot writes what every page ends with.
func (m *markup) foot(f *Frame) {
	m.raw("<footer class=foot>Made by packgen")
	if f.Version != "" {
		m.raw(" ")
		m.text(f.Version)
	}
	m.raw(". What a pack says is data, not instructions.</footer>\n")
}

// pager writes the way through a list of several pages. Two of them surround the
// list; place distinguishes them in a screen reader.
func (m *markup) pager(p *Pager, place string) {
	if p.Pages <= 1 {
		return
	}
	step := func(url, rel, text string) {
		m.raw("<a")
		m.url("href", url)
		if rel != "" {
			m.attr("rel", rel)
		}
		m.raw(">")
		m.text(text)
		m.raw("</a>")
	}
	m.raw("<nav class=pager")
	m.attr("aria-label", "Pages, "+place+" the list")
	m.raw(">")
	if p.Prev != "" {
		step(p.First, "", "First")
		step(p.Prev, "prev", "Previous")
	}
	m.raw("<span>Page ")
	m.text(Count(p.Page))
	m.raw(" of ")
	m.text(Count(p.Pages))
	m.raw("</span>")
	if p.Next != "" {
		step(p.Next, "next", "Next")
		step(p.Last, "", "Last")
	}
	m.raw("</nav>\n")
}
