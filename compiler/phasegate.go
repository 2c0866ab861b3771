package compiler

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// judged is a pack with everything that is wrong with it, and the run that says so.
type judged struct {
	*joined
	found []diag.Diagnostic // sorted, before the policy of the repository changes it
	// What comments in files switched off, and those comments by file.
	suppressed []lint.Suppressed
	comments   map[string][]lint.Suppression
	run        schema.Run
}

// gate collects the findings of all phases, judges links and anchors, and works out the
// status of the run.
func (j *joined) gate(ctx context.Context) (*judged, error) {
	files := append(slices.Clip(j.files), j.guide)
	links := newLinkJudge(j)
	for _, f := range files {
		links.judgeAnchors(f)
		if err := links.judge(f); err != nil {
			return nil, err
		}
	}
	reportLost(files)
	g := &judged{joined: j, found: slices.Concat(j.opt.Opened, j.out.diags, j.history.diags, j.material.found, j.found, j.checkPersona(), j.reportDrafts())}
	for _, f := range files {
		g.found = append(g.found, f.diags...)
		f.diags = nil
	}
	more, err := j.applyRules(ctx, g.found)
	if err != nil {
		return nil, err
	}
	g.found = append(g.found, more...)
	j.mask(g.found)
	for i := range g.found {
		g.found[i].Pack = j.pack.Meta.Name
	}
	diag.Sort(g.found)
	g.found = slices.Compact(g.found)
	g.comments = suppressions(files)
	g.found, g.suppressed = lint.Suppress(g.found, g.comments)
	j.letGo()
	g.run = j.run(g.found)
	g.found = reportedOnce(g.found)
	return g, nil
}

// letGo drops what is as much as the claims of the pack and was needed to judge it alone.
func (j *joined) letGo() {
	for _, f := range j.files {
		f.citations, f.lead = nil, ""
	}
}

// checkPersona warns of a persona without limits (agent-knowledge section 3.8). It
// is not a gate: the pack may be used.
func (j *joined) checkPersona() []diag.Diagnostic {
	limited := j.guide.limits
	for _, f := range j.files {
		limited = limited || f.limits
	}
	if j.mode != pack.ModePersona || limited {
		return nil
	}
	line, column := j.pack.Meta.Place("runtime.mode")
	return []diag.Diagnostic{{
		ID: "persona-limits", Severity: diag.Warning, Path: entryFile, Line: line, Column: column,
		Message: "the persona has no section on boundaries or taboos", Hint: "add a section headed Boundaries or Taboos",
	}}
}

