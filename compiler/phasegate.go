package compiler

import (
	"context"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
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
