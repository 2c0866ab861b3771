package article

import (
	"cmp"
	"net/url"
	"strconv"
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

// picture is a picture as it was written.
type picture struct {
	dest, alt, title string
	width, height    string // as written; "" when they are not
	scheme           string // "dark" or "light" when it is for one of them
	offset           int
}

// writePicture writes a picture of the pack. Pictures from elsewhere become links, since
// a page loads nothing from other sites.
func writePicture(r *renderer, p picture) {
	if s := scheme(p.dest); s != "" || strings.HasPrefix(p.dest, "//") {
		writeLinkText(r, p.dest, p.title, cmp.Or(p.alt, "image"), p.offset)
		return
	}
	target, fragment := splitDest(p.dest)
	switch fragment {
	case "gh-dark-mode-only", "only-dark":
		p.scheme = "dark"
	case "gh-light-mode-only", "only-light":
		p.scheme = "light"
	}
	h := Placeholder{Kind: Picture, Target: reference.Join(r.doc.Path, target), Alt: p.alt, Title: p.title, Class: p.scheme}
	h.Width, h.Height = pixels(p.width), pixels(p.height)
	if part, ok := strings.CutSuffix(strings.TrimSpace(p.width), "%"); ok {
		if n, err := strconv.Atoi(part); err == nil && 0 < n && n < 100 {
			h.Class = strings.TrimSpace(h.Class + " w" + strconv.Itoa((n+9)/10*10))
		}
	}
	r.leaveRoomAt(h, p.offset)
}

// MaxPictureSide is the longest side that a page announces, in pixels.
const MaxPictureSide = 1 << 16

// pixels reads a width or height; 0 if it is not one.
func pixels(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), "px"))
	if err != nil || n < 1 || n > MaxPictureSide {
		return 0
	}
	return n
}

// sized takes the size off the text of a picture, as Obsidian writes it: "a|300" or
// "a|300x200".
func sized(alt string) (text, width, height string) {
	text, size, ok := cutLast(alt, "|")
	if !ok {
		return alt, "", ""
	}
	width, height, _ = strings.Cut(size, "x")
	if pixels(width) == 0 || height != "" && pixels(height) == 0 {
		return alt, "", ""
	}
	return text, width, height
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
