package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

var packs = GitHub{Owner: "o", Repo: "r", Artifact: "packs"}

func with(change func(*GitHub)) GitHub {
	ref := packs
	change(&ref)
	return ref
}

func TestGitHubFindsTheNewestThatFits(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	add := func(a fetchtest.Artifact) (int64, int64) {
		a.Name = "packs"
		a.Data = fmt.Appendf(nil, "%+v", a)
		return g.Add("o/r", a)
	}
	add(fetchtest.Artifact{})
	want, run := add(fetchtest.Artifact{})
	onTopic, _ := add(fetchtest.Artifact{Branch: "topic"})
	nightly, _ := add(fetchtest.Artifact{Workflow: ".github/workflows/nightly.yml@refs/heads/main", WorkflowName: "Nightly", Conclusion: "success", Event: "workflow_run"})
	add(fetchtest.Artifact{Event: "pull_request_target"})
	add(fetchtest.Artifact{Conclusion: "failure"})
	add(fetchtest.Artifact{Conclusion: "cancelled"})
	add(fetchtest.Artifact{Status: "in_progress"})
	add(fetchtest.Artifact{Fork: true})
	add(fetchtest.Artifact{Expired: true})
	g.Add("o/r", fetchtest.Artifact{Name: "others"})
	g.Add("o/elsewhere", fetchtest.Artifact{Name: "packs"})

	for _, oldestFirst := range []bool{false, true} {
		for _, size := range []int{100, 1, 3} {
			g.OldestFirst, g.PageSize = oldestFirst, size
			c, _ := testClient(g.Getenv)
			for _, tt := range []struct {
				name string
				ref  GitHub
				want int64
			}{
				{"default branch", packs, want},
				{"branch", with(func(r *GitHub) { r.Branch = "topic" }), onTopic},
				{"workflow by file", with(func(r *GitHub) { r.Workflow = "nightly.yml" }), nightly},
				{"workflow by path", with(func(r *GitHub) { r.Workflow = ".github/workflows/nightly.yml" }), nightly},
				{"workflow by name", with(func(r *GitHub) { r.Workflow = "Nightly" }), nightly},
				{"run", with(func(r *GitHub) { r.Run = run }), want},
				{"names in another case", with(func(r *GitHub) { r.Owner = "O" }), want},
			} {
				r, err := c.GitHub(t.Context(), tt.ref)
				if err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
				if r.Run.Artifact != tt.want {
					t.Errorf("%s, pages of %d: artifact %d, want %d", tt.name, size, r.Run.Artifact, tt.want)
				}
			}
		}
	}
}

func TestGitHubDownloadsWithoutShowingTheTokenToTheOtherHost(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	data := archiveOf(50_000)
	id, run := g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: data})
	g.Blobs.Spoil(fetchtest.Fault{Cut: 10_000})
	c, _ := testClient(g.Getenv)
	r := oktest.Value(c.GitHub(t.Context(), packs))(t)
	want := Run{ID: run, URL: fmt.Sprintf("https://github.com/o/r/actions/runs/%d", run), Branch: "main", Workflow: "ci.yml", Commit: fmt.Sprintf("%040x", run), Conclusion: "success", Artifact: id}
	if r.Source != SourceGitHub || *r.Run != want || r.Digest != sha(data) || r.Expires != "2026-04-05T08:00:00Z" || strings.Contains(r.URL, g.Token) {
		t.Errorf("resolved %+v %+v", r, *r.Run)
	}
	got, _, err := c.testDownload(t, r)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	noTokenIn(t, g.Blobs, g.Token)
	if blobs := g.Blobs.Requests(); len(blobs) != 2 || blobs[1].Header.Get("Range") != "bytes=10000-" {
		t.Errorf("the other host was asked %d times", len(blobs))
	}
	for _, r := range g.API.Requests() {
		if r.Header.Get("Authorization") != "Bearer "+g.Token || r.Header.Get("X-Github-Api-Version") == "" {
			t.Errorf("%s came with %q", r.Path, r.Header)
		}
	}
}

