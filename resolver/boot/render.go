package boot

import (
	"errors"
	"io"
	"strings"

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
//
// The compact form puts path-only lines of one type that follow each other into one
// element, which says their folder once.
func layOut(sections []Section, compact bool, out sink) {
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
			for j := 0; j < len(s.Items); {
				n := runOf(s.Items[j:], compact)
				pathLines(s.Items[j:j+n], "  ", out)
				j += n
			}
			out.text("</also>\n")
			inRun = false
			continue
		}
		for j := 0; j < len(s.Items); j++ {
			item := &s.Items[j]
			if item.said() || !inRun {
				separate()
			}
			inRun = !item.said()
			if inRun {
				n := runOf(s.Items[j:], compact)
				pathLines(s.Items[j:j+n], "", out)
				j += n - 1
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

// runOf is how many of the first items are laid out together.
func runOf(items []Item, compact bool) int {
	n := 1
	for compact && n < len(items) && !items[n].said() && items[n].Type != TypeMention && items[0].Type != TypeMention && items[n].file.kind == items[0].file.kind {
		n++
	}
	return n
}

// pathLines lays out refs that belong together, or one line.
func pathLines(items []Item, indent string, out sink) {
	if len(items) == 1 {
		out.text(indent)
		pathLine(&items[0], out)
		return
	}
	base := items[0].file.shown[:strings.LastIndexByte(items[0].file.shown, '/')+1]
	for i := range items {
		for !strings.HasPrefix(items[i].file.shown, base) {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	tag := items[0].file.kind.String() + "s.ref"
	out.text(indent + "<" + tag + ` base="` + base + "\">\n")
	for i := range items {
		out.text(indent + items[i].file.shown[len(base):] + "\n")
	}
	out.text(indent + "</" + tag + ">\n")
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
	layOut(r.Sections, r.compact, out)
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
