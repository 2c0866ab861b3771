package templates

import (
	"html/template"
	"strings"
)

// Markup is HTML being written. It is the one writer of HTML that is not a template:
// of the pages of which a site has thousands, and of everything rendered from Markdown.
// Text of a pack enters it through Put, Literal and Attr, which escape it.
type Markup struct{ B []byte }

// Raw appends markup of ours.
func (m *Markup) Raw(s string) { m.B = append(m.B, s...) }

// Literal appends text between tags, escaped.
func (m *Markup) Literal(text []byte) { m.B = AppendText(m.B, text) }

// Attr appends an attribute.
func (m *Markup) Attr(name, value string) { m.B = appendAttr(m.B, name, value) }

// Put appends a constant format with its arguments: %s is text, escaped, and %[name] an
// attribute of that name. An address (href, src) with a scheme other than those of the
// web is replaced: it could run something.
func (m *Markup) Put(format string, args ...string) {
	for {
		before, verb, found := strings.Cut(format, "%")
		m.Raw(before)
		if !found {
			return
		}
		value := args[0]
		args = args[1:]
		if verb[0] == 's' {
			m.B = appendEscaped(m.B, value, true)
			format = verb[1:]
			continue
		}
		var name string
		name, format, _ = strings.Cut(verb[1:], "]")
		if (name == "href" || name == "src") && !isSafe(value) {
			value = "#unsafe"
		}
		m.Attr(name, value)
	}
}

// isSafe reports whether an address is relative, or one of the web.
func isSafe(address string) bool {
	scheme, _, found := strings.Cut(address, ":")
	return !found || strings.ContainsAny(scheme, "/?#") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http")
}

// link writes a link, or its text alone if it has no address.
func (m *Markup) link(l Link) {
	if l.URL == "" {
		m.Put("%s", l.Text)
		return
	}
	m.Put("<a%[href]>%s</a>", l.URL, l.Text)
}

func (m *Markup) badge(status string) {
	m.Put("<span%[class]>%s</span>", "badge "+status, words(status))
}

func (m *Markup) notice(n Notice) {
	m.Put("<div%[class] role=note><strong>%s</strong> %s", "notice "+n.Kind, n.Title, n.Text)
	if n.URL != "" {
		m.Put(" <a%[href]>%s</a>", n.URL, n.More)
	}
	m.Raw("</div>\n")
}

func words(s string) string { return strings.ReplaceAll(s, "-", " ") }

// The parts that html/template shares with the pages written here.

func headHTML(f Frame) template.HTML        { return part(func(m *Markup) { m.head(&f) }) }
func footHTML(f Frame) template.HTML        { return part(func(m *Markup) { m.foot(&f) }) }
func badgeHTML(status string) template.HTML { return part(func(m *Markup) { m.badge(status) }) }
func noticeHTML(n Notice) template.HTML     { return part(func(m *Markup) { m.notice(n) }) }
func pagerHTML(p Pager, place string) template.HTML {
	return part(func(m *Markup) { m.pager(&p, place) })
}

func part(write func(m *Markup)) template.HTML {
	var m Markup
	write(&m)
	return template.HTML(m.B)
}
