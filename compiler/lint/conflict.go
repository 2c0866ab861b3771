package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

const idClaimConflict = "claim-conflict"

// Conflicts compares the claims of a source map with each other and returns a
// warning claim-conflict for each claim of a split that also stands on an open
// page of contradictions, or is confirmed while the same claim is disputed in
// another place (agent-knowledge section 6.10). Open says whether a page of
// wiki/contradictions/ is open. A claim is reported once for each file, in the
// order of the claims; the hint names the other place. Find tells where a claim
// stands, since a source map does not: 1-based line and column, 0 when unknown.
func Conflicts(claims []schema.Claim, open func(page string) bool, find func(*schema.Claim) (line, column int)) []diag.Diagnostic {
	disputedOn := map[string]*schema.Claim{} // folded text → first claim with it on an open page
	disputed := map[string]*schema.Claim{}   // folded text → first claim with it that is disputed elsewhere
	keys := make([]string, len(claims))
	for i := range claims {
		c := &claims[i]
		keys[i] = foldText(c.Text)
		switch {
		case keys[i] == "":
		case strings.HasPrefix(c.Document, "wiki/contradictions/"):
			if disputedOn[keys[i]] == nil && open(c.Document) {
				disputedOn[keys[i]] = c
			}
		case c.Status == "disputed" && disputed[keys[i]] == nil:
			disputed[keys[i]] = c
		}
	}
	type once struct{ key, document string }
	seen := map[once]bool{}
	var list []diag.Diagnostic
	for i := range claims {
		c := &claims[i]
		message, other := "", disputedOn[keys[i]]
		switch {
		case keys[i] == "", !inSplit(c):
			continue
		case other != nil:
			message = fmt.Sprintf(`"%s" is disputed on %s.`, c.Text, other.Document)
		case c.Status == "confirmed" && disputed[keys[i]] != nil:
			other = disputed[keys[i]]
			message = fmt.Sprintf(`"%s" is both confirmed and disputed.`, c.Text)
		default:
			continue
		}
		if at := (once{keys[i], c.Document}); !seen[at] {
			seen[at] = true
			there := diag.Diagnostic{Path: other.Document}
			there.Line, there.Column = find(other)
			d := diag.Diagnostic{
				ID: idClaimConflict, Severity: diag.Warning, Path: c.Document, Message: message,
				Hint: "compare " + there.Place() + "; settle the contradiction and set its page to ready, or mark the claim [status: disputed]",
			}
			d.Line, d.Column = find(c)
			list = append(list, d)
		}
	}
	return list
}

// inSplit reports a claim that stands in a split.
func inSplit(c *schema.Claim) bool {
	return slices.ContainsFunc(c.CompiledInto, func(name string) bool { return strings.HasPrefix(name, "compiled/splits/") })
}
