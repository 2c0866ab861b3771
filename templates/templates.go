package templates

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/amount"
)

//go:embed *.html
var files embed.FS

// parsed is the whole set: every page and the parts they share.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	set := template.New("").Funcs(template.FuncMap{
		"count": amount.Grouped[int],
		"label": amount.Counted,
		"size":  amount.Size,
		"words": words,
		"head":  headHTML, "foot": footHTML, "badge": badgeHTML, "notice": noticeHTML, "pager": pagerHTML,
	})
	names, err := fs.Glob(files, "*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		// The templates quote every attribute value; pages leave out the quotes that
		// HTML does not need.
		if _, err := set.New(name).Parse(string(idleQuotes.ReplaceAll(text, []byte("=$1$2")))); err != nil {
			return nil, err
		}
	}
	return set, nil
})

// idleQuotes finds attribute values of our own that need no quotes.
var idleQuotes = regexp.MustCompile(`="([A-Za-z0-9._#-]+)"([ >])`)

// View is a value that a page template can show. Only the view structs of this
// package implement it.
type View interface{ page() string }

// writer is a view that writes its page itself: pages of which there are many.
type writer interface{ write(m *Markup) }

var written = sync.Pool{New: func() any { return new(Markup) }}

// Render writes the page of a view. It returns the first error of the template
// or of w; what was written before it is not a whole page.
func Render(w io.Writer, v View) error {
	if page, ok := v.(writer); ok {
		m := written.Get().(*Markup)
		defer written.Put(m)
		m.B = m.B[:0]
		page.write(m)
		if _, err := w.Write(m.B); err != nil {
			return fmt.Errorf("render %s: %w", v.page(), err)
		}
		return nil
	}
	set, err := parsed()
	if err != nil {
		return fmt.Errorf("parse page templates: %w", err)
	}
	if err := set.ExecuteTemplate(w, v.page(), v); err != nil {
		return fmt.Errorf("render %s: %w", v.page(), err)
	}
	return nil
}

// AppendText appends text of a pack to HTML as text between tags: it means
// itself, whatever it holds. A quote stays a quote, so the result must not be
// in an attribute. NUL, which has no place in HTML, becomes U+FFFD.
func AppendText[T string | []byte](b []byte, text T) []byte { return appendEscaped(b, text, false) }

// appendAttr appends an attribute to a tag of HTML, with quotes where its value
// needs them: they are on every link of every page. Control characters of the
// value, line breaks above all, become spaces.
func appendAttr(b []byte, name, value string) []byte {
	b = append(append(append(b, ' '), name...), '=')
	if needsNoQuotes(value) {
		return append(b, value...)
	}
	value = strings.Map(func(r rune) rune {
		if 0 < r && r < ' ' {
			return ' '
		}
		return r
	}, value)
	return append(appendEscaped(append(b, '"'), value, true), '"')
}

// appendEscaped appends text with what means something in HTML, and NUL, made
// harmless; quotes too where they are asked for.
func appendEscaped[T string | []byte](b []byte, text T, quotes bool) []byte {
	start := 0
	for i := 0; i < len(text); i++ {
		var with string
		switch c := text[i]; {
		case c == '&':
			with = "&amp;"
		case c == '<':
			with = "&lt;"
		case c == '>':
			with = "&gt;"
		case c == '"' && quotes:
			with = "&#34;"
		case c == '\'' && quotes:
			with = "&#39;"
		case c == 0:
			with = "\ufffd"
		default:
			continue
		}
		b = append(b, text[start:i]...)
		b = append(b, with...)
		start = i + 1
	}
	return append(b, text[start:]...)
}

// needsNoQuotes reports whether an attribute's value can be without quotes:
// letters, digits and "-._#/", not ending in a slash, which could be read as part
// of the tag. Nearly all addresses and ids of a site are such.
func needsNoQuotes(value string) bool {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-', c == '.', c == '_', c == '#', c == '/':
		default:
			return false
		}
	}
	return value != "" && value[len(value)-1] != '/'
}

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