// A redirect back to the API does not bring the token back: the host in between
// chose where it leads.
func TestGitHubTokenDoesNotComeBack(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("x")})
	g.Blobs.Spoil(fetchtest.Fault{Redirect: g.API.URL + "/repos/o/secret"})
	c, _ := testClient(g.Getenv)
	r, err := c.GitHub(t.Context(), packs)
	oktest.Check(t, err)
	_, _, err = c.testDownload(t, r)
	wantError(t, err, RuleNotFound)
	asked := g.API.Requests()
	if last := asked[len(asked)-1]; last.Path != "/repos/o/secret" || last.Header.Get("Authorization") != "" {
		t.Errorf("%s came with %q", last.Path, last.Header)
	}
}

func TestTokensGoNowhereElse(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("x")})
	other := tagged(t, []byte("x"), "")
	c, _ := testClient(g.Getenv)
	for _, r := range []Resolved{
		{Source: SourceGitHub, URL: other.URL + "/x.zip"},
		{Source: SourceURL, URL: other.URL + "/x.zip"},
		{Source: SourceGitLab, URL: other.URL + "/x.zip"},
	} {
		if _, _, err := c.testDownload(t, r); err != nil {
			t.Error(err)
		}
	}
	noTokenIn(t, other, g.Token)
	// An address that only happens to be the API's is not a reference to it.
	_, _, err := c.testDownload(t, Resolved{Source: SourceURL, URL: g.API.URL + "/repos/o/r"})
	if err != nil {
		t.Error(err)
	}
	noTokenIn(t, g.API, g.Token)
}

func TestGitHubSaysWhyNothingFits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ref   GitHub
		add   []fetchtest.Artifact
		fault *fetchtest.Fault
		token string
		rule  string
		says  []string
	}{
		{name: "none of the name", ref: packs, add: []fetchtest.Artifact{{Name: "x"}}, rule: RuleNotFound, says: []string{`find artifact "packs" of o/r`, "no artifact has this name"}},
		{name: "only forks", ref: packs, add: []fetchtest.Artifact{{Fork: true}, {Fork: true}}, rule: ruleUntrusted, says: []string{"2 made by a fork's run", `on branch "main"`}},
		{name: "only failed", ref: packs, add: []fetchtest.Artifact{{Conclusion: "failure"}}, rule: ruleUntrusted, says: []string{"1 of a run without success"}},
		{name: "not finished", ref: packs, add: []fetchtest.Artifact{{Status: "queued"}}, rule: ruleUntrusted, says: []string{"1 of a run that is not finished"}},
		{name: "another branch", ref: packs, add: []fetchtest.Artifact{{Branch: "topic"}}, rule: ruleUntrusted, says: []string{"1 of another branch", "?branch="}},
		{name: "another workflow", ref: with(func(r *GitHub) { r.Workflow = "x.yml" }), add: []fetchtest.Artifact{{}}, rule: ruleUntrusted, says: []string{"1 of another workflow", `in workflow "x.yml"`}},
		{name: "for others", ref: packs, add: []fetchtest.Artifact{{Event: "workflow_run"}}, rule: ruleUntrusted, says: []string{"pull requests of others", "?workflow="}},
		{name: "only expired", ref: packs, add: []fetchtest.Artifact{{Expired: true}, {Expired: true}}, rule: RuleExpired, says: []string{"2 expired (the newest on 2026-04-05T08:01:00Z)", "let CI build it again"}},
		{name: "unknown repository", ref: with(func(r *GitHub) { r.Repo = "nope" }), rule: RuleNotFound, says: []string{"ask for repository o/nope", "404 Not Found", "actions: read"}},
		{name: "unknown repository without token", ref: with(func(r *GitHub) { r.Repo = "nope" }), token: "none", rule: RuleNotFound, says: []string{"set GITHUB_TOKEN"}},
		{name: "wrong token", ref: packs, token: "wrong", rule: ruleToken, says: []string{"401 Unauthorized", `"Bad credentials"`, "set GITHUB_TOKEN to another token"}},
		{name: "broken token", ref: packs, token: "a\nb", rule: ruleToken, says: []string{"GITHUB_TOKEN", "characters that no token has"}},
		{name: "a token may not", ref: packs, fault: &fetchtest.Fault{Status: 403, Body: `{"message":"Resource not accessible by integration"}`}, rule: ruleToken, says: []string{"Resource not accessible", "actions: read", "GITHUB_TOKEN"}},
		{name: "rate limit without token", ref: packs, token: "none", fault: &fetchtest.Fault{Times: -1, Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0"}}, rule: ruleRateLimit, says: []string{"with a token the limit is higher"}},
		{name: "a web page", ref: packs, fault: &fetchtest.Fault{Status: 200, Body: "<html>login</html>"}, rule: ruleContent, says: []string{"a web page came"}},
		{name: "half a document", ref: packs, fault: &fetchtest.Fault{Status: 200, Body: `{"id":1`}, rule: ruleContent, says: []string{"not the JSON"}},
		{name: "no default branch", ref: packs, fault: &fetchtest.Fault{Status: 200, Body: `{}`}, rule: ruleContent, says: []string{"no default branch"}},
		{name: "unknown kind of digest", ref: packs, add: []fetchtest.Artifact{{Digest: "sha512:00"}}, rule: ruleContent, says: []string{"unknown kind"}},
		{name: "hostile owner", ref: with(func(r *GitHub) { r.Owner = "../.." }), rule: ruleAddress, says: []string{"gha://OWNER/REPO/ARTIFACT"}},
		{name: "hostile repository", ref: with(func(r *GitHub) { r.Repo = ".." }), rule: ruleAddress},
		{name: "a slash in the repository", ref: with(func(r *GitHub) { r.Repo = "a/b" }), rule: ruleAddress},
		{name: "no artifact", ref: with(func(r *GitHub) { r.Artifact = "" }), rule: ruleAddress},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fetchtest.NewGitHub(t)
			g.Repository("o/r", "main", false)
			for _, a := range tt.add {
				if a.Name == "" {
					a.Name = "packs"
				}
				g.Add("o/r", a)
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
			c, _ := testClient(env("GITHUB_API_URL", g.API.URL, "GITHUB_TOKEN", token))
			_, err := c.GitHub(t.Context(), tt.ref)
			wantError(t, err, tt.rule, tt.says...)
			if token != "" && strings.Contains(err.Error(), token) {
				t.Errorf("error holds the token: %v", err)
			}
		})
	}
}

