package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// The documents of the GitLab API that are read, with the fields that count.
// The pages are "Projects API", "Pipelines API", "Jobs API" and "Job artifacts
// API" of docs.gitlab.com.
type (
	gitlabProject struct {
		ID            int64  `json:"id"`
		DefaultBranch string `json:"default_branch"`
	}
	gitlabPipeline struct {
		ID        int64  `json:"id"`
		ProjectID int64  `json:"project_id"`
		Ref       string `json:"ref"`
		SHA       string `json:"sha"`
		Status    string `json:"status"`
		Source    string `json:"source"`
	}
	gitlabJob struct {
		ID        int64          `json:"id"`
		Name      string         `json:"name"`
		Status    string         `json:"status"`
		WebURL    string         `json:"web_url"`
		Pipeline  gitlabPipeline `json:"pipeline"`
		ExpireAt  string         `json:"artifacts_expire_at"`
		Artifacts *struct {
			Size int64 `json:"size"`
		} `json:"artifacts_file"` // absent when there are none, or no longer any
	}
)

// gitlabSearch looks for one job.
type gitlabSearch struct {
	client  *Client
	service *service
	ref     GitLab
	what    string // the reference, for errors
	project *url.URL
	id      int64  // of the project
	expired string // when the newest artifacts skipped were deleted
	looked  int    // pipelines
}

// GitLab finds the job whose artifacts a reference means today: the newest
// successful one of its name in a successful pipeline of the branch or tag, with
// its artifacts still there. The answer names the job by its id, so that the
// same bytes can be asked for again. Where CI_JOB_TOKEN may not list pipelines,
// the artifacts are named by branch and job instead, and Run has no id. Errors
// are *Error.
func (c *Client) GitLab(ctx context.Context, ref GitLab) (Resolved, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	s, err := c.gitlab()
	if err != nil {
		return Resolved{}, err
	}
	f := &gitlabSearch{client: c, service: s, ref: ref}
	f.what = fmt.Sprintf("artifacts of job %q of %s", plain(ref.Job, maxQuoted), plain(ref.Project, maxQuoted))
	parts := strings.Split(ref.Project, "/")
	for _, part := range parts {
		if len(parts) < 2 || !isSlug(part) || ref.Job == "" || ref.Ref == "." || ref.Ref == ".." {
			return Resolved{}, &Error{Op: "find " + f.what, Rule: ruleAddress, What: "group, project and job must be names", Hint: "write gitlab://GROUP/PROJECT/JOB"}
		}
	}
	f.project = below(s.base, "projects", ref.Project)
	found, err := f.find(ctx)
	if err != nil && f.mayNotList(err) {
		return f.byRef(err)
	}
	return found, err
}

func (f *gitlabSearch) request(op string, segments ...string) request {
	return request{op: op, url: below(f.project, segments...), accept: f.service.accept, service: f.service}
}

func (f *gitlabSearch) find(ctx context.Context) (Resolved, error) {
	if f.ref.JobID != 0 {
		return f.byID(ctx)
	}
	project, _, err := ask[gitlabProject](ctx, f.client, f.request("ask for project "+f.ref.Project))
	if err != nil {
		return Resolved{}, err
	}
	f.id = project.ID
	if f.ref.Ref == "" {
		f.ref.Ref = project.DefaultBranch
	}
	if f.ref.Ref == "" {
		return Resolved{}, &Error{Op: "find " + f.what, URL: redacted(f.project), Rule: ruleContent, What: "the project has no default branch", Hint: "name one with ?ref="}
	}
	return f.newest(ctx)
}

// byID takes the job that the reference names.
func (f *gitlabSearch) byID(ctx context.Context) (Resolved, error) {
	op := fmt.Sprintf("ask for job %d of %s", f.ref.JobID, f.ref.Project)
	job, d, err := ask[gitlabJob](ctx, f.client, f.request(op, "jobs", strconv.FormatInt(f.ref.JobID, 10)))
	if err != nil {
		return Resolved{}, err
	}
	refuse := func(rule, what, hint string) (Resolved, error) {
		return Resolved{}, &Error{Op: op, URL: redacted(d.at), Rule: rule, What: what, Hint: hint}
	}
	switch {
	case job.ID != f.ref.JobID:
		return refuse(ruleContent, fmt.Sprintf("the answer is about job %d", job.ID), "")
	case job.Name != f.ref.Job:
		return refuse(ruleUntrusted, fmt.Sprintf("it is job %q, not %q", plain(job.Name, maxQuoted), plain(f.ref.Job, maxQuoted)), "")
	case f.ref.Ref != "" && job.Pipeline.Ref != f.ref.Ref:
		return refuse(ruleUntrusted, fmt.Sprintf("it is of %q, not %q", plain(job.Pipeline.Ref, maxQuoted), plain(f.ref.Ref, maxQuoted)), "")
	case job.Status != "success":
		return refuse(ruleUntrusted, fmt.Sprintf("its status is %q", plain(job.Status, 40)), "wait for a job that succeeds: only those count")
	case job.Artifacts == nil:
		return refuse(RuleExpired, "its artifacts are gone"+since(job.ExpireAt), "let CI build them again")
	}
	return f.resolved(job, job.Pipeline), nil
}

// since says when artifacts expired.
func since(at string) string {
	if at == "" {
		return ""
	}
	return ", expired on " + plain(at, 40)
}

