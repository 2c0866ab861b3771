package boot

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
)

// layOut walks the text form of a boot (boot.yml section 10): one element after
// the other, a blank line between them, none inside a run of path-only lines. It gives the
// pieces to text and the contents, ending in a line break, to content: what writes them and
// what counts them get the same, so what a boot is said to cost is what it prints.
//
// The compact form puts path-only lines of one type that follow each other into one
// element, which says their folder once.
func layOut(sections []Section, compact bool, text func(string), content func(*file)) {
	started, inRun := false, false
	separate := func() {
		if started {
			text("\n")
		}
		started = true
	}
	for i := range sections {
		indent := ""
		if sections[i].Kind == "also" {
			separate()
			text("<also>\n")
			indent, inRun = "  ", true
		}
		for run := range runs(sections[i].Items, compact) {
			item := &run[0]
			if item.said() || !inRun {
				separate()
			}
			if inRun = !item.said(); inRun {
				pathLines(run, indent, text)
				continue
			}
			text("<" + item.Type + ` path="` + item.file.shown + "\">\n")
			content(item.file)
			text("</" + item.Type + ">\n")
		}
		if indent != "" {
			text("</also>\n")
			inRun = false
		}
	}
}

// runs ranges over the items that are laid out together: one that is said by itself, in the
// compact form refs of one type that follow each other.
func runs(items []Item, compact bool) iter.Seq[[]Item] {
	return func(yield func([]Item) bool) {
		for len(items) > 0 {
			n := 1
			for compact && n < len(items) && items[0].Type == typeRef && items[n].Type == typeRef && items[n].file.kind == items[0].file.kind {
				n++
			}
			if !yield(items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}

// pathLines lays out refs that belong together, or one line.
func pathLines(items []Item, indent string, text func(string)) {
	if len(items) == 1 {
		text(indent)
		pathLine(&items[0], text)
		return
	}
	base := items[0].file.shown[:strings.LastIndexByte(items[0].file.shown, '/')+1]
	for i := range items {
		for !strings.HasPrefix(items[i].file.shown, base) {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	tag := items[0].file.kind.String() + "s.ref"
	text(indent + "<" + tag + ` base="` + base + "\">\n")
	for i := range items {
		text(indent + items[i].file.shown[len(base):] + "\n")
	}
	text(indent + "</" + tag + ">\n")
}

// pathLine lays out a ref or a mention.
func pathLine(item *Item, text func(string)) {
	text(`<ref path="` + item.file.shown + `"/>`)
	if item.Type == TypeMention {
		text(" (as mentioned earlier in " + escapeAttribute(item.Of) + ")")
	}
	text("\n")
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
	out := bufio.NewWriter(w) // which keeps an error until the end
	text := func(s string) { _, _ = out.WriteString(s) }
	layOut(r.Sections, r.compact, text, func(f *file) {
		b := r.bodies[f]
		_, _ = out.Write(b.text)
		if b.open {
			text("\n")
		}
	})
	return out.Flush()
}