func TestGitHubRunsNamedAreCheckedToo(t *testing.T) {
	for _, tt := range []struct {
		name string
		a    fetchtest.Artifact
		ref  func(*GitHub)
		rule string
		says string
	}{
		{"fork", fetchtest.Artifact{Fork: true}, nil, ruleUntrusted, "belongs to a fork"},
		{"failed", fetchtest.Artifact{Conclusion: "failure"}, nil, ruleUntrusted, `concluded with "failure"`},
		{"running", fetchtest.Artifact{Status: "in_progress"}, nil, ruleUntrusted, `is "in_progress"`},
		{"another branch", fetchtest.Artifact{}, func(r *GitHub) { r.Branch = "topic" }, ruleUntrusted, `of branch "main", not "topic"`},
		{"another workflow", fetchtest.Artifact{}, func(r *GitHub) { r.Workflow = "x.yml" }, ruleUntrusted, `not "x.yml"`},
		{"for others", fetchtest.Artifact{Event: "pull_request_target"}, nil, ruleUntrusted, "&workflow="},
		{"expired", fetchtest.Artifact{Expired: true}, nil, RuleExpired, "expired"},
		{"no such artifact", fetchtest.Artifact{Name: "x"}, nil, RuleNotFound, "no artifact has this name in run"},
		{"no such run", fetchtest.Artifact{}, func(r *GitHub) { r.Run = 1 }, RuleNotFound, "ask for run 1 of o/r"},
		{"another branch, none named", fetchtest.Artifact{Branch: "topic"}, nil, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := fetchtest.NewGitHub(t)
			if tt.a.Name == "" {
				tt.a.Name = "packs"
			}
			_, run := g.Add("o/r", tt.a)
			g.Add("o/r", fetchtest.Artifact{Name: "packs"}) // a newer one, of another run
			ref := with(func(r *GitHub) { r.Run = run })
			if tt.ref != nil {
				tt.ref(&ref)
			}
			c, _ := testClient(g.Getenv)
			r, err := c.GitHub(t.Context(), ref)
			if tt.rule == "" {
				if err != nil || r.Run.ID != run {
					t.Errorf("%+v, %v", r, err)
				}
				return
			}
			wantError(t, err, tt.rule, tt.says)
		})
	}
}

