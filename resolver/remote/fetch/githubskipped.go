package fetch

import (
	"fmt"
	"strings"
)

// reason is why an artifact of the right name is not the one meant.
type reason int

const (
	fitting reason = iota
	fork
	outsiders
	unfinished
	failed
	otherBranch
	otherWorkflow
	noRun
	expired
	reasons
)

// refusals counts what was skipped, so that an error can say it.
type refusals struct {
	count   [reasons]int
	expires string // of the newest expired one
}

// expire counts an expired artifact; the newest comes first.
func (s *refusals) expire(a githubArtifact) {
	if s.count[expired] == 0 {
		s.expires = plain(a.ExpiresAt, 40)
	}
	s.count[expired]++
}

// String lists the reasons with their numbers.
func (s *refusals) String() string {
	var parts []string
	for r := fork; r < reasons; r++ {
		if n := s.count[r]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, r.text()))
		}
	}
	text := strings.Join(parts, ", ")
	if s.expires != "" {
		text += " (the newest on " + s.expires + ")"
	}
	return text
}

// text says a reason of any number of artifacts.
func (r reason) text() string {
	switch r {
	case fork:
		return "made by a fork's run"
	case outsiders:
		return "made for pull requests of others"
	case unfinished:
		return "of a run that is not finished"
	case failed:
		return "of a run without success"
	case otherBranch:
		return "of another branch"
	case otherWorkflow:
		return "of another workflow"
	case noRun:
		return "without a run"
	case expired:
		return "expired"
	}
	return "fitting"
}

// nothing is the error when no artifact fits.
func (f *githubSearch) nothing(where string) error {
	e := &Error{Op: "find " + f.what, URL: redacted(f.repository), Rule: RuleNotFound}
	passed := f.seen.String()
	switch {
	case passed == "":
		e.What = "no artifact has this name" + where
		e.Hint = "check the name on the page of the run; artifacts are deleted after some time"
		return e
	case f.seen.count[expired] > 0 && f.seen.onlyExpired():
		e.Rule, e.Hint = RuleExpired, "let CI build it again"
	default:
		e.Rule, e.Hint = ruleUntrusted, f.seen.hint()
	}
	wanted := "from a run of this repository that ended with success"
	if f.branch != "" {
		wanted += fmt.Sprintf(" on branch %q", plain(f.branch, maxQuoted))
	}
	if f.ref.Workflow != "" {
		wanted += fmt.Sprintf(" in workflow %q", plain(f.ref.Workflow, maxQuoted))
	}
	e.What = "none" + where + " is " + wanted + "; skipped:  " + passed
	if f.seen.count[outsiders] > 0 {
		e.Hint = "name the workflow with ?workflow=: otherwise runs for workflow_run and pull_request_target do not count"
	}
	return e
}

// hint says what to do where none fits.
func (s *refusals) hint() string {
	switch {
	case s.count[otherBranch]+s.count[otherWorkflow] > 0:
		return "name another branch or workflow with ?branch= or ?workflow="
	case s.count[unfinished] > 0:
		return "wait until the run has ended"
	case s.count[failed] > 0:
		return "look at why the run did not end with success"
	}
	return "anybody can make those; let a run of the repository itself make it"
}

func (s *refusals) onlyExpired() bool {
	for r := fork; r < expired; r++ {
		if r != otherBranch && s.count[r] > 0 {
			return false
		}
	}
	return true
}

// refusal is the error about the one run that a reference names.
func (f *githubSearch) refusal(what string, run githubRun, r reason) error {
	e := &Error{Op: "find " + f.what, URL: redacted(f.repository), Rule: ruleUntrusted}
	switch r {
	case fork:
		e.What, e.Hint = what+" belongs to a fork", "name a run of the repository itself: anybody can make a fork"
	case unfinished:
		e.What, e.Hint = fmt.Sprintf("%s is %q", what, plain(run.Status, 40)), "wait until it is completed"
	case failed:
		e.What, e.Hint = fmt.Sprintf("%s concluded with %q", what, plain(run.Conclusion, 40)), "name a run that succeeded: only those count"
	case otherBranch:
		e.What = fmt.Sprintf("%s is of branch %q, not %q", what, plain(run.HeadBranch, maxQuoted), plain(f.branch, maxQuoted))
	case otherWorkflow:
		e.What = fmt.Sprintf("%s is of workflow %q (%s), not %q", what, plain(run.Name, maxQuoted), plain(run.file(), maxQuoted), plain(f.ref.Workflow, maxQuoted))
	case outsiders:
		e.What = fmt.Sprintf("%s was started by %q, which may work on what others sent", what, plain(run.Event, 40))
		e.Hint = "name its workflow with &workflow= to accept that"
	}
	return e
}
