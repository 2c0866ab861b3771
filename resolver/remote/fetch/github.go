package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The documents of the GitHub API that are read, with the fields that count.
// The pages are "REST API endpoints for GitHub Actions artifacts" and "REST API
// endpoints for workflow runs" of docs.github.com.
type (
	githubRepository struct {
		ID            int64  `json:"id"`
		DefaultBranch string `json:"default_branch"`
	}
	githubArtifacts struct {
		Artifacts []githubArtifact `json:"artifacts"`
	}
	githubArtifact struct {
		ID          int64      `json:"id"`
		Name        string     `json:"name"`
		Expired     bool       `json:"expired"`
		CreatedAt   string     `json:"created_at"`
		ExpiresAt   string     `json:"expires_at"`
		Digest      string     `json:"digest"` // "sha256:…", absent for artifacts of old actions
		WorkflowRun *githubRef `json:"workflow_run"`
	}
	githubRef struct {
		ID               int64  `json:"id"`
		RepositoryID     int64  `json:"repository_id"`
		HeadRepositoryID int64  `json:"head_repository_id"`
		HeadBranch       string `json:"head_branch"`
	}
	githubRun struct {
		ID             int64             `json:"id"`
		Name           string            `json:"name"` // of the workflow
		Path           string            `json:"path"` // .github/workflows/ci.yml, with @ref for some events
		Event          string            `json:"event"`
		Status         string            `json:"status"`
		Conclusion     string            `json:"conclusion"`
		HeadBranch     string            `json:"head_branch"`
		HeadSHA        string            `json:"head_sha"`
		HTMLURL        string            `json:"html_url"`
		Repository     *githubRepository `json:"repository"`
		HeadRepository *githubRepository `json:"head_repository"` // null when the fork is gone
	}
)

// githubSearch looks for one artifact.
type githubSearch struct {
	client     *Client
	service    *service
	ref        GitHub
	what       string // the reference, for errors
	repository *url.URL
	id         int64  // of the repository, 0 when not asked for
	branch     string // that must match, "" for any
	seen       refusals
}

// GitHub finds the artifact that a reference means today: the newest of its name
// that has not expired and whose workflow run belongs to the repository itself
// (not to a fork), concluded with success, and matches branch and workflow. With
// Run set only that run is looked at. Errors are *Error.
func (c *Client) GitHub(ctx context.Context, ref GitHub) (Resolved, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	s, err := c.github()
	if err != nil {
		return Resolved{}, err
	}
	f := &githubSearch{client: c, service: s, ref: ref, branch: ref.Branch}
	f.what = fmt.Sprintf("artifact %q of %s/%s", plain(ref.Artifact, maxQuoted), plain(ref.Owner, maxQuoted), plain(ref.Repo, maxQuoted))
	if !isSlug(ref.Owner) || !isSlug(ref.Repo) || ref.Artifact == "" {
		return Resolved{}, &Error{Op: "find " + f.what, Rule: ruleAddress, What: "owner, repository and artifact must be names", Hint: "write gha://OWNER/REPO/ARTIFACT"}
	}
	f.repository = below(s.base, "repos", ref.Owner, ref.Repo)
	if ref.Run != 0 {
		return f.inRun(ctx)
	}
	return f.newest(ctx)
}