// reportDrafts names the drafts among the files that agents would get, once.
func (j *joined) reportDrafts() []diag.Diagnostic {
	var names []string
	for _, f := range j.files {
		if f.info.Status == schema.Draft && f.role != inputOnly {
			names = append(names, f.path)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return []diag.Diagnostic{{
		ID: pack.IDDraft, Severity: diag.Info, Path: names[0], Message: pack.DraftsMessage(names, "left out of what agents get"),
		Hint: "set status: ready when the page is finished",
	}}
}

// forRecord returns what a run record holds of the findings, with the severity that
// the policy of the repository gives them. Whether a finding belongs in a record
// follows from how it was found.
func (c *opened) forRecord(found []diag.Diagnostic) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range found {
		kept, _ := c.opt.Policy.Apply(found[i : i+1])
		if len(kept) > 0 && (recorded(found[i]) || kept[0].Severity == diag.Error) {
			list = append(list, kept[0])
		}
	}
	diag.Sort(list)
	return list
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
	outcome  schema.Status // what a finding makes of the run; "" leaves it as it is
	hint     string        // how to fix it
}

// gates is the table of section 6.10. The findings of the gates that compare or
// scan texts come from package lint, hints included.
var gates = sync.OnceValue(func() map[string]gate {
	return map[string]gate{
		gateClaimUnsourced:    {diag.Warning, schema.NeedsReview, "add [source: sources/…#L1], move it to the open questions, or mark it [status: missing]"},
		gateClaimMissing:      {diag.Warning, schema.NeedsReview, "find a source, then replace the marker by an anchor"},
		gateClaimInferred:     {diag.Warning, schema.NeedsReview, "find a source that says it, then drop the marker"},
		gateStatusNeedsReview: {diag.Warning, schema.NeedsReview, "review the file, then set its status to ready"},
		gateAnchorUnresolved:  {diag.Warning, schema.NeedsReview, "name a line that the file has, or the id of one of its headings"},
		gateSourceMissing:     {diag.Warning, schema.NeedsReview, "add the file, or correct its path"},
		gateViewHandEdited:    {diag.Warning, schema.NeedsReview, "move the change into the primary source, or compile with --force to overwrite it"},
		gateSourceChanged:     {diag.Warning, schema.Stale, "check the claims on it against the new text, then correct their words, or their anchors where the cited text has moved; mark those that still hold [status: confirmed]"},
		gateBaselineLost:      {diag.Warning, schema.NeedsReview, "restore runs/ and indexes/ from version control; or check these claims against their sources and mark them [status: confirmed], or, for all of them, delete compiled/, indexes/ and runs/ and compile again"},
		gateSourceStale:       {diag.Warning, schema.Stale, "check it against a newer source, then drop the marker or status"},
		gateClaimConflict:     {diag.Warning, schema.Disputed, ""},
		gateRawCopy:           {diag.Warning, schema.NeedsReview, ""},
		gateInjectionSuspect:  {diag.Warning, schema.NeedsReview, ""},
		gateSecretSuspect:     {diag.Error, schema.NeedsReview, ""}, // of a guess, a warning; an error fails any run
		gateClaimDisputed:     {diag.Warning, schema.Disputed, "settle it, or move it to wiki/contradictions/"},
		gateSchemaInvalid:     {diag.Error, schema.Failed, ""},
		gateMetadataInvalid:   {diag.Error, schema.Failed, ""},
		gateEncodingInvalid:   {diag.Error, schema.Failed, "save it as UTF-8 text"},
		gatePathEscape:        {diag.Error, schema.Failed, ""},
		gateSymlinkEscape:     {diag.Error, schema.Failed, ""},
		gatePathCollision:     {diag.Error, schema.Failed, "rename the file, or give the heading another id with {#id}"},
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
func outcomeOf(d diag.Diagnostic) schema.Status {
	switch {
	case d.Severity == diag.Error:
		return schema.Failed
	case d.Severity == diag.Warning:
		return schema.Worse(schema.Passed, cmp.Or(gates()[d.ID].outcome, schema.NeedsReview))
	}
	return schema.Passed
}

// worstOf returns what the diagnostics make of the status of their run, and the
// first in place of those that make it so; nil when the run has passed.
func worstOf(list []diag.Diagnostic) (status schema.Status, first *diag.Diagnostic) {
	status = schema.Passed
	for i := range list {
		d := &list[i]
		switch of := outcomeOf(*d); {
		case of == schema.Passed || schema.Worse(status, of) != of: // it is milder
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
		r := schema.RunDiagnostic{Severity: d.Severity, Path: secret.RedactPath(d.Path), Message: secret.Redact(d.Record())}
		if n := len(list); n == 0 || list[n-1] != r {
			list = append(list, r)
		}
	}
	return list
}

// suggestedStatus is the pack status that a run proposes: what the pack says,
// or worse when the run is worse. A draft stays a draft until gates find
// something to review; an archived pack stays archived.
func suggestedStatus(declared, run schema.Status) schema.Status {
	switch {
	case declared == schema.Archived || run == schema.Passed:
		return declared
	case run == schema.Failed:
		run = schema.NeedsReview
	}
	if declared == schema.Stale || declared == schema.Disputed {
		return schema.Worse(declared, run)
	}
	return run
}

// lintName is the contributor that keeps what the rules of package lint need of a unit.
const lintName = "lint"

func lintFacts() Contributor {
	return Contributor{Name: lintName, Key: lint.FactsKey, Unit: func(u *Unit) (facts, body []byte, err error) {
		return lint.Facts(u.Doc), nil, nil
	}}
}

// applyRules reports what the rules of package lint find in the pack beside what was found.
// Units that are not remembered, such as one with a secret, are read again.
func (j *joined) applyRules(ctx context.Context, found []diag.Diagnostic) ([]diag.Diagnostic, error) {
	if !j.opt.Lint {
		return nil, nil
	}
	at := len(j.opt.Contribute) - 1 // as Options.normalise puts it
	checker := lint.NewChecker(j.pack)
	for _, f := range j.files {
		if len(f.info.parts) > at {
			if facts, ok := j.cache.store.Blob(f.info.parts[at][0]); ok && checker.AddFacts(f.path, facts) {
				continue
			}
		}
		if f.size > maxRead {
			continue
		}
		data, err := j.pack.ReadFile(f.path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		checker.AddText(f.path, data)
	}
	return checker.Findings(ctx, lint.Compiled{Diagnostics: found, SourceMap: &j.sourceMap, Index: &j.index})
}

// lineSet are 1-based lines of a file in order.
type lineSet []int

// unanchoredLines are the lines with a source or a status that cannot be used.
func unanchoredLines(doc *markdown.Document) (lines lineSet) {
	for i := range doc.Diagnostics {
		if d := &doc.Diagnostics[i]; markdown.Unanchored(d) {
			lines = append(lines, d.Line)
		}
	}
	slices.Sort(lines)
	return lines
}

// within reports whether a claim has one of the lines.
func (l lineSet) within(doc *markdown.Document, u *markdown.Unit) bool {
	if len(l) == 0 {
		return false
	}
	first, _ := doc.Position(u.Start)
	last, _ := doc.Position(u.End)
	i, _ := slices.BinarySearch(l, first)
	return i < len(l) && l[i] <= last
}

// reportedOnce leaves out the findings that another one about the same file implies. Run
// records hold them all (agent-knowledge section 6.10).
func reportedOnce(found []diag.Diagnostic) []diag.Diagnostic {
	said := map[string]bool{}
	for i := range found {
		if markdown.Unanchored(&found[i]) {
			said[found[i].Path] = true
		}
	}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Implied && said[d.Path] })
}

// suppressions collects what comments in files switch off, by file.
func suppressions(files []*file) map[string][]lint.Suppression {
	by := map[string][]lint.Suppression{}
	for _, f := range files {
		if len(f.suppress) > 0 {
			by[f.path] = f.suppress
		}
	}
	return by
}
