package lint

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// claimText is one claim unit of a view.
type claimText struct {
	key      string // folded
	text     string
	anchored bool
}

// claimTable knows the claims of the primary source by their folded text.
type claimTable struct {
	worst map[string]*schema.Claim // the one with the worst status now
	once  map[string]bool          // claims of the source map on disk
}

func newClaimTable() *claimTable {
	return &claimTable{worst: map[string]*schema.Claim{}, once: map[string]bool{}}
}

// addPublished takes in the source map on disk.
func (t *claimTable) addPublished(m *schema.SourceMap) {
	for _, c := range m.Claims {
		t.once[FoldText(c.Text)] = true
	}
}

// addCurrent takes in the source map of the compile.
func (t *claimTable) addCurrent(m *schema.SourceMap) {
	for i := range m.Claims {
		c := &m.Claims[i]
		key := FoldText(c.Text)
		if have := t.worst[key]; have == nil || c.Status.Rank() > have.Status.Rank() {
			t.worst[key] = c
		}
	}
}

// checkClaims reports stale claims and views that disagree with their source.
func (r *run) checkClaims() {
	if r.in.SourceMap == nil {
		return
	}
	said := r.saidStale()
	for _, c := range r.in.SourceMap.Claims {
		if c.Status != schema.Stale || said[c.Document] {
			continue
		}
		at := place{}
		if p := r.byPath[c.Document]; p != nil {
			at = p.places[FoldText(c.Text)]
		}
		if said[fmt.Sprintf("%s:%d", c.Document, at.line)] {
			continue
		}
		message := fmt.Sprintf("the claim %q is marked stale", quoted(c.Text))
		if c.Source.Path != "" {
			message = fmt.Sprintf("the claim %q is stale; it cites %s", quoted(c.Text), c.Source.Path)
		}
		r.raise(idClaimStale, c.Document, at.line, at.column, message,
			"check it against the source, then correct its words or anchor, mark it [status: confirmed], or drop the marker that calls it stale")
	}
	for _, v := range r.views {
		r.checkView(v)
	}
}

// saidStale are the files that are stale as a whole and the lines of stale claims that the
// compile has reported: a claim there is not reported again.
func (r *run) saidStale() map[string]bool {
	said := map[string]bool{}
	for i := range r.in.Diagnostics {
		switch d := &r.in.Diagnostics[i]; d.ID {
		case "source-stale":
			said[fmt.Sprintf("%s:%d", d.Path, d.Line)] = true
			if p := r.byPath[d.Path]; p != nil && p.status == schema.Stale {
				said[d.Path] = true
			}
		case "source-changed":
			said[fmt.Sprintf("%s:%d", d.Path, d.Line)] = true
		}
	}
	return said
}

// checkView compares the claims of a view with the primary source.
func (r *run) checkView(v *page) {
	for _, c := range v.texts {
		at := v.places[c.key]
		claim := r.claims.worst[c.key]
		why := ""
		switch {
		case claim != nil && (claim.Status == schema.Disputed || claim.Status == schema.Stale):
			why = "the primary source calls it " + string(claim.Status)
		case claim == nil && (r.claims.once[c.key] || c.anchored && v.path == "compiled/facts.md"):
			why = "the primary source no longer says so"
		default:
			continue
		}
		r.raise(idViewContradicts, v.path, at.line, at.column, fmt.Sprintf("the view states %q; %s", quoted(c.text), why),
			r.viewFix(v.path, c.key, claim))
	}
}

// viewFix says what to do about a claim of a view: where the view is kept by hand, it
// is corrected there; where compile makes it, what it is made from.
func (r *run) viewFix(name, key string, claim *schema.Claim) string {
	was, made := r.recorded[name]
	if !made {
		return "correct the view: it is kept by hand"
	}
	if !r.pack.HasSum(name, was.SHA256) {
		return "the view was edited by hand: move what is right into the primary source, then compile with --force"
	}
	now := r.viewNow(name)
	if now == nil || now.SHA256 != was.SHA256 {
		return "compile again: the view is made from the primary source"
	}
	if claim == nil {
		return "the view is made from " + strings.Join(now.DerivedFrom[:min(len(now.DerivedFrom), 3)], ", ") + ": correct it there, then compile again"
	}
	place := diag.Diagnostic{Path: claim.Document}
	if p := r.byPath[claim.Document]; p != nil {
		place.Line, place.Column = p.places[key].line, p.places[key].column
	}
	return "the view is made from the primary source: settle " + place.Place() + ", then compile again"
}

// viewNow returns the view as a compile makes it now; nil when it does not.
func (r *run) viewNow(name string) *schema.View {
	if r.in.Index == nil {
		return nil
	}
	for i := range r.in.Index.Views {
		if v := &r.in.Index.Views[i]; v.Path == name && len(v.DerivedFrom) > 0 {
			return v
		}
	}
	return nil
}

// maxQuoted is the longest text of a user that a message quotes, in bytes.
const maxQuoted = 120

// quoted returns a text of a user as a message quotes it.
func quoted(text string) string { return diag.Clip(secret.Redact(text), maxQuoted) }
