package compiler

import (
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// Run statuses, from best to worst (agent-knowledge section 6.11).
const (
	passed      = "passed"
	needsReview = "needs-review"
	stale       = "stale"
	disputed    = "disputed"
	failed      = "failed"
)

// worse returns the worse of two run statuses.
func worse(a, b string) string {
	order := []string{passed, needsReview, stale, disputed, failed}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

// The ids of gates, and of the one finding that no run record holds.
const (
	gateClaimUnsourced    = "claim-unsourced"
	gateClaimDisputed     = "claim-disputed"
	gateClaimMissing      = "claim-missing"
	gateClaimInferred     = "claim-inferred"
	gateContradictionOpen = "contradiction-open"
	gateQuestionOpen      = "question-open"
	gateSourceChanged     = "source-changed"
	gateSourceStale       = "source-stale"
	gateStatusNeedsReview = "status-needs-review"
	gateAnchorUnresolved  = "anchor-unresolved"
	gateSourceMissing     = "source-missing"
	gateSchemaInvalid     = "schema-invalid"
	gateMetadataInvalid   = "metadata-invalid"
	gateEncodingInvalid   = "encoding-invalid"
	gatePathEscape        = "path-escape"
	gateSymlinkEscape     = "symlink-escape"
	gatePathCollision     = "path-collision"
	gateViewHandEdited    = "view-hand-edited"
	gateViewHandMade      = "view-hand-made"
	gateSplitOversize     = "split-oversize"
	gateDocumentEmpty     = "document-empty"
	gateScriptsPresent    = "scripts-present"
	gateLegacyView        = "legacy-view"

	refBroken = "ref-broken"
)

// gate is one row of the table of section 6.10.
type gate struct {
	severity diag.Severity // claim-unsourced is info under grounding "recommended"
	outcome  string        // what a finding makes of the run; "" leaves it as it is
}

// gateOf returns the gate of a diagnostic id. Findings of other ids are shown to
// the user and stay out of the run record.
func gateOf(id string) (g gate, ok bool) {
	switch id {
	case gateClaimUnsourced, gateClaimMissing, gateClaimInferred,
		gateStatusNeedsReview, gateAnchorUnresolved, gateSourceMissing, gateViewHandEdited:
		return gate{diag.Warning, needsReview}, true
	case gateSourceChanged, gateSourceStale:
		return gate{diag.Warning, stale}, true
	case gateClaimDisputed:
		return gate{diag.Warning, disputed}, true
	case gateSchemaInvalid, gateMetadataInvalid, gateEncodingInvalid,
		gatePathEscape, gateSymlinkEscape, gatePathCollision:
		return gate{diag.Error, failed}, true
	case gateContradictionOpen, gateQuestionOpen, gateSplitOversize, gateDocumentEmpty,
		gateViewHandMade, gateScriptsPresent, gateLegacyView:
		return gate{diag.Info, ""}, true
	}
	return gate{}, false
}

// recorded reports whether a diagnostic belongs into the run record: it has the
// id of a gate and its severity (a merely unusual front matter value, say, is a
// metadata-invalid warning for the user and no failed run).
func recorded(d diag.Diagnostic) bool {
	g, ok := gateOf(d.ID)
	return ok && (d.Severity == g.severity || d.ID == gateClaimUnsourced)
}

// outcome returns what the diagnostics of a run make of its status.
func outcome(list []diag.Diagnostic) string {
	status := passed
	for _, d := range list {
		if g, _ := gateOf(d.ID); d.Severity != diag.Info && recorded(d) {
			status = worse(status, g.outcome)
		}
	}
	return status
}

// recordDiagnostics turns sorted diagnostics into those of a run record: gates
// only, without places, exact repeats dropped (section 6.11).
func recordDiagnostics(sorted []diag.Diagnostic) []schema.RunDiagnostic {
	list := []schema.RunDiagnostic{}
	for _, d := range sorted {
		if !recorded(d) {
			continue
		}
		r := schema.RunDiagnostic{Severity: d.Severity.String(), Path: d.Path, Message: d.Record()}
		if n := len(list); n == 0 || list[n-1] != r {
			list = append(list, r)
		}
	}
	return list
}

// suggestedStatus is the pack status that a run proposes: what the pack says,
// or worse when the run is worse. A draft stays a draft until gates find
// something to review; an archived pack stays archived.
func suggestedStatus(declared, run string) string {
	switch {
	case declared == "archived" || run == passed:
		return declared
	case run == failed:
		run = needsReview
	}
	if declared == stale || declared == disputed {
		return worse(declared, run)
	}
	return run
}