// newest looks through the successful pipelines of the ref, newest first.
func (f *gitlabSearch) newest(ctx context.Context) (Resolved, error) {
	r := f.request("list pipelines of "+f.ref.Project, "pipelines")
	r.url.RawQuery = url.Values{
		"ref": {f.ref.Ref}, "status": {"success"}, "order_by": {"id"}, "sort": {"desc"}, "per_page": {strconv.Itoa(pageSize)},
	}.Encode()
	var found *Resolved
	err := list(ctx, f.client, r, func(page []gitlabPipeline) (bool, error) {
		for _, p := range page {
			if !f.fits(p) {
				continue
			}
			if f.looked++; f.looked > f.client.options.Limits.Candidates {
				return false, nil
			}
			job, err := f.jobIn(ctx, p)
			if err != nil {
				return false, err
			}
			if job != nil {
				answer := f.resolved(*job, p)
				found = &answer
				return false, nil
			}
		}
		return len(page) > 0, nil
	})
	switch {
	case err != nil:
		return Resolved{}, err
	case found == nil:
		return Resolved{}, f.nothing()
	}
	return *found, nil
}

// fits says whether a pipeline's jobs may be used: it is of the project and of
// the ref itself, not of a merge request that only wants to get there.
func (f *gitlabSearch) fits(p gitlabPipeline) bool {
	request := p.Source == "merge_request_event" || p.Source == "external_pull_request_event"
	return p.ID > 0 && p.Status == "success" && p.Ref == f.ref.Ref &&
		(p.ProjectID == 0 || f.id == 0 || p.ProjectID == f.id) &&
		(!request || strings.HasPrefix(f.ref.Ref, "refs/merge-requests/"))
}

// jobIn finds the job in a pipeline: the last one of its name with artifacts,
// nil when there is none.
func (f *gitlabSearch) jobIn(ctx context.Context, p gitlabPipeline) (*gitlabJob, error) {
	r := f.request(fmt.Sprintf("list jobs of pipeline %d of %s", p.ID, f.ref.Project), "pipelines", strconv.FormatInt(p.ID, 10), "jobs")
	r.url.RawQuery = url.Values{"scope[]": {"success"}, "per_page": {strconv.Itoa(pageSize)}}.Encode()
	var found *gitlabJob
	err := list(ctx, f.client, r, func(page []gitlabJob) (bool, error) {
		for _, job := range page {
			switch {
			case job.Name != f.ref.Job, job.Status != "success", job.ID <= 0:
			case job.Artifacts == nil:
				if f.expired == "" {
					f.expired = job.ExpireAt
				}
			case found == nil, job.ID > found.ID:
				found = &job
			}
		}
		return len(page) > 0, nil
	})
	return found, err
}

// nothing is the error when no job fits.
func (f *gitlabSearch) nothing() error {
	e := &Error{Op: "find " + f.what, URL: redacted(f.project), Rule: RuleNotFound}
	if f.expired != "" {
		e.Rule, e.What, e.Hint = RuleExpired, "the newest are gone"+since(f.expired), "let CI build them again"
		return e
	}
	e.What = fmt.Sprintf("no successful pipeline of %q has a successful job of this name with artifacts", plain(f.ref.Ref, maxQuoted))
	e.Hint = "check the job's name, or name another branch or tag with ?ref="
	return e
}

// resolved is the answer.
func (f *gitlabSearch) resolved(job gitlabJob, p gitlabPipeline) Resolved {
	return Resolved{
		Source:  SourceGitLab,
		URL:     below(f.project, "jobs", strconv.FormatInt(job.ID, 10), "artifacts").String(),
		Name:    f.ref.Job,
		Size:    max(0, job.Artifacts.Size),
		Expires: plain(job.ExpireAt, 40),
		Run: &Run{
			ID: p.ID, URL: plain(job.WebURL, maxURL), Branch: plain(p.Ref, maxQuoted), Workflow: job.Name,
			Commit: plain(p.SHA, 64), Conclusion: job.Status, Job: job.ID,
		},
	}
}

// mayNotList reports that a job's own token was refused where it asked for
// pipelines and jobs. GitLab lets such a token download artifacts all the same.
func (f *gitlabSearch) mayNotList(err error) bool {
	var e *Error
	if f.service.variable != "CI_JOB_TOKEN" || !errors.As(err, &e) {
		return false
	}
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden || e.Status == http.StatusNotFound
}

// byRef names the artifacts by ref and job name.
func (f *gitlabSearch) byRef(cause error) (Resolved, error) {
	segments := []string{"jobs", "artifacts", f.ref.Ref, "download"}
	switch {
	case f.ref.JobID != 0:
		segments = []string{"jobs", strconv.FormatInt(f.ref.JobID, 10), "artifacts"}
	case f.ref.Ref == "":
		var e *Error
		errors.As(cause, &e)
		without := *e
		without.Hint = "name the branch with ?ref=, or set GITLAB_TOKEN: CI_JOB_TOKEN may not list pipelines"
		return Resolved{}, &without
	}
	at := below(f.project, segments...)
	if f.ref.JobID == 0 {
		at.RawQuery = url.Values{"job": {f.ref.Job}}.Encode()
	}
	return Resolved{
		Source: SourceGitLab, URL: at.String(), Name: f.ref.Job,
		Run: &Run{Branch: f.ref.Ref, Workflow: f.ref.Job, Conclusion: "success", Job: f.ref.JobID},
	}, nil
}
