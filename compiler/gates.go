package compiler

import (
	"cmp"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
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
	gateBaselineLost      = "baseline-lost"
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
	gateClaimConflict     = "claim-conflict"
	gateRawCopy           = "raw-copy"
	gateInjectionSuspect  = "injection-suspect"
	gateSecretSuspect     = "secret-suspect"

	refBroken   = "ref-broken"
	linkLoose   = "link-loose"
	linkDropped = "link-dropped"
)

// gate is one row of the table of section 6.10.
type gate struct {
	severity diag.Severity // claim-unsourced is info under grounding "recommended"
	outcome  string        // what a finding makes of the run; "" leaves it as it is
	hint     string        // how to fix it
}

// gates is the table of section 6.10. The findings of the gates that compare or
// scan texts come from package lint, hints included.
var gates = sync.OnceValue(func() map[string]gate {
	return map[string]gate{
		gateClaimUnsourced:    {diag.Warning, needsReview, "add [source: sources/…#L1], move it to the open questions, or mark it [status: missing]"},
		gateClaimMissing:      {diag.Warning, needsReview, "find a source, then replace the marker by an anchor"},
		gateClaimInferred:     {diag.Warning, needsReview, "find a source that says it, then drop the marker"},
		gateStatusNeedsReview: {diag.Warning, needsReview, "review the file, then set its status to ready"},
		gateAnchorUnresolved:  {diag.Warning, needsReview, "name a line that the file has, or the id of one of its headings"},
		gateSourceMissing:     {diag.Warning, needsReview, "add the file, or correct its path"},
		gateViewHandEdited:    {diag.Warning, needsReview, "move the change into the primary source, or compile with --force to overwrite it"},
		gateSourceChanged:     {diag.Warning, stale, "check the claims on it against the new text, then correct their words, or their anchors where the cited text has moved; mark those that still hold [status: confirmed]"},
		gateBaselineLost:      {diag.Warning, needsReview, "restore runs/ and indexes/ from version control; or check these claims against their sources and mark them [status: confirmed], or, for all of them, delete compiled/, indexes/ and runs/ and compile again"},
		gateSourceStale:       {diag.Warning, stale, "check it against a newer source, then drop the marker or status"},
		gateClaimConflict:     {diag.Warning, disputed, ""},
		gateRawCopy:           {diag.Warning, needsReview, ""},
		gateInjectionSuspect:  {diag.Warning, needsReview, ""},
		gateSecretSuspect:     {diag.Error, needsReview, ""}, // of a guess, a warning; an error fails any run
		gateClaimDisputed:     {diag.Warning, disputed, "settle it, or move it to wiki/contradictions/"},
		gateSchemaInvalid:     {diag.Error, failed, ""},
		gateMetadataInvalid:   {diag.Error, failed, ""},
		gateEncodingInvalid:   {diag.Error, failed, "save it as UTF-8 text"},
		gatePathEscape:        {diag.Error, failed, ""},
		gateSymlinkEscape:     {diag.Error, failed, ""},
		gatePathCollision:     {diag.Error, failed, "rename the file, or give the heading another id with {#id}"},
		gateContradictionOpen: {diag.Info, "", "resolve it, then set the status of the page to ready"},
		gateQuestionOpen:      {diag.Info, "", "answer it, then set the status of the file to ready"},
		gateSplitOversize:     {diag.Info, "", "add headings, so that it can be cut"},
		gateDocumentEmpty:     {diag.Info, "", "write something, or set status: draft"},
		gateViewHandMade:      {diag.Info, "", "leave it, or move what it says into the primary source"},
		gateScriptsPresent:    {diag.Info, "", ""},
		gateLegacyView:        {diag.Info, "", "rename or delete it"},
	}
})

// finding makes a diagnostic of a gate about a whole file.
func finding(id, path, message string) diag.Diagnostic {
	g := gates()[id]
	return diag.Diagnostic{ID: id, Severity: g.severity, Path: path, Message: message, Hint: g.hint}
}

// recorded reports whether a diagnostic belongs in the run record: it has the
// id of a gate and its severity. A merely unusual front matter value, say, is a
// warning for the user and no failed run. Any error is recorded, because a run
// that could not use part of a pack has failed; and so are all findings of the
// scans, wherever they are and however sure: who audits a run wants to know what
// the sources hold.
func recorded(d diag.Diagnostic) bool {
	g, ok := gates()[d.ID]
	return d.Severity == diag.Error || ok && (d.Severity == g.severity ||
		d.ID == gateClaimUnsourced || d.ID == gateInjectionSuspect || d.ID == gateSecretSuspect)
}

// outcomeOf returns what one diagnostic of a record makes of the status of its run.
// One that the policy of a repository made a warning needs a review.
func outcomeOf(d diag.Diagnostic) string {
	switch {
	case d.Severity == diag.Error:
		return failed
	case d.Severity == diag.Warning:
		return worse(passed, cmp.Or(gates()[d.ID].outcome, needsReview))
	}
	return passed
}

// worstOf returns what the diagnostics make of the status of their run, and the
// first in place of those that make it so; nil when the run has passed.
func worstOf(list []diag.Diagnostic) (status string, first *diag.Diagnostic) {
	status = passed
	for i := range list {
		d := &list[i]
		switch of := outcomeOf(*d); {
		case of == passed || worse(status, of) != of: // it is milder
		case of != status || diag.ComparePlaces(*d, *first) < 0:
			status, first = of, d
		}
	}
	return status, first
}

// recordDiagnostics turns the sorted findings of a record into its form: without
// places, exact repeats dropped (section 6.11). No secret gets into
// a record, whoever quotes it.
func recordDiagnostics(sorted []diag.Diagnostic) []schema.RunDiagnostic {
	list := []schema.RunDiagnostic{}
	for _, d := range sorted {
		r := schema.RunDiagnostic{Severity: d.Severity.String(), Path: secret.RedactPath(d.Path), Message: secret.Redact(d.Record())}
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
