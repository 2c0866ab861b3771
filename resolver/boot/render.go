package boot

import (
	"errors"
	"io"

	"github.com/packgen/packgen/compiler/token"
)

// sink takes the pieces of the text form in order. One sink writes them and one
// counts them, so what a boot is said to cost is what it prints.
type sink interface {
	text(s string)
	shown(f *file)   // the path as printed
	content(f *file) // the content, ending in a line break
}

// layOut walks the text form of a boot (boot.yml section 10): one element after
// the other, a blank line between them, none inside a run of path-only lines.
func layOut(sections []Section, out sink) {
	started, inRun := false, false
	separate := func() {
		if started {
			out.text("\n")
		}
		started = true
	}
	for i := range sections {
		s := &sections[i]
		if s.Kind == "also" {
			separate()
			out.text("<also>\n")
			for j := range s.Items {
				out.text("  ")
				pathLine(&s.Items[j], out)
			}
			out.text("</also>\n")
			inRun = false
			continue
		}
		for j := range s.Items {
			item := &s.Items[j]
			if item.said() || !inRun {
				separate()
			}
			inRun = !item.said()
			if inRun {
				pathLine(item, out)
				continue
			}
			out.text("<" + item.Type + ` path="`)
			out.shown(item.file)
			out.text("\">\n")
			out.content(item.file)
			out.text("</" + item.Type + ">\n")
		}
	}
}

// pathLine lays out a ref or a mention.
func pathLine(item *Item, out sink) {
	out.text(`<ref path="`)
	out.shown(item.file)
	out.text(`"/>`)
	if item.Type == TypeMention {
		out.text(" (as mentioned earlier in ")
		out.text(escapeAttribute(item.Of))
		out.text(")")
	}
	out.text("\n")
}

// errRefused is returned by Render for a boot that a diagnostic of error
// severity refuses.
var errRefused = errors.New("the boot is refused")

// Render writes the text form. It writes nothing and returns [errRefused] when a
// diagnostic is an error, since every check comes before anything is printed.
func (r *Result) Render(w io.Writer) error {
	if r.Refused() {
		return errRefused
	}
	out := &writer{w: w, bodies: r.bodies}
	layOut(r.Sections, out)
	return out.err
}

// writer is the sink that prints.
type writer struct {
	w      io.Writer
	bodies map[*file]*body
	err    error
}

func (w *writer) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.w, s)
	}
}

func (w *writer) shown(f *file) { w.text(f.shown) }

func (w *writer) content(f *file) {
	b := w.bodies[f]
	if w.err == nil {
		_, w.err = w.w.Write(b.text)
	}
	if b.open {
		w.text("\n")
	}
}

// counter is the sink that counts UTF-16 units.
type counter struct {
	bodies  func(*file) *body
	units   int // of everything
	said    int // of contents
	pathLen map[*file]int
}

func (c *counter) text(s string) { c.units += token.Units(s) }

func (c *counter) shown(f *file) {
	n, known := c.pathLen[f]
	if !known {
		n = token.Units(f.shown)
		c.pathLen[f] = n
	}
	c.units += n
}

func (c *counter) content(f *file) {
	b := c.bodies(f)
	c.units += b.units
	c.said += b.units
	if b.open {
		c.units++
	}
}
