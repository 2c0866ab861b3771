package fetch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

var build = GitLab{Project: "group/sub/p", Job: "build"}

func job(change func(*GitLab)) GitLab {
	ref := build
	change(&ref)
	return ref
}

func TestGitLabFindsTheNewestThatFits(t *testing.T) {
	g := fetchtest.NewGitLab(t)
	add := func(j fetchtest.Artifact) (int64, int64) {
		if j.Name == "" {
			j.Name = "build"
		}
		j.Data = []byte("x")
		return g.Add("group/sub/p", j)
	}
	old, _ := add(fetchtest.Artifact{})
	first, pipeline := add(fetchtest.Artifact{})
	want, _ := add(fetchtest.Artifact{Run: pipeline}) // tried again in the same pipeline
	add(fetchtest.Artifact{Name: "test", Run: pipeline})
	onTag, _ := add(fetchtest.Artifact{Branch: "v1/rc"})
	add(fetchtest.Artifact{Conclusion: "failed"})
	add(fetchtest.Artifact{Status: "failed"})
	add(fetchtest.Artifact{Event: "merge_request_event"})
	add(fetchtest.Artifact{Expired: true, ExpireAt: "2026-02-01T00:00:00Z"})
	add(fetchtest.Artifact{Name: "test"})
	mergeRequest, _ := add(fetchtest.Artifact{Branch: "refs/merge-requests/7/head", Event: "merge_request_event"})
	for _, size := range []int{100, 1} {
		g.PageSize = size
		c, _ := testClient(g.Getenv)
		for _, tt := range []struct {
			name string
			ref  GitLab
			want int64
		}{
			{"default branch", build, want},
			{"branch", job(func(r *GitLab) { r.Ref = "main" }), want},
			{"tag with a slash", job(func(r *GitLab) { r.Ref = "v1/rc" }), onTag},
			{"merge request", job(func(r *GitLab) { r.Ref = "refs/merge-requests/7/head" }), mergeRequest},
			{"job id", job(func(r *GitLab) { r.JobID = old }), old},
			{"job id and ref", job(func(r *GitLab) { r.JobID, r.Ref = first, "main" }), first},
		} {
			r, err := c.GitLab(t.Context(), tt.ref)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if r.Run.Job != tt.want {
				t.Errorf("%s, pages of %d: job %d, want %d", tt.name, size, r.Run.Job, tt.want)
			}
		}
	}
}

func TestGitLabDownloadsWithoutShowingTheTokenToTheStorage(t *testing.T) {
	for name, isJobToken := range map[string]bool{"PRIVATE-TOKEN": false, "JOB-TOKEN": true} {
		t.Run(name, func(t *testing.T) {
			g := fetchtest.NewGitLab(t)
			g.IsJobToken = isJobToken
			g.Repository("group/sub/p", "trunk/1", true)
			data := archiveOf(50_000)
			id, pipeline := g.Add("group/sub/p", fetchtest.Artifact{Name: "build", Branch: "trunk/1", Data: data, ExpireAt: "2026-09-01T00:00:00Z"})
			g.Blobs.Spoil(fetchtest.Fault{Cut: 10_000})
			c, _ := testClient(g.Getenv)
			r := oktest.Value(c.GitLab(t.Context(), job(func(r *GitLab) { r.Ref = "trunk/1" })))(t)
			want := Run{ID: pipeline, URL: fmt.Sprintf("https://gitlab.example/group/sub/p/-/jobs/%d", id), Branch: "trunk/1", Workflow: "build", Commit: fmt.Sprintf("%040x", pipeline), Conclusion: "success", Job: id}
			if isJobToken {
				want = Run{Branch: "trunk/1", Workflow: "build", Conclusion: "success"}
			}
			if r.Source != SourceGitLab || r.Name != "build" || *r.Run != want {
				t.Errorf("resolved %+v %+v", r, *r.Run)
			}
			got, _, err := c.testDownload(t, r)
			if err != nil || !bytes.Equal(got, data) {
				t.Fatalf("%d bytes, %v", len(got), err)
			}
			noTokenIn(t, g.Blobs, g.Token)
			for _, asked := range g.API.Requests() {
				header := map[bool]string{false: "Private-Token", true: "Job-Token"}[isJobToken]
				if asked.Header.Get(header) != g.Token || asked.Header.Get("Authorization") != "" {
					t.Errorf("%s came with %q", asked.Path, asked.Header)
				}
			}
		})
	}
}

