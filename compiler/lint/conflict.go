package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

const idClaimConflict = "claim-conflict"

// Conflicts compares the claims of a pack with each other and returns a warning
// claim-conflict for each claim of a split that also is on an open page of
// contradictions, or is confirmed while the same claim is disputed in another place
// (agent-knowledge section 6.10). Open says whether a page of wiki/contradictions/ is
// open. A claim is reported once for each file, in the order of the claims; the hint
// names the other place. Find returns where a claim is: 1-based line and column, 0
// when unknown. Disputed reports the texts in conflict, however they are punctuated;
// it is nil when there are none.
func Conflicts(claims []schema.Claim, open func(page string) bool, find func(*schema.Claim) (line, column int)) (found []diag.Diagnostic, disputed func(text string) bool) {
	t := newDisputes(claims, open)
	type once struct{ key, document string }
	seen := map[once]bool{}
	in := map[string]bool{} // folded texts
	for i := range claims {
		c := &claims[i]
		message, other := t.against(i, c)
		if other == nil {
			continue
		}
		in[t.keys[i]] = true
		if at := (once{t.keys[i], c.Document}); !seen[at] {
			seen[at] = true
			there := diag.Diagnostic{Path: other.Document}
			there.Line, there.Column = find(other)
			d := diag.Diagnostic{
				ID: idClaimConflict, Severity: diag.Warning, Path: c.Document, Message: message,
				Hint: "compare with " + there.Place() + "; settle the contradiction and set its page to ready, or mark the claim [status: disputed]",
			}
			d.Say("%s", strings.TrimSuffix(message, "."))
			d.Line, d.Column = find(c)
			found = append(found, d)
		}
	}
	if len(in) == 0 {
		return nil, nil
	}
	return found, func(text string) bool { return in[FoldText(text)] }
}

// disputes holds the claims that something contradicts.
type disputes struct {
	keys  []string                 // folded texts of all claims
	pages map[string]*schema.Claim // first claim with a text on an open page of contradictions
	other map[string]*schema.Claim // first one that is disputed elsewhere
}

func newDisputes(claims []schema.Claim, open func(page string) bool) *disputes {
	t := &disputes{keys: make([]string, len(claims)), pages: map[string]*schema.Claim{}, other: map[string]*schema.Claim{}}
	for i := range claims {
		c := &claims[i]
		key := FoldText(c.Text)
		t.keys[i] = key
		switch {
		case key == "":
		case strings.HasPrefix(c.Document, "wiki/contradictions/"):
			if t.pages[key] == nil && open(c.Document) {
				t.pages[key] = c
			}
		case c.Status == schema.Disputed && t.other[key] == nil:
			t.other[key] = c
		}
	}
	return t
}

// against returns the reasons against a claim of a split; nil for nothing.
func (t *disputes) against(i int, c *schema.Claim) (message string, other *schema.Claim) {
	key := t.keys[i]
	if key == "" || !inSplit(c) {
		return "", nil
	}
	if other = t.pages[key]; other != nil {
		return fmt.Sprintf(`"%s" is disputed on %s.`, c.Text, other.Document), other
	}
	if other = t.other[key]; other != nil && c.Status == schema.Confirmed {
		return fmt.Sprintf(`"%s" is both confirmed and disputed.`, c.Text), other
	}
	return "", nil
}

// inSplit reports a claim that is in a split.
func inSplit(c *schema.Claim) bool {
	return slices.ContainsFunc(c.CompiledInto, func(name string) bool { return strings.HasPrefix(name, pack.SplitsDir+"/") })
}

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
