package compiler

import (
	"cmp"
	"strings"

	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
)

// Doubtful says which views and splits are built on material that is not settled:
// "needs-review", "stale" or "disputed", the worst of them, by path. Whoever shows or
// loads one says so (agent-knowledge section 14.1). A split rests on its file and its claims,
// a list of facts on the files of its lines and the claims it took over, any other
// view on its files with all their claims. What was edited by hand needs a review.
func (r *Result) Doubtful() map[string]string {
	out := map[string]string{}
	add := func(path, status string) {
		if worse := Worse(out[path], status); worse != "" {
			out[path] = worse
		} else if status == needsReview {
			out[path] = status
		}
	}
	files, claims := map[string]string{}, map[string]string{}
	for i := range r.Units {
		u := &r.Units[i]
		files[u.Path] = cmp.Or(u.Doubt(), u.Status)
	}
	for i := range r.SourceMap.Claims {
		c := &r.SourceMap.Claims[i]
		if Worse("", c.Status) == "" {
			continue
		}
		claims[c.Document] = Worse(claims[c.Document], c.Status)
		for _, path := range c.CompiledInto {
			if strings.HasPrefix(path, "compiled/") {
				add(path, c.Status)
			}
		}
	}
	for _, d := range r.Diagnostics {
		if d.ID == gateViewHandEdited {
			add(d.Path, needsReview) // it may say what no page does
		}
	}
	for i := range r.Index.Splits {
		s := &r.Index.Splits[i]
		add(s.Path, files[s.Document])
	}
	for i := range r.Index.Views {
		v := &r.Index.Views[i]
		for _, name := range v.DerivedFrom {
			add(v.Path, files[name])
			if v.Kind != "facts" {
				add(v.Path, claims[name])
			}
		}
	}
	return out
}

// Doubt is "stale" or "disputed" for a file of that status, "disputed" for an
// open page of wiki/contradictions/ whatever it says, otherwise "".
func (u *UnitInfo) Doubt() string {
	if strings.HasPrefix(u.Path, wikiContradictions) && u.Status != "ready" {
		return disputed
	}
	return Worse("", u.Status)
}

// Worse returns the worse of two statuses; statuses other than stale and disputed
// are ignored.
func Worse(a, b string) string {
	switch {
	case a == disputed || b == disputed:
		return disputed
	case a == stale || b == stale:
		return stale
	}
	return ""
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
	d := newDoubts()
	for i := range m.Claims {
		c := &m.Claims[i]
		d.add(c.Document, c.Text, c.Status)
	}
	return d
}

func newDoubts() *Doubts { return &Doubts{map[doubtful]string{}, map[string]bool{}} }

// add notes the status of a claim of a document when it is stale or disputed.
func (d *Doubts) add(document, text, status string) {
	if Worse("", status) == "" {
		return
	}
	text = lint.FoldText(text)
	for _, document := range [2]string{document, ""} {
		at := doubtful{document, text}
		d.status[at] = Worse(d.status[at], status)
		d.documents[document] = true
	}
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

// Mark returns a text of a file with a marker after each claim that is stale or disputed
// and does not say so itself.
func (d *Doubts) Mark(document string, text []byte) []byte {
	if !d.Any(document) {
		return text
	}
	return markdown.Parse(document, text).Marked(func(u *markdown.Unit) string { return d.Of(document, u.Text) })
}