func TestGitLabJobTokenWithoutARef(t *testing.T) {
	g := fetchtest.NewGitLab(t)
	g.IsJobToken = true
	id, _ := g.Add("group/sub/p", fetchtest.Artifact{Name: "build", Data: []byte("x")})
	c, _ := testClient(g.Getenv)
	_, err := c.GitLab(t.Context(), build)
	wantError(t, err, ruleToken, "403 Forbidden", "name the branch with ?ref=")
	r, err := c.GitLab(t.Context(), job(func(r *GitLab) { r.JobID = id }))
	if err != nil || r.Run.Job != id {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, _, err := c.testDownload(t, r); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestGitLabPublicProjectsNeedNoToken(t *testing.T) {
	g := fetchtest.NewGitLab(t)
	g.Add("group/sub/p", fetchtest.Artifact{Name: "build", Data: []byte("x")})
	c, _ := testClient(env("CI_API_V4_URL", g.API.URL+"/api/v4"))
	r := oktest.Value(c.GitLab(t.Context(), build))(t)
	if got, _, err := c.testDownload(t, r); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestGitLabSaysWhyNothingFits(t *testing.T) {
	gone := fetchtest.Artifact{Data: []byte("x"), Expired: true, ExpireAt: "2026-02-01T00:00:00Z"}
	for _, tt := range []struct {
		name  string
		ref   GitLab
		add   []fetchtest.Artifact
		fault *fetchtest.Fault
		token string
		rule  string
		says  []string
	}{
		{name: "no pipeline", ref: build, rule: RuleNotFound, says: []string{`artifacts of job "build" of group/sub/p`, `"main"`, "?ref="}},
		{name: "another job", ref: build, add: []fetchtest.Artifact{{Name: "x", Data: []byte("x")}}, rule: RuleNotFound},
		{name: "a job without artifacts", ref: build, add: []fetchtest.Artifact{{}}, rule: RuleNotFound},
		{name: "a failed pipeline", ref: build, add: []fetchtest.Artifact{{Data: []byte("x"), Conclusion: "failed"}}, rule: RuleNotFound},
		{name: "expired", ref: build, add: []fetchtest.Artifact{gone}, rule: RuleExpired, says: []string{"expired on 2026-02-01T00:00:00Z", "let CI build them again"}},
		{name: "unknown project", ref: job(func(r *GitLab) { r.Project = "a/b" }), rule: RuleNotFound, says: []string{"404 Project Not Found", "read_api"}},
		{name: "unknown project without token", ref: job(func(r *GitLab) { r.Project = "a/b" }), token: "none", rule: RuleNotFound, says: []string{"set GITLAB_TOKEN"}},
		{name: "wrong token", ref: build, token: "wrong", rule: ruleToken, says: []string{"401 Unauthorized", "set GITLAB_TOKEN to another token"}},
		{name: "rate limit", ref: build, fault: &fetchtest.Fault{Status: 429, Times: -1, Header: map[string]string{"Retry-After": "120"}}, rule: ruleRateLimit, says: []string{"wait 2m0s"}},
		{name: "no default branch", ref: build, fault: &fetchtest.Fault{Status: 200, Body: `{"id":1,"default_branch":null}`}, rule: ruleContent, says: []string{"no default branch"}},
		{name: "a list where an object should be", ref: build, fault: &fetchtest.Fault{Status: 200, Body: `[]`}, rule: ruleContent, says: []string{"not the JSON"}},
		{name: "hostile project", ref: job(func(r *GitLab) { r.Project = "../.." }), rule: ruleAddress},
		{name: "one name only", ref: job(func(r *GitLab) { r.Project = "p" }), rule: ruleAddress},
		{name: "empty name", ref: job(func(r *GitLab) { r.Project = "a//b" }), rule: ruleAddress},
		{name: "hostile ref", ref: job(func(r *GitLab) { r.Ref = ".." }), rule: ruleAddress},
		{name: "no job", ref: job(func(r *GitLab) { r.Job = "" }), rule: ruleAddress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fetchtest.NewGitLab(t)
			g.Repository("group/sub/p", "main", false)
			for _, j := range tt.add {
				if j.Name == "" {
					j.Name = "build"
				}
				g.Add("group/sub/p", j)
			}
			if tt.fault != nil {
				g.API.Spoil(*tt.fault)
			}
			token := g.Token
			switch tt.token {
			case "":
			case "none":
				token = ""
			default:
				token = tt.token
			}
			c, _ := testClient(env("CI_API_V4_URL", g.API.URL+"/api/v4", "GITLAB_TOKEN", token))
			_, err := c.GitLab(t.Context(), tt.ref)
			wantError(t, err, tt.rule, tt.says...)
			if token != "" && strings.Contains(err.Error(), token) {
				t.Errorf("error holds the token: %v", err)
			}
		})
	}
}

func TestGitLabJobsNamedAreCheckedToo(t *testing.T) {
	data := []byte("x")
	for _, tt := range []struct {
		name string
		j    fetchtest.Artifact
		ref  func(*GitLab)
		rule string
		says string
	}{
		{"another name", fetchtest.Artifact{Name: "test", Data: data}, nil, ruleUntrusted, `job "test", not "build"`},
		{"another ref", fetchtest.Artifact{Data: data}, func(r *GitLab) { r.Ref = "v1" }, ruleUntrusted, `of "main", not "v1"`},
		{"failed", fetchtest.Artifact{Data: data, Status: "failed"}, nil, ruleUntrusted, `status is "failed"`},
		{"gone", fetchtest.Artifact{Data: data, Expired: true, ExpireAt: "2026-02-01"}, nil, RuleExpired, "expired on 2026-02-01"},
		{"unknown", fetchtest.Artifact{}, func(r *GitLab) { r.JobID = 1 }, RuleNotFound, "ask for job 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fetchtest.NewGitLab(t)
			if tt.j.Name == "" {
				tt.j.Name = "build"
			}
			id, _ := g.Add("group/sub/p", tt.j)
			ref := job(func(r *GitLab) { r.JobID = id })
			if tt.ref != nil {
				tt.ref(&ref)
			}
			c, _ := testClient(g.Getenv)
			_, err := c.GitLab(t.Context(), ref)
			wantError(t, err, tt.rule, tt.says)
		})
	}
}

func TestGitLabSearchIsBounded(t *testing.T) {
	g := fetchtest.NewGitLab(t)
	for range 20 {
		g.Add("group/sub/p", fetchtest.Artifact{Name: "test"})
	}
	c, _ := testClient(g.Getenv, func(o *Options) { o.Limits.Candidates = 3 })
	_, err := c.GitLab(t.Context(), build)
	wantError(t, err, RuleNotFound)
	if n := len(g.API.Requests()); n != 1+1+3 {
		t.Errorf("%d requests", n)
	}
}
