package article

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/reference"
)

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