// isSlug reports whether a name can be a segment of an API path.
func isSlug(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= 255 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func (f *githubSearch) request(op string, segments ...string) request {
	return request{op: op, url: below(f.repository, segments...), accept: f.service.accept, service: f.service}
}

// inRun takes the artifact of the run that the reference names.
func (f *githubSearch) inRun(ctx context.Context) (Resolved, error) {
	run, err := f.run(ctx, f.ref.Run)
	if err != nil {
		return Resolved{}, err
	}
	if reason := f.fits(run); reason != fitting {
		return Resolved{}, f.refusal(fmt.Sprintf("run %d", f.ref.Run), run, reason)
	}
	artifacts, err := f.list(ctx, "actions", "runs", strconv.FormatInt(run.ID, 10), "artifacts")
	if err != nil {
		return Resolved{}, err
	}
	for _, a := range artifacts {
		switch {
		case a.WorkflowRun != nil && a.WorkflowRun.ID != 0 && a.WorkflowRun.ID != run.ID:
		case a.Expired:
			f.seen.expire(a)
		default:
			return f.resolved(a, run)
		}
	}
	return Resolved{}, f.nothing(fmt.Sprintf(" in run %d", run.ID))
}

// newest looks through the artifacts of the name, newest first.
func (f *githubSearch) newest(ctx context.Context) (Resolved, error) {
	if f.branch == "" {
		repository, _, err := ask[githubRepository](ctx, f.client, f.request("ask for repository "+f.ref.Owner+"/"+f.ref.Repo))
		if err != nil {
			return Resolved{}, err
		}
		f.id, f.branch = repository.ID, repository.DefaultBranch
		if f.branch == "" {
			return Resolved{}, &Error{Op: "find " + f.what, URL: redacted(f.repository), Rule: ruleContent, What: "the repository has no default branch", Hint: "name one with ?branch="}
		}
	}
	artifacts, err := f.list(ctx, "actions", "artifacts")
	if err != nil {
		return Resolved{}, err
	}
	runs := map[int64]githubRun{}
	for _, a := range artifacts {
		if !f.promising(a) {
			continue
		}
		run, known := runs[a.WorkflowRun.ID]
		if !known {
			if len(runs) >= f.client.options.Limits.Candidates {
				break
			}
			if run, err = f.run(ctx, a.WorkflowRun.ID); err != nil {
				return Resolved{}, err
			}
			runs[run.ID] = run
		}
		reason := f.fits(run)
		if reason == fitting {
			return f.resolved(a, run)
		}
		f.seen.count[reason]++
	}
	return Resolved{}, f.nothing("")
}

// list returns the artifacts of the wanted name, newest first.
func (f *githubSearch) list(ctx context.Context, segments ...string) ([]githubArtifact, error) {
	r := f.request("list "+f.what, segments...)
	r.url.RawQuery = url.Values{"name": {f.ref.Artifact}, "per_page": {strconv.Itoa(pageSize)}, "page": {"1"}}.Encode()
	var all []githubArtifact
	err := list(ctx, f.client, r, func(page githubArtifacts) (bool, error) {
		for _, a := range page.Artifacts {
			if a.Name == f.ref.Artifact && a.ID > 0 {
				all = append(all, a)
			}
		}
		return len(page.Artifacts) > 0, nil
	})
	slices.SortStableFunc(all, func(a, b githubArtifact) int {
		return cmp.Or(created(b).Compare(created(a)), cmp.Compare(b.ID, a.ID))
	})
	return all, err
}

func created(a githubArtifact) time.Time {
	at, err := time.Parse(time.RFC3339, a.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return at
}

// promising sorts out what the listing alone already refuses, so that artifacts
// of forks, which anybody can make, cost no further request.
func (f *githubSearch) promising(a githubArtifact) bool {
	run := a.WorkflowRun
	switch {
	case a.Expired:
		f.seen.expire(a)
	case run == nil || run.ID <= 0:
		f.seen.count[noRun]++
	case run.RepositoryID != run.HeadRepositoryID, f.id != 0 && run.RepositoryID != f.id:
		f.seen.count[fork]++
	case run.HeadBranch != f.branch:
		f.seen.count[otherBranch]++
	default:
		return true
	}
	return false
}

// run asks for one workflow run.
func (f *githubSearch) run(ctx context.Context, id int64) (githubRun, error) {
	op := fmt.Sprintf("ask for run %d of %s/%s", id, f.ref.Owner, f.ref.Repo)
	r := f.request(op, "actions", "runs", strconv.FormatInt(id, 10))
	run, d, err := ask[githubRun](ctx, f.client, r)
	if err == nil && run.ID != id {
		err = &Error{Op: op, URL: redacted(d.at), Rule: ruleContent, What: fmt.Sprintf("the answer is about run %d", run.ID)}
	}
	return run, err
}

// fits says whether a run's artifacts may be used.
func (f *githubSearch) fits(run githubRun) reason {
	switch {
	case run.Repository == nil || run.HeadRepository == nil || run.Repository.ID <= 0,
		run.HeadRepository.ID != run.Repository.ID,
		f.id != 0 && run.Repository.ID != f.id:
		return fork
	case run.Status != "completed":
		return unfinished
	case run.Conclusion != "success":
		return failed
	case f.branch != "" && run.HeadBranch != f.branch:
		return otherBranch
	case f.ref.Workflow != "" && !run.isOf(f.ref.Workflow):
		return otherWorkflow
	case f.ref.Workflow == "" && servesOutsiders(run.Event):
		return outsiders
	}
	return fitting
}

// servesOutsiders reports events whose runs belong to the repository but may
// work on, and pass on, what a pull request of others brought. They count
// only where the reference names the workflow, which its author then vouches for.
func servesOutsiders(event string) bool {
	return event == "pull_request_target" || event == "workflow_run"
}

// isOf reports whether a run is of a workflow, given as file name, path or name.
func (r githubRun) isOf(workflow string) bool {
	file := r.file()
	return workflow == file || workflow == path.Base(file) || workflow == r.Name
}

// file is the path of the run's workflow in the repository.
func (r githubRun) file() string {
	file, _, _ := strings.Cut(r.Path, "@")
	return file
}

// resolved is the answer.
func (f *githubSearch) resolved(a githubArtifact, run githubRun) (Resolved, error) {
	at := below(f.repository, "actions", "artifacts", strconv.FormatInt(a.ID, 10), "zip")
	if a.Digest != "" && !isDigest(a.Digest) {
		return Resolved{}, &Error{Op: "find " + f.what, URL: redacted(at), Rule: ruleContent, What: fmt.Sprintf("the digest %q is of an unknown kind", plain(a.Digest, 100)), Hint: "try a newer packgen, which may know it"}
	}
	return Resolved{
		Source:  SourceGitHub,
		URL:     at.String(),
		Name:    f.ref.Artifact,
		Digest:  a.Digest,
		Expires: plain(a.ExpiresAt, 40),
		Run: &Run{
			ID: run.ID, URL: plain(run.HTMLURL, maxURL), Branch: plain(run.HeadBranch, maxQuoted),
			Workflow: plain(path.Base(run.file()), maxQuoted), Commit: plain(run.HeadSHA, 64),
			Conclusion: run.Conclusion, Artifact: a.ID,
		},
	}, nil
}

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
