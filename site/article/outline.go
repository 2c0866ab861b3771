package article

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/htmltag"
	"github.com/packgen/packgen/compiler/markdown"
)

// outline is the headings that the next one is below, as authors wrote their levels, from
// the title of the page on. One level further in is announced as one, whatever was skipped.
type outline []int

// level returns what a heading is announced as, at most its own level.
func (o *outline) level(written int) int {
	if len(*o) == 0 {
		*o = append(*o, 1)
	}
	for len(*o) > 0 && (*o)[len(*o)-1] >= written {
		*o = (*o)[:len(*o)-1]
	}
	*o = append(*o, written)
	return len(*o)
}

// writeHeadingLevel announces a heading by its place in the outline where levels are skipped
// above it. How it looks is its author's choice.
func writeHeadingLevel(r *renderer, written int) {
	if level := r.outline.level(written); level != written {
		r.Raw(" aria-level=" + strconv.Itoa(level))
	}
}

// A table needs headings for its cells: those of the columns, those of the rows, or it is
// announced as no table.
type headings uint8

const (
	byColumn headings = iota
	byRow             // a column has no heading: its cells are known by the first of their row
	none              // nothing is a heading: it arranges what is in it
)

// tableHeadings returns what the cells of a table are known by.
func tableHeadings(n *east.Table) headings {
	head, ok := n.FirstChild().(*east.TableHeader)
	if !ok {
		return none
	}
	empty := 0
	for cell := head.FirstChild(); cell != nil; cell = cell.NextSibling() {
		if cell.ChildCount() == 0 {
			empty++
		}
	}
	switch empty {
	case 0:
		return byColumn
	case head.ChildCount():
		return none
	}
	return byRow
}

// isArrangement reports that the table of HTML at an offset has no heading.
func isArrangement(r *renderer, offset int) bool {
	text := r.doc.Text[offset:min(len(r.doc.Text), offset+maxTable)]
	for at, deep := 0, 0; at < len(text) && r.html.ahead <= maxTables*len(r.doc.Text); {
		t := htmltag.Next(text, at)
		at, r.html.ahead = t.End, r.html.ahead+t.End-at
		switch {
		case t.Kind == htmltag.Open && t.Name == "th" && deep == 1:
			return false
		case t.Kind == htmltag.Open && t.Name == "table":
			deep++
		case t.Kind == htmltag.Close && t.Name == "table":
			if deep--; deep <= 0 {
				return true
			}
		}
	}
	return true
}

// maxTable is how far the end of a table of HTML is looked for, in bytes.
const maxTable = 64 << 10

// maxTables is how often a text is looked through for the ends of tables that are in each
// other.
const maxTables = 16

// isFirst reports the first cell of its row.
func isFirst(cell ast.Node) bool { return cell.PreviousSibling() == nil }

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

// maxValue is how much of a property is shown, in bytes.
const maxValue = 400

// writeProperties writes the properties of a page as a list.
func writeProperties(r *renderer) {
	if !strings.HasPrefix(r.doc.Path, "documents/") {
		return
	}
	list := r.doc.Properties()
	if len(list) == 0 {
		return
	}
	r.Raw("<dl class=properties>\n")
	for _, p := range list {
		r.Raw("<dt>")
		r.Literal([]byte(diag.Clip(p.Key, maxValue)))
		r.Raw("<dd>")
		for i, v := range p.Values {
			if i > 0 {
				r.Raw(", ")
			}
			writeProperty(r, v)
		}
		r.Raw("\n")
	}
	r.Raw("</dl>\n")
}

// writeProperty writes a value: an address and [[Page]] as links.
func writeProperty(r *renderer, v markdown.Value) {
	text := diag.Clip(v.Text, maxValue)
	if s := scheme(text); (s == "http" || s == "https") && !strings.ContainsAny(text, " \t\n") {
		writeLinkText(r, text, "", text, 0)
		return
	}
	for text != "" {
		before, rest, ok := strings.Cut(text, "[[")
		inside, after, closed := strings.Cut(rest, "]]")
		if !ok || !closed || strings.TrimSpace(inside) == "" {
			break
		}
		r.Literal([]byte(before))
		target, label, _ := strings.Cut(inside, "|")
		name, fragment, _ := strings.Cut(target, "#")
		link := markdown.WikiLink{Target: strings.TrimSpace(name), Fragment: strings.TrimSpace(fragment), Label: strings.TrimSpace(label)}
		noteWiki(r, &link)
		writeWikiText(r, &link, v.Line, v.Column)
		text = after
	}
	r.Literal([]byte(text))
}

// writeHero writes what a front page says in its front matter: its name, a sentence, its first
// links, and its features.
func writeHero(r *renderer) {
	p := r.doc.FrontPage()
	if p == nil {
		return
	}
	writeHeroText(r, "<p><strong>", p.Name, "</strong>\n")
	writeHeroText(r, "<p>", p.Text, "\n")
	writeHeroText(r, "<p>", p.Tagline, "\n")
	if len(p.Links) > 0 {
		r.Raw("<ul>\n")
		for _, l := range p.Links {
			r.Raw("<li>")
			writeHeroLink(r, l.Dest, l.Title)
			r.Raw("\n")
		}
		r.Raw("</ul>\n")
	}
	for _, part := range p.Parts {
		r.Raw("<p><strong>")
		writeHeroLink(r, part.Dest, part.Title)
		r.Raw("</strong><br>\n")
		writeHeroText(r, "", part.About, "\n")
	}
}

// writeHeroText writes a text, if it is not empty.
func writeHeroText(r *renderer, before, text, after string) {
	if text != "" {
		r.Raw(before)
		writeHeroHTML(r, text)
		r.Raw(after)
	}
}

// writeHeroLink writes a text, which is a link when it has an address.
func writeHeroLink(r *renderer, dest, text string) {
	if dest == "" || !openLink(r, cleanDest([]byte(dest)), "", 0) {
		writeHeroHTML(r, text)
		return
	}
	r.inLink = true
	writeHeroHTML(r, text)
	r.inLink = false
	r.Raw("</a>")
}

// writeHeroHTML writes a text in which both systems read HTML.
func writeHeroHTML(r *renderer, text string) {
	r.apart(func() { writeHTML(r, []byte(diag.Clip(text, maxValue)), func(int) int { return 0 }) })
}
