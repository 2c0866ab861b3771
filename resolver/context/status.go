package context

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Statuses of runs, views and resolutions, from best to worst.
const (
	passed      = "passed"
	needsReview = "needs-review"
	stale       = "stale"
	disputed    = "disputed"
	failed      = "failed"
)

func severityOrder(status string) int {
	return slices.Index([]string{passed, needsReview, stale, disputed, failed}, status)
}

// worse returns the worse of two statuses.
func worse(a, b string) string {
	if severityOrder(b) > severityOrder(a) {
		return b
	}
	return a
}

// severityOf is the severity with which a status is reported.
func severityOf(status string) string {
	if severityOrder(status) >= severityOrder(disputed) {
		return "error"
	}
	return "warning"
}

// ofPack is what a pack's status makes of a resolution (section 10).
func ofPack(status string) string {
	switch status {
	case "ready":
		return passed
	case stale, disputed:
		return status
	case "archived":
		return failed
	}
	return needsReview
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
func claimOutcome(status string) string {
	switch status {
	case "missing", "inferred", "source-required":
		return needsReview
	case stale, disputed:
		return status
	}
	return passed
}

// findingOutcome is what a finding of a run makes of the view it is about: the
// outcomes of section 6.10.
func findingOutcome(severity, message string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(message, "["), "]")
	switch {
	case severity == "error":
		return failed
	case severity != "warning":
		return passed
	case id == "source-changed" || id == "source-stale":
		return stale
	case id == "claim-conflict" || id == "claim-disputed":
		return disputed
	}
	return needsReview
}

// viewStatuses works out the view status of each unit (section 13.7); noRun
// marks compiled files that no run lists.
func (s *contents) viewStatuses(units []*unit) (statuses []string, noRun []bool) {
	statuses, noRun = make([]string, len(units)), make([]bool, len(units))
	byName := map[string]int{}
	for i, u := range units {
		statuses[i] = passed
		byName[u.path] = i
	}
	for _, c := range s.sourceMap.Claims {
		outcome := claimOutcome(c.Status)
		if outcome == passed {
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
				statuses[i] = worse(statuses[i], outcome)
			}
		}
	}
	for i, u := range units {
		statuses[i] = worse(statuses[i], cmp.Or(u.doubt, passed))
		switch status := s.statusOf(u.document); status {
		case needsReview, stale, disputed:
			statuses[i] = worse(statuses[i], status)
		}
		if u.kind != split && u.kind != view {
			continue
		}
		statuses[i] = worse(statuses[i], s.published[u.path])
		r := s.runs.of(u.path)
		if r == nil {
			noRun[i] = true
			statuses[i] = worse(statuses[i], needsReview)
			continue
		}
		statuses[i] = worse(statuses[i], s.sinceRun(u, r))
		if u.altered { // a view that is kept by hand
			statuses[i] = worse(statuses[i], stale)
		}
	}
	return statuses, noRun
}

// pageStatus is the status of the document or page that a unit comes from; of a list of
// facts, which has the lines of several, that of the worst.
func (s *contents) pageStatus(u *unit) string {
	if u.kind != view || u.path != factsPath {
		return s.statusOf(u.document)
	}
	status := ""
	for _, name := range u.derived {
		if s.statusOf(name) == needsReview {
			status = needsReview
		}
	}
	return status
}

// sinceRun is what a run found in a view, and what has changed since.
func (s *contents) sinceRun(u *unit, r *run) string {
	status := passed
	for _, d := range r.found {
		if d.Path == u.path {
			status = worse(status, findingOutcome(d.Severity, d.Message))
		}
	}
	for _, name := range u.madeFrom() {
		if s.changed(name, r) {
			status = worse(status, stale)
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
func (s *contents) compileWarnings(units []*unit) (list []Warning, worst string) {
	statuses, noRun := s.viewStatuses(units)
	worst = passed
	for i, u := range units {
		worst = worse(worst, statuses[i])
		switch {
		case noRun[i]:
			list = append(list, Warning{severityOf(statuses[i]), u.path, "This runtime view has no compile run."})
		case statuses[i] != passed:
			list = append(list, Warning{severityOf(statuses[i]), u.path,
				fmt.Sprintf("This runtime view depends on a %s compile run.", statuses[i])})
		}
	}
	if r := s.runs.newest(); r != nil && worse(worst, r.status) != worst {
		worst = r.status
		list = append(list, Warning{severityOf(r.status), r.path, fmt.Sprintf("Newest compile run is %s.", r.status)})
	}
	return list, worst
}