// Anybody can fork a repository and let its workflow upload artifacts of any
// name; thousands of them neither win nor cost a request each.
func TestForkPoisoning(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	good, _ := g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("good")})
	for range 300 {
		g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("evil"), Fork: true})
	}
	c, _ := testClient(g.Getenv)
	r, err := c.GitHub(t.Context(), packs)
	if err != nil || r.Run.Artifact != good {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := len(g.API.Requests()); n != 1+4+1 {
		t.Errorf("%d requests, want one for the repository, four for pages, one for the run", n)
	}
}

// A listing that claims a run for the repository is not believed: the run says
// itself where it comes from.
func TestForkPoisoningWithALyingListing(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	_, run := g.Add("o/r", fetchtest.Artifact{Name: "packs", Fork: true})
	g.API.Spoil(fetchtest.Fault{Path: "/actions/artifacts", Status: 200, Body: fmt.Sprintf(
		`{"artifacts":[{"id":5,"name":"packs","workflow_run":{"id":%d,"repository_id":7,"head_repository_id":7,"head_branch":"main"}}]}`, run)})
	c, _ := testClient(g.Getenv)
	_, err := c.GitHub(t.Context(), with(func(r *GitHub) { r.Branch = "main" }))
	wantError(t, err, ruleUntrusted, "1 made by a fork's run")
}

func TestGitHubListingsAreBounded(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	for range 20 {
		g.Add("o/r", fetchtest.Artifact{Name: "packs", Conclusion: "failure"})
	}
	g.PageSize = 1
	c, _ := testClient(g.Getenv, func(o *Options) { o.Limits.Pages = 5; o.Limits.Candidates = 3 })
	_, err := c.GitHub(t.Context(), packs)
	wantError(t, err, ruleUntrusted, "3 of a run without success")
	if n := len(g.API.Requests()); n != 1+5+3 {
		t.Errorf("%d requests", n)
	}
}

func TestGitHubPagesStayOnTheirHost(t *testing.T) {
	other := tagged(t, []byte(`{"artifacts":[]}`), "")
	for name, link := range map[string]string{
		"another host": "<" + other.URL + `/x>; rel="next"`,
		"a user":       `<http://u:p@127.0.0.1/x>; rel="next"`,
	} {
		t.Run(name, func(t *testing.T) {
			g := fetchtest.NewGitHub(t)
			g.API.Spoil(fetchtest.Fault{Path: "/actions/artifacts", Status: 200, Body: `{"artifacts":[{"id":1,"name":"x"}]}`, Header: map[string]string{"Link": link}})
			g.Repository("o/r", "main", false)
			c, _ := testClient(g.Getenv)
			_, err := c.GitHub(t.Context(), packs)
			wantError(t, err, ruleRedirect, "the server names as the next page")
			if len(other.Requests()) != 0 {
				t.Error("the other host was asked")
			}
		})
	}
}

func TestGitHubAnswersAboutSomethingElse(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs"})
	g.API.Spoil(fetchtest.Fault{Path: "/actions/runs/", Status: 200, Body: `{"id":1}`})
	c, _ := testClient(g.Getenv)
	_, err := c.GitHub(t.Context(), packs)
	wantError(t, err, ruleContent, "the answer is about run 1")
}

