package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
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
