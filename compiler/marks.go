package compiler

import (
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
)

// MarkClaims returns a parsed text with markers after the claims that are not what
// they seem: status says for each claim unit "stale" or "disputed", or "" for one that
// stays as it is. A claim that says so itself gets no second marker. It is for text
// that is shown: files on disk stay as they are.
func MarkClaims(doc *markdown.Document, status func(u *markdown.Unit) string) []byte {
	var out []byte
	at := 0
	for i := range doc.Units {
		u := &doc.Units[i]
		if u.Text == "" || u.End < at {
			continue
		}
		if word := status(u); word != "" && word != u.Marker {
			out = append(append(out, doc.Text[at:u.End]...), " [status: "+word+"]"...)
			at = u.End
		}
	}
	if out == nil {
		return doc.Text
	}
	return append(out, doc.Text[at:]...)
}

// Doubts are the claims of a source map that are stale or disputed.
type Doubts struct {
	status    map[doubtful]string // the worse one
	documents map[string]bool
}

// doubtful is a text of a file, in whatever case and punctuation.
type doubtful struct{ document, text string }

// DoubtsOf collects the claims of a source map that are stale or disputed.
func DoubtsOf(m *schema.SourceMap) *Doubts {
	d := &Doubts{map[doubtful]string{}, map[string]bool{}}
	for i := range m.Claims {
		c := &m.Claims[i]
		if Worse("", c.Status) == "" {
			continue
		}
		text := lint.FoldText(c.Text)
		for _, document := range [2]string{c.Document, ""} {
			at := doubtful{document, text}
			d.status[at] = Worse(d.status[at], c.Status)
			d.documents[document] = true
		}
	}
	return d
}

// Of returns "stale" or "disputed" for a text that is such a claim of a file, of any
// file for "", and "" for any other.
func (d *Doubts) Of(document, text string) string {
	if len(d.status) == 0 {
		return ""
	}
	return d.status[doubtful{document, lint.FoldText(text)}]
}

// Any reports whether a file states such a claim, or any file for "".
func (d *Doubts) Any(document string) bool { return d.documents[document] }
