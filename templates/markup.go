package templates

import (
	"html/template"
	"strings"
)

// markup writes the pages of which a site has thousands. Text of a pack goes in
// through text, attr and url, which escape it; raw is for markup of ours, and
// its arguments are constants.
type markup struct{ b []byte }

func (m *markup) raw(s string) { m.b = append(m.b, s...) }

// text writes text between tags.
func (m *markup) text(s string) { m.b = appendEscaped(m.b, s, true) }

// attr writes an attribute.
func (m *markup) attr(name, value string) { m.b = AppendAttr(m.b, name, value) }

// url writes an attribute that holds an address. One with a scheme other than
// those of the web is replaced: it could run something.
func (m *markup) url(name, value string) {
	if !isSafe(value) {
		value = "#unsafe"
	}
	m.attr(name, value)
}

// isSafe reports a relative address, or one of the web.
func isSafe(address string) bool {
	scheme, _, found := strings.Cut(address, ":")
	return !found || strings.ContainsAny(scheme, "/?#") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http")
}

// link writes a link with its text.
func (m *markup) link(url, text string) {
	m.raw("<a")
	m.url("href", url)
	m.raw(">")
	m.text(text)
	m.raw("</a>")
}

// place writes a link, or its text alone where there is nothing to link to.
func (m *markup) place(l Link) {
	if l.URL == "" {
		m.text(l.Text)
		return
	}
	m.link(l.URL, l.Text)
}

// badge writes a status word.
func (m *markup) badge(status string) {
	m.raw("<span")
	m.attr("class", "badge "+status)
	m.raw(">")
	m.text(words(status))
	m.raw("</span>")
}

func (m *markup) notice(n Notice) {
	m.raw("<div")
	m.attr("class", "notice "+n.Kind)
	m.raw(" role=note><strong>")
	m.text(n.Title)
	m.raw("</strong> ")
	m.text(n.Text)
	if n.URL != "" {
		m.raw(" ")
		m.link(n.URL, n.More)
	}
	m.raw("</div>\n")
}

func words(s string) string { return strings.ReplaceAll(s, "-", " ") }

// Parts that the templates of other pages share with these.

func headHTML(f Frame) template.HTML        { return part(func(m *markup) { m.head(&f) }) }
func footHTML(f Frame) template.HTML        { return part(func(m *markup) { m.foot(&f) }) }
func badgeHTML(status string) template.HTML { return part(func(m *markup) { m.badge(status) }) }
func noticeHTML(n Notice) template.HTML     { return part(func(m *markup) { m.notice(n) }) }
func pagerHTML(p Pager, place string) template.HTML {
	return part(func(m *markup) { m.pager(&p, place) })
}

func part(write func(m *markup)) template.HTML {
	var m markup
	write(&m)
	return template.HTML(m.b)
}
