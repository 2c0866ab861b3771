package site

import (
	"bytes"
	"errors"
	"strings"

	"github.com/packgen/packgen/compiler/store"
)

// A hole is in a rendered body for a picture, or the opening tag of a link, whose
// target is not known while the page is rendered: what it leads to may change while
// the page does not. It is filled when the page is put together.
//
// In the body it is a NUL, which occurs nowhere else, because the writer replaces
// it in text. What it stands for is kept beside the body, in the same order.
type hole struct {
	kind     byte
	target   string // holePage, holeImage: pack path; holeWiki, holeEmbed: the name as written; holeSource: source path
	fragment string // decoded, without "#"
	line     int    // where the link or picture is, 1-based
	column   int    // 1-based, in bytes
	alt      string // of a picture
	title    string // of a picture; of an embed: what is shown when it leads nowhere
	class    string // of a picture; "block" of an embed that stands alone
	width    int    // of a picture, in pixels; 0 when it is not written
	height   int    // the same
}

// The kinds of holes.
const (
	holePage   = 'p' // a link to a Markdown file of the pack
	holeWiki   = 'w' // [[Page]]
	holeSource = 's' // a source anchor
	holeImage  = 'i' // a picture of the pack
	holeEmbed  = 'e' // ![[Page]] or ![[picture]]
)

const holeMark = 0

// hole leaves room for what a hole stands for.
func (r *renderer) hole(h hole) {
	for _, field := range []*string{&h.target, &h.fragment, &h.alt, &h.title} {
		*field = strings.Map(dropControl, *field)
	}
	r.B = append(r.B, holeMark)
	r.holes = append(r.holes, h)
}

func (h *hole) pack(w *store.Writer) {
	w.Uint(int(h.kind))
	w.Str(h.target)
	w.Str(h.fragment)
	w.Uint(h.line)
	w.Uint(h.column)
	w.Str(h.alt)
	w.Str(h.title)
	w.Str(h.class)
	w.Uint(h.width)
	w.Uint(h.height)
}

func unpackHole(r *store.Reader) hole {
	return hole{byte(r.Uint()), r.Str(), r.Str(), r.Uint(), r.Uint(), r.Str(), r.Str(), r.Str(), r.Uint(), r.Uint()}
}

func dropControl(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// fill appends body to w with every hole replaced by what open writes for it.
// That of a link is followed by its text and "</a>", so open writes an opening
// <a …> tag; for a picture open writes all of it.
func (w *writer) fill(body []byte, holes []hole, open func(w *writer, h hole)) error {
	for {
		before, rest, found := bytes.Cut(body, []byte{holeMark})
		w.B = append(w.B, before...)
		if !found {
			break
		}
		if len(holes) == 0 {
			return errors.New("fill links of a page: there are more holes than links")
		}
		open(w, holes[0])
		holes, body = holes[1:], rest
	}
	if len(holes) > 0 {
		return errors.New("fill links of a page: there are fewer holes than links")
	}
	return nil
}