func TestGitHubDownloadNeedsAToken(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs"})
	c, _ := testClient(env("GITHUB_API_URL", g.API.URL))
	r, err := c.GitHub(t.Context(), packs)
	oktest.Check(t, err)
	_, _, err = c.testDownload(t, r)
	wantError(t, err, ruleToken, "401 Unauthorized", "set GITHUB_TOKEN; artifacts need a token even in public repositories")
}

func TestGitHubExpiresBetweenFindingAndDownloading(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	id, _ := g.Add("o/r", fetchtest.Artifact{Name: "packs", Expired: true})
	c, _ := testClient(g.Getenv)
	_, _, err := c.testDownload(t, Resolved{Source: SourceGitHub, Name: "packs", URL: fmt.Sprintf("%s/repos/o/r/actions/artifacts/%d/zip", g.API.URL, id)})
	e := wantError(t, err, RuleExpired, "410 Gone", "Artifact has expired")
	if e.Status != http.StatusGone {
		t.Error(e.Status)
	}
}

func TestGitHubDigestIsVerified(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("x"), Digest: sha([]byte("y"))})
	g.Add("o/none", fetchtest.Artifact{Name: "packs", Data: []byte("x"), Digest: "none"})
	c, _ := testClient(g.Getenv)
	r, err := c.GitHub(t.Context(), packs)
	oktest.Check(t, err)
	_, _, err = c.testDownload(t, r)
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || mismatch.Want != sha([]byte("y")) || mismatch.Got != sha([]byte("x")) {
		t.Errorf("error %v", err)
	}
	r, err = c.GitHub(t.Context(), with(func(r *GitHub) { r.Repo = "none" }))
	if err != nil || r.Digest != "" {
		t.Fatal(r, err)
	}
	if _, digest, err := c.testDownload(t, r); err != nil || digest != sha([]byte("x")) {
		t.Error(digest, err)
	}
}

func TestGitHubOtherHostRefuses(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs"})
	g.Blobs.Spoil(fetchtest.Fault{Status: 403, Body: "<Error>AuthenticationFailed</Error>"})
	c, _ := testClient(g.Getenv)
	r, err := c.GitHub(t.Context(), packs)
	oktest.Check(t, err)
	_, _, err = c.testDownload(t, r)
	wantError(t, err, ruleToken, g.Blobs.URL+"/blob/o/r/", "403 Forbidden")
	if strings.Contains(err.Error(), "GITHUB_TOKEN") || strings.Contains(err.Error(), "secret-signature") {
		t.Errorf("error %v", err)
	}
}

// The time of creation decides, not the number.
func TestGitHubNewestIsByTime(t *testing.T) {
	g := fetchtest.NewGitHub(t)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want, _ := g.Add("o/r", fetchtest.Artifact{Name: "packs", Created: at.Add(time.Hour)})
	g.Add("o/r", fetchtest.Artifact{Name: "packs", Created: at})
	c, _ := testClient(g.Getenv)
	r, err := c.GitHub(t.Context(), packs)
	if err != nil || r.Run.Artifact != want {
		t.Errorf("%+v, %v", r.Run, err)
	}
}

func TestEnterpriseAddresses(t *testing.T) {
	for address, rule := range map[string]string{
		"http://ghe.example.com/api/v3": ruleAddress,
		"ghe.example.com":               ruleAddress,
		"file:///x":                     ruleAddress,
	} {
		c, _ := testClient(env("GITHUB_API_URL", address, "GITHUB_TOKEN", "t0ken"))
		_, err := c.GitHub(t.Context(), packs)
		wantError(t, err, rule, "use GITHUB_API_URL")
	}
	g := fetchtest.NewGitHub(t)
	g.Add("o/r", fetchtest.Artifact{Name: "packs"})
	s := fetchtest.NewServer(t, http.StripPrefix("/api/v3", g.API))
	c, _ := testClient(env("GITHUB_API_URL", s.URL+"/api/v3/", "GH_TOKEN", g.Token))
	r, err := c.GitHub(t.Context(), packs)
	if err != nil || !strings.HasPrefix(r.URL, s.URL+"/api/v3/repos/o/r/") {
		t.Errorf("%+v, %v", r, err)
	}
}
