package article

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeNoteNumber writes the number of a footnote, with its id where it is first.
func writeNoteNumber(r *renderer, index int, first bool) {
	number := strconv.Itoa(index)
	r.Raw("<sup class=fn>")
	if !r.inLink && !r.heading {
		r.Raw("<a")
		if first {
			r.Attr("id", "s.fnref-"+number)
		}
		r.Attr("href", "#s.fn-"+number)
		r.Raw(">" + number + "</a>")
	} else {
		r.Raw(number)
	}
	r.Raw("</sup>")
}

// writeInlineNote writes the number of a footnote that is where it is referred to. One in the
// text of another is there in parentheses.
func writeInlineNote(r *renderer, n *markdown.InlineNote) {
	switch {
	case n.Index < 1: // it does not end
		r.Raw("^[")
	case r.inNotes:
		r.Raw(" (")
		r.inlines(n)
		r.Raw(")")
	default:
		writeNoteNumber(r, n.Index, true)
		r.notes = append(r.notes, note{n.Index, n})
	}
}

// note is the text of a footnote, which is a block of its own or in a line.
type note struct {
	index int // its number; 0 of one without a reference
	node  ast.Node
}

// writeFootnotes writes the footnotes of the document in the order of their numbers; those
// without a reference come last.
func writeFootnotes(r *renderer) {
	if len(r.notes) == 0 {
		return
	}
	last := math.MaxInt
	slices.SortStableFunc(r.notes, func(a, b note) int {
		return cmp.Compare(cmp.Or(a.index, last), cmp.Or(b.index, last))
	})
	r.Raw("<section class=notes><ol>\n")
	r.inNotes = true
	for _, n := range r.notes {
		r.Raw("<li")
		if n.index > 0 {
			r.Attr("id", "s.fn-"+strconv.Itoa(n.index))
		}
		r.Raw(">")
		r.apart(func() {
			if n.node.Type() == ast.TypeInline {
				r.inlines(n.node)
				r.Raw("\n")
			} else {
				r.blocks(n.node)
			}
		})
		if n.index > 0 {
			r.Raw(`<a class=up aria-label="Back to the text"`)
			r.Attr("href", "#s.fnref-"+strconv.Itoa(n.index))
			r.Raw(">↩</a>\n")
		}
	}
	r.inNotes = false
	r.Raw("</ol></section>\n")
}
