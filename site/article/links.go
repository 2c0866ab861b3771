package article

import (
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/reference"
)

// Links with these schemes are kept. All others could run something
// (javascript:, data:) or mean nothing on a site (file:).
var schemes = map[string]bool{"http": true, "https": true, "mailto": true, "tel": true}

// scheme returns the lower-case scheme of an address; "" when it has none.
func scheme(dest string) string {
	for i := 0; i < len(dest); i++ {
		switch c := dest[i]; {
		case c == ':':
			return strings.ToLower(dest[:i])
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

// cleanDest resolves escapes and references of a destination and takes out what
// browsers ignore when they look for a scheme: control characters and outer
// white space.
func cleanDest(dest []byte) string {
	return strings.TrimSpace(strings.Map(dropControl, markdown.Unescape(dest)))
}

func writeLink(r *renderer, n *ast.Link) {
	if r.inLink {
		r.inlines(n)
		return
	}
	r.inLink = true
	linked := openLink(r, cleanDest(n.Destination), markdown.Unescape(n.Title), n.Pos())
	r.inlines(n)
	if linked {
		r.Raw("</a>")
	}
	r.inLink = false
}

func writeAutoLink(r *renderer, n *ast.AutoLink) {
	dest := string(n.URL(r.doc.Text))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		dest = "mailto:" + dest
	}
	writeLinkText(r, strings.Map(dropControl, dest), "", string(n.Label(r.doc.Text)), n.Pos())
}

// writeLinkText writes a text as a link: in a link, or where a page leaves it out, as the text alone.
func writeLinkText(r *renderer, dest, title, text string, offset int) {
	linked := !r.inLink && openLink(r, dest, title, offset)
	r.Literal([]byte(text))
	if linked {
		r.Raw("</a>")
	}
}

// openLink writes the opening tag of a link; false for one that a page leaves out,
// which compile reports.
func openLink(r *renderer, dest, title string, offset int) bool {
	s := scheme(dest)
	switch {
	case s != "" && !schemes[s]:
		return false
	case s != "" || strings.HasPrefix(dest, "//"):
		if s == "" {
			dest = "https:" + dest
		}
		r.Raw("<a")
		r.Attr("href", escapeExternal(dest))
		if title != "" {
			r.Attr("title", title)
		}
		r.Raw(">")
		return true
	}
	target, fragment := splitDest(dest)
	h := Placeholder{Kind: Page, Fragment: fragment, Target: r.doc.Path}
	if target != "" {
		h.Target = reference.Join(r.doc.Path, target)
	}
	r.made.Targets = append(r.made.Targets, h.Target)
	r.leaveRoomAt(h, offset)
	return true
}

// splitDest cuts a relative address into path and fragment, both decoded; the
// query is dropped.
func splitDest(dest string) (target, fragment string) {
	target, fragment, _ = strings.Cut(dest, "#")
	target, _, _ = strings.Cut(target, "?")
	if s, err := url.PathUnescape(target); err == nil {
		target = s
	}
	if s, err := url.PathUnescape(fragment); err == nil {
		fragment = s
	}
	return target, fragment
}

// escapeExternal percent-encodes what may not be in an address as written.
func escapeExternal(dest string) string {
	b := make([]byte, 0, len(dest))
	for i := 0; i < len(dest); i++ {
		switch c := dest[i]; {
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0:
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// writeImage writes a picture, with the size that the text around it gives.
func writeImage(r *renderer, n *ast.Image) {
	p := picture{dest: cleanDest(n.Destination), title: markdown.Unescape(n.Title), offset: n.Pos()}
	p.alt, p.width, p.height = sized(r.doc.PlainText(n))
	if a := markdown.AttributesOf(n); a != nil && p.width == "" {
		p.width, p.height = a.Values["width"], a.Values["height"]
	}
	writePicture(r, p)
}
