package article

import (
	"bytes"
	"errors"
	"strings"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// A Placeholder is in an article in place of a picture, or of the opening tag of a link,
// whose target is not known while the article is rendered: what it leads to may change
// while the page does not. [Fill] replaces it when the page is put together.
//
// In the article it is a NUL, which occurs nowhere else, because the renderer replaces
// it in text. What it represents is kept beside the article, in the same order.
type Placeholder struct {
	Kind     Kind
	Target   string // Page, Picture: pack path; Wiki, Embed: the name as written; Source: source path
	Fragment string // decoded, without "#"
	Line     int    // where the link or picture is, 1-based
	Column   int    // 1-based, in bytes
	Alt      string // of a picture; of Wiki: the label, which Fill writes after the tag
	Title    string // of a picture; of an embed: what is shown when it leads nowhere
	Class    string // of a picture; "block" of an embed in a paragraph of its own
	Width    int    // of a picture, in pixels; 0 when it is not written
	Height   int    // the same
}

// Kind is what a placeholder represents.
type Kind byte

// The kinds of placeholders.
const (
	Page    Kind = 'p' // a link to a Markdown file of the pack
	Wiki    Kind = 'w' // [[Page]]
	Source  Kind = 's' // a source anchor
	Picture Kind = 'i' // a picture of the pack
	Embed   Kind = 'e' // ![[Page]] or ![[picture]]
)

// Mark is the byte of an article that is a placeholder.
const Mark = 0

// leaveRoom writes a placeholder.
func (r *renderer) leaveRoom(h Placeholder) {
	for _, field := range []*string{&h.Target, &h.Fragment, &h.Alt, &h.Title} {
		*field = strings.Map(dropControl, *field)
	}
	r.B = append(r.B, Mark)
	r.made.Placeholders = append(r.made.Placeholders, h)
}

// leaveRoomAt writes a placeholder for what is at an offset.
func (r *renderer) leaveRoomAt(h Placeholder, offset int) {
	h.Line, h.Column = r.doc.Position(max(offset, 0))
	r.leaveRoom(h)
}

// Pack writes a placeholder into a record, for [Unpack] to read.
func (h *Placeholder) Pack(w *store.Writer) {
	w.Uint(int(h.Kind))
	w.Str(h.Target)
	w.Str(h.Fragment)
	w.Uint(h.Line)
	w.Uint(h.Column)
	w.Str(h.Alt)
	w.Str(h.Title)
	w.Str(h.Class)
	w.Uint(h.Width)
	w.Uint(h.Height)
}

// Unpack reads a placeholder from a record.
func Unpack(r *store.Reader) Placeholder {
	return Placeholder{Kind(r.Uint()), r.Str(), r.Str(), r.Uint(), r.Uint(), r.Str(), r.Str(), r.Str(), r.Uint(), r.Uint()}
}

func dropControl(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// Fill appends an article to m with every placeholder replaced by what open writes for
// it: the opening tag of a link, whose text and "</a>" follow in the article, or all of a
// picture.
func Fill(m *templates.Markup, text []byte, placeholders []Placeholder, open func(m *templates.Markup, h Placeholder)) error {
	for {
		before, rest, found := bytes.Cut(text, []byte{Mark})
		m.B = append(m.B, before...)
		if !found {
			break
		}
		if len(placeholders) == 0 {
			return errors.New("fill the links of a page: there are more placeholders than links")
		}
		open(m, placeholders[0])
		placeholders, text = placeholders[1:], rest
	}
	if len(placeholders) > 0 {
		return errors.New("fill the links of a page: there are fewer placeholders than links")
	}
	return nil
}
