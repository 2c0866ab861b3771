package context

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// severityOf is the severity with which a status is reported.
func severityOf(status schema.Status) diag.Severity {
	if status.Rank() >= schema.Disputed.Rank() {
		return diag.Error
	}
	return diag.Warning
}

// ofPack is what a pack's status makes of a resolution (section 10).
func ofPack(status schema.Status) schema.Status {
	switch status {
	case schema.Ready:
		return schema.Passed
	case schema.Stale, schema.Disputed:
		return status
	case schema.Archived:
		return schema.Failed
	}
	return schema.NeedsReview
}

// changed reports whether a file differs from what a run has seen.
func (s *contents) changed(name string, r *run) bool {
	if s.snap != nil {
		return false // then nothing is
	}
	return !s.isAsRecorded(name, r.inputs[name])
}

// isAsRecorded reports whether a file has the SHA-256 that a run recorded, whatever ends its
// lines.
func (s *contents) isAsRecorded(name, sum string) bool {
	now := s.document(name).sha256
	return now != "" && (now == sum || s.pack.HasSum(name, sum))
}

// claimOutcome is what a claim's status makes of a view that holds it.
func claimOutcome(status schema.Status) schema.Status {
	switch status {
	case schema.Missing, schema.Inferred, schema.SourceRequired:
		return schema.NeedsReview
	case schema.Stale, schema.Disputed:
		return status
	}
	return schema.Passed
}

// findingOutcome is what a finding of a run makes of the view it is about: the
// outcomes of section 6.10.
func findingOutcome(severity diag.Severity, message string) schema.Status {
	id, _, _ := strings.Cut(strings.TrimPrefix(message, "["), "]")
	switch {
	case severity == diag.Error:
		return schema.Failed
	case severity != diag.Warning:
		return schema.Passed
	case id == "source-changed" || id == "source-stale":
		return schema.Stale
	case id == "claim-conflict" || id == "claim-disputed":
		return schema.Disputed
	}
	return schema.NeedsReview
}

// viewStatuses works out the view status of each unit (section 13.7); noRun
// marks compiled files that no run lists.
func (s *contents) viewStatuses(units []*unit) (statuses []schema.Status, noRun []bool) {
	statuses, noRun = make([]schema.Status, len(units)), make([]bool, len(units))
	byName := map[string]int{}
	for i, u := range units {
		statuses[i] = schema.Passed
		byName[u.path] = i
	}
	for _, c := range s.sourceMap.Claims {
		outcome := claimOutcome(c.Status)
		if outcome == schema.Passed {
			continue
		}
		for _, name := range c.CompiledInto {
			i, ok := byName[name]
			if !ok {
				// A page is named with its one section.
				page, _, _ := strings.Cut(name, "#")
				if i, ok = byName[page]; ok && units[i].kind != wikiPage {
					ok = false
				}
			}
			if ok {
				statuses[i] = schema.Worse(statuses[i], outcome)
			}
		}
	}
	for i, u := range units {
		statuses[i] = schema.Worse(statuses[i], cmp.Or(u.doubt, schema.Passed))
		switch status := s.statusOf(u.document); status {
		case schema.NeedsReview, schema.Stale, schema.Disputed:
			statuses[i] = schema.Worse(statuses[i], status)
		}
		if u.kind != split && u.kind != view {
			continue
		}
		statuses[i] = schema.Worse(statuses[i], s.from.Views[u.path])
		r := s.runs.of(u.path)
		if r == nil {
			noRun[i] = true
			statuses[i] = schema.Worse(statuses[i], schema.NeedsReview)
			continue
		}
		statuses[i] = schema.Worse(statuses[i], s.sinceRun(u, r))
		if u.altered { // a view that is kept by hand
			statuses[i] = schema.Worse(statuses[i], schema.Stale)
		}
	}
	return statuses, noRun
}

// pageStatus is the status of the document or page that a unit comes from; of a list of
// facts, which has the lines of several, that of the worst.
func (s *contents) pageStatus(u *unit) schema.Status {
	if u.kind != view || u.path != factsPath {
		return s.statusOf(u.document)
	}
	status := schema.Status("")
	for _, name := range u.derived {
		if s.statusOf(name) == schema.NeedsReview {
			status = schema.NeedsReview
		}
	}
	return status
}

// sinceRun is what a run found in a view, and what has changed since.
func (s *contents) sinceRun(u *unit, r *run) schema.Status {
	status := schema.Passed
	for _, d := range r.found {
		if d.Path == u.path {
			status = schema.Worse(status, findingOutcome(d.Severity, d.Message))
		}
	}
	for _, name := range u.madeFrom() {
		if s.changed(name, r) {
			status = schema.Worse(status, schema.Stale)
		}
	}
	return status
}

// madeFrom lists the files that a unit was made of.
func (u *unit) madeFrom() []string {
	if u.kind == view {
		return u.derived
	}
	if u.document == "" {
		return nil
	}
	return []string{u.document}
}

// compileWarnings are the warnings of section 13.7 on what was selected, and the
// worst status among views and the newest run.
func (s *contents) compileWarnings(units []*unit) (list []Warning, worst schema.Status) {
	statuses, noRun := s.viewStatuses(units)
	worst = schema.Passed
	for i, u := range units {
		worst = schema.Worse(worst, statuses[i])
		switch {
		case noRun[i]:
			list = append(list, Warning{severityOf(statuses[i]), u.path, "This runtime view has no compile run."})
		case statuses[i] != schema.Passed:
			list = append(list, Warning{severityOf(statuses[i]), u.path,
				fmt.Sprintf("This runtime view depends on a %s compile run.", statuses[i])})
		}
	}
	if r := s.runs.newest(); r != nil && schema.Worse(worst, r.status) != worst {
		worst = r.status
		list = append(list, Warning{severityOf(r.status), r.path, fmt.Sprintf("Newest compile run is %s.", r.status)})
	}
	return list, worst
}
