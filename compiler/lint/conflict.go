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
// order of the claims, without line: the source map has none.
func Conflicts(claims []schema.Claim, open func(page string) bool) []diag.Diagnostic {
	disputedOn := map[string]string{} // folded text → first open page that has it
	disputed := map[string]bool{}     // folded text that is disputed in a split
	keys := make([]string, len(claims))
	for i, c := range claims {
		keys[i] = foldText(c.Text)
		switch {
		case keys[i] == "":
		case strings.HasPrefix(c.Document, "wiki/contradictions/"):
			if disputedOn[keys[i]] == "" && open(c.Document) {
				disputedOn[keys[i]] = c.Document
			}
		case c.Status == "disputed":
			disputed[keys[i]] = true
		}
	}
	type once struct{ key, document string }
	seen := map[once]bool{}
	var list []diag.Diagnostic
	for i, c := range claims {
		message := ""
		switch page := disputedOn[keys[i]]; {
		case keys[i] == "", !inSplit(c):
			continue
		case page != "":
			message = fmt.Sprintf(`"%s" is disputed on %s.`, c.Text, page)
		case c.Status == "confirmed" && disputed[keys[i]]:
			message = fmt.Sprintf(`"%s" is both confirmed and disputed.`, c.Text)
		default:
			continue
		}
		if at := (once{keys[i], c.Document}); !seen[at] {
			seen[at] = true
			list = append(list, diag.Diagnostic{
				ID: idClaimConflict, Severity: diag.Warning, Path: c.Document, Message: message,
				Hint: "settle the contradiction and set its page to ready, or mark the claim [status: disputed]",
			})
		}
	}
	return list
}

// inSplit reports a claim that stands in a split.
func inSplit(c schema.Claim) bool {
	return slices.ContainsFunc(c.CompiledInto, func(name string) bool { return strings.HasPrefix(name, "compiled/splits/") })
}
