package fetch

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

func TestGitHubRunsThatFit(t *testing.T) {
	own := func(change func(*githubRun)) githubRun {
		run := githubRun{
			ID: 1, Name: "CI", Path: ".github/workflows/ci.yml", Event: "push", Status: "completed", Conclusion: "success",
			HeadBranch: "main", Repository: &githubRepository{ID: 7}, HeadRepository: &githubRepository{ID: 7},
		}
		change(&run)
		return run
	}
	for _, tt := range []struct {
		name string
		run  githubRun
		want reason
	}{
		{"as it should be", own(func(*githubRun) {}), fitting},
		{"of a fork", own(func(r *githubRun) { r.HeadRepository = &githubRepository{ID: 8} }), fork},
		{"of a fork that is gone", own(func(r *githubRun) { r.HeadRepository = nil }), fork},
		{"of no repository", own(func(r *githubRun) { r.Repository = nil }), fork},
		{"without ids", own(func(r *githubRun) { r.Repository, r.HeadRepository = &githubRepository{}, &githubRepository{} }), fork},
		{"of another repository", own(func(r *githubRun) {
			r.Repository, r.HeadRepository = &githubRepository{ID: 8}, &githubRepository{ID: 8}
		}), fork},
		{"of a fork's pull request", own(func(r *githubRun) { r.Event, r.HeadRepository = "pull_request", &githubRepository{ID: 8} }), fork},
		{"running", own(func(r *githubRun) { r.Status = "in_progress" }), unfinished},
		{"running again after success", own(func(r *githubRun) { r.Status = "queued" }), unfinished},
		{"neutral", own(func(r *githubRun) { r.Conclusion = "neutral" }), failed},
		{"without conclusion", own(func(r *githubRun) { r.Conclusion = "" }), failed},
		{"branch in another case", own(func(r *githubRun) { r.HeadBranch = "Main" }), otherBranch},
		{"for others", own(func(r *githubRun) { r.Event = "workflow_run" }), outsiders},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := githubSearch{ref: packs, id: 7, branch: "main"}
			if got := f.fits(tt.run); got != tt.want {
				t.Errorf("%s, want %s", got.text(), tt.want.text())
			}
		})
	}
}

func TestGitHubListingsThatPromise(t *testing.T) {
	for _, tt := range []struct {
		name string
		a    githubArtifact
		want bool
	}{
		{"its own", githubArtifact{WorkflowRun: &githubRef{1, 7, 7, "main"}}, true},
		{"of a fork", githubArtifact{WorkflowRun: &githubRef{1, 7, 8, "main"}}, false},
		{"of another repository", githubArtifact{WorkflowRun: &githubRef{1, 8, 8, "main"}}, false},
		{"of another branch", githubArtifact{WorkflowRun: &githubRef{1, 7, 7, "topic"}}, false},
		{"without a run", githubArtifact{}, false},
		{"with a run without id", githubArtifact{WorkflowRun: &githubRef{0, 7, 7, "main"}}, false},
		{"expired", githubArtifact{Expired: true, WorkflowRun: &githubRef{1, 7, 7, "main"}}, false},
	} {
		f := githubSearch{ref: packs, id: 7, branch: "main"}
		if got := f.promising(tt.a); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestGitLabPipelinesThatFit(t *testing.T) {
	for _, tt := range []struct {
		name string
		ref  string
		p    gitlabPipeline
		want bool
	}{
		{"as it should be", "main", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "main", Status: "success", Source: "push"}, true},
		{"without a project", "main", gitlabPipeline{ID: 1, Ref: "main", Status: "success"}, true},
		{"of another project", "main", gitlabPipeline{ID: 1, ProjectID: 8, Ref: "main", Status: "success"}, false},
		{"of another ref", "main", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "topic", Status: "success"}, false},
		{"failed", "main", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "main", Status: "failed"}, false},
		{"of a merge request", "main", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "main", Status: "success", Source: "merge_request_event"}, false},
		{"of a pull request elsewhere", "main", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "main", Status: "success", Source: "external_pull_request_event"}, false},
		{"of the merge request named", "refs/merge-requests/1/head", gitlabPipeline{ID: 1, ProjectID: 7, Ref: "refs/merge-requests/1/head", Status: "success", Source: "merge_request_event"}, true},
		{"without an id", "main", gitlabPipeline{ProjectID: 7, Ref: "main", Status: "success"}, false},
	} {
		f := gitlabSearch{ref: GitLab{Ref: tt.ref}, id: 7}
		if got := f.fits(tt.p); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Each idle time must bring minimumBytes, not merely a byte.
func TestBodiesMustBringEnoughInEachIdleTime(t *testing.T) {
	for bytes, want := range map[int64]error{0: errIdleTime, 1: errIdleTime, minimumBytes - 1: errIdleTime, minimumBytes: nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		b := watch(ctx, cancel, io.NopCloser(strings.NewReader("")), time.Hour)
		b.window.Add(bytes)
		b.look()
		if got := context.Cause(ctx); got != want {
			t.Errorf("%d bytes: %v, want %v", bytes, got, want)
		}
		if want == nil {
			if b.look(); context.Cause(ctx) != errIdleTime {
				t.Error("bytes of one idle time count in the next")
			}
		}
		b.Close()
	}
}
