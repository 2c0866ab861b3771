package article

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/markdown"
)

// Abbreviations are explained in paragraphs of lines "*[HTML]: Hyper Text Markup
// Language", as MkDocs and PHP Markdown Extra write them. Such a paragraph is not shown;
// the words it names are marked wherever they are on the page.

// maxAbbreviations is how many of them a page may have.
const maxAbbreviations = 500

// readAbbreviations finds those of a page.
func readAbbreviations(r *renderer) {
	if !bytes.Contains(r.doc.Text[r.doc.Body:], []byte("\n*[")) {
		return
	}
	for _, block := range r.doc.Blocks {
		for name, title := range abbreviationsIn(block.Node, r.doc.Text) {
			if r.abbr == nil {
				r.abbr = map[string]string{}
			}
			if len(r.abbr) < maxAbbreviations {
				r.abbr[name] = title
			}
		}
	}
}

// abbreviationsIn reads a paragraph; nil when a line of it explains none.
func abbreviationsIn(n ast.Node, text []byte) map[string]string {
	if n.Kind() != ast.KindParagraph {
		return nil
	}
	found := map[string]string{}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line.Value(text)), []byte("*["))
		name, title, named := bytes.Cut(rest, []byte("]:"))
		if !ok || !named || len(name) == 0 || !isWord(name) {
			return nil
		}
		found[string(name)] = markdown.Unescape(bytes.TrimSpace(title))
	}
	return found
}

func isWord(s []byte) bool {
	for _, c := range s {
		if !util.IsAlphaNumeric(c) {
			return false
		}
	}
	return true
}

// writeAbbreviated writes text in which abbreviations are marked.
func writeAbbreviated(r *renderer, run []byte) {
	done := 0
	for at := 0; at < len(run); {
		end := at
		for end < len(run) && util.IsAlphaNumeric(run[end]) {
			end++
		}
		if end == at {
			at++
			continue
		}
		inWord := at > 0 && run[at-1] >= 0x80 || end < len(run) && run[end] >= 0x80
		if title, ok := r.abbr[string(run[at:end])]; ok && !inWord {
			writeText(r, run[done:at])
			r.Raw("<abbr")
			r.Attr("title", title)
			r.Raw(">")
			r.Literal(run[at:end])
			r.Raw("</abbr>")
			done = end
		}
		at = end
	}
	writeText(r, run[done:])
}
