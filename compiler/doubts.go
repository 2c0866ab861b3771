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
func (r *Result) Doubtful() map[string]schema.Status {
	out := map[string]schema.Status{}
	add := func(path string, status schema.Status) {
		if status == schema.NeedsReview || status.Doubt() != "" {
			out[path] = schema.Worse(out[path], status)
		}
	}
	files, claims := map[string]schema.Status{}, map[string]schema.Status{}
	for i := range r.Units {
		u := &r.Units[i]
		files[u.Path] = cmp.Or(u.Doubt(), u.Status)
	}
	for i := range r.SourceMap.Claims {
		c := &r.SourceMap.Claims[i]
		if c.Status.Doubt() == "" {
			continue
		}
		claims[c.Document] = schema.Worse(claims[c.Document], c.Status)
		for _, path := range c.CompiledInto {
			if strings.HasPrefix(path, "compiled/") {
				add(path, c.Status)
			}
		}
	}
	for _, d := range r.Diagnostics {
		if d.ID == gateViewHandEdited {
			add(d.Path, schema.NeedsReview) // it may say what no page does
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
func (u *UnitInfo) Doubt() schema.Status {
	if strings.HasPrefix(u.Path, wikiContradictions) && u.Status != schema.Ready {
		return schema.Disputed
	}
	return u.Status.Doubt()
}

// Doubts are the claims of a source map that are stale or disputed.
type Doubts struct {
	status    map[doubtful]schema.Status // the worse one
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

func newDoubts() *Doubts { return &Doubts{map[doubtful]schema.Status{}, map[string]bool{}} }

// add notes the status of a claim of a document when it is stale or disputed.
func (d *Doubts) add(document, text string, status schema.Status) {
	if status.Doubt() == "" {
		return
	}
	text = lint.FoldText(text)
	for _, document := range [2]string{document, ""} {
		at := doubtful{document, text}
		d.status[at] = schema.Worse(d.status[at], status)
		d.documents[document] = true
	}
}

// Of returns "stale" or "disputed" for a text that is such a claim of a file, of any
// file for "", and "" for any other.
func (d *Doubts) Of(document, text string) schema.Status {
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
	return markdown.Parse(document, text).Marked(func(u *markdown.Unit) schema.Status { return d.Of(document, u.Text) })
}
