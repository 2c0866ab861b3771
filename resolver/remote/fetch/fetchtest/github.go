package fetchtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// GitHub stands in for api.github.com and the host that its artifacts are
// downloaded from.
type GitHub struct {
	API   *Server // GITHUB_API_URL
	Blobs *Server // refuses requests that carry a token, as the real one does

	Token       string // downloads need it; "github-token" at first
	PageSize    int    // most entries of a page; 100 at first
	OldestFirst bool   // turns the order of listings round

	mu           sync.Mutex
	repositories map[string]*repository // by lower-case owner/name
	last         int64                  // id given out
}

// Artifact is one artifact with its run. The zero value of a field means what its
// comment gives.
type Artifact struct {
	Name         string
	Data         []byte
	Branch       string // main
	Workflow     string // .github/workflows/ci.yml
	WorkflowName string // CI
	Event        string // push
	Status       string // completed
	Conclusion   string // success
	Commit       string // 40 digits
	Fork         bool   // the run belongs to a fork
	Expired      bool
	Digest       string // the right one; "none" leaves it out
	Run          int64  // a new run; otherwise the run with this id, new or not
	Created      time.Time
}

type repository struct {
	id      int64
	name    string // owner/name
	branch  string
	private bool
	runs    map[int64]*Artifact // the first artifact of each run describes it
	all     []*stored           // in order of creation
}

type stored struct {
	Artifact
	id int64
}

// NewGitHub starts both servers. They end with the test.
func NewGitHub(t testing.TB) *GitHub {
	t.Helper()
	g := &GitHub{Token: "github-token", PageSize: 100, repositories: map[string]*repository{}, last: 1000}
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, *repository){
		"/repos/{owner}/{repo}":                                 g.repository,
		"/repos/{owner}/{repo}/actions/artifacts":               g.list,
		"/repos/{owner}/{repo}/actions/artifacts/{id}":          g.artifact,
		"/repos/{owner}/{repo}/actions/artifacts/{id}/{format}": g.download,
		"/repos/{owner}/{repo}/actions/runs/{id}":               g.run,
		"/repos/{owner}/{repo}/actions/runs/{id}/artifacts":     g.list,
	} {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, handle) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { g.fail(w, http.StatusNotFound, "Not Found") })
	g.API = NewServer(t, mux)
	blobs := http.NewServeMux()
	blobs.HandleFunc("GET /blob/{owner}/{repo}/{id}", g.blob)
	g.Blobs = NewServer(t, blobs)
	return g
}

// Getenv is an environment with the stand-in's address and token.
func (g *GitHub) Getenv(name string) string {
	switch name {
	case "GITHUB_API_URL":
		return g.API.URL
	case "GITHUB_TOKEN":
		return g.Token
	}
	return ""
}

// Repository makes a repository, or changes one. Add makes public ones with the
// default branch main by itself.
func (g *GitHub) Repository(name, defaultBranch string, private bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	repo := g.repo(name)
	repo.branch, repo.private = defaultBranch, private
}

// repo returns a repository, made when it is new.
func (g *GitHub) repo(name string) *repository {
	key := strings.ToLower(name)
	if g.repositories[key] == nil {
		g.last++
		g.repositories[key] = &repository{id: g.last, name: name, branch: "main", runs: map[int64]*Artifact{}}
	}
	return g.repositories[key]
}

// Add adds an artifact, newer than those before it, and returns its id and that
// of its run.
func (g *GitHub) Add(name string, a Artifact) (artifact, run int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	repo := g.repo(name)
	if a.Run == 0 {
		g.last++
		a.Run = g.last
	}
	g.last++
	a.Branch = cmp.Or(a.Branch, "main")
	a.Workflow = cmp.Or(a.Workflow, ".github/workflows/ci.yml")
	a.WorkflowName = cmp.Or(a.WorkflowName, "CI")
	a.Event = cmp.Or(a.Event, "push")
	a.Status = cmp.Or(a.Status, "completed")
	a.Conclusion = cmp.Or(a.Conclusion, "success")
	a.Commit = cmp.Or(a.Commit, fmt.Sprintf("%040x", a.Run))
	a.Digest = cmp.Or(a.Digest, digest(a.Data))
	if a.Created.IsZero() {
		a.Created = firstTime.Add(time.Duration(len(repo.all)) * time.Minute)
	}
	repo.all = append(repo.all, &stored{a, g.last})
	if repo.runs[a.Run] == nil {
		repo.runs[a.Run] = &a
	}
	return g.last, a.Run
}

func (g *GitHub) fail(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

// serve checks the token and finds the repository.
func (g *GitHub) serve(w http.ResponseWriter, r *http.Request, handle func(http.ResponseWriter, *http.Request, *repository)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	given := r.Header.Get("Authorization")
	if given != "" && given != "Bearer "+g.Token {
		g.fail(w, http.StatusUnauthorized, "Bad credentials")
		return
	}
	repo := g.repositories[strings.ToLower(r.PathValue("owner")+"/"+r.PathValue("repo"))]
	if repo == nil || repo.private && given == "" {
		g.fail(w, http.StatusNotFound, "Not Found")
		return
	}
	handle(w, r, repo)
}

func (g *GitHub) repository(w http.ResponseWriter, _ *http.Request, repo *repository) {
	writeJSON(w, http.StatusOK, map[string]any{
		"id": repo.id, "full_name": repo.name, "private": repo.private, "fork": false, "default_branch": repo.branch,
		"url": g.API.URL + "/repos/" + repo.name,
	})
}

// list answers for a repository and for a run.
func (g *GitHub) list(w http.ResponseWriter, r *http.Request, repo *repository) {
	var fitting []*stored
	for _, a := range repo.all {
		name := r.URL.Query().Get("name")
		run := r.PathValue("id")
		if (name == "" || name == a.Name) && (run == "" || run == strconv.FormatInt(a.Run, 10)) {
			fitting = append(fitting, a)
		}
	}
	if !g.OldestFirst {
		slices.Reverse(fitting)
	}
	from, to := page(w, r, g.API.URL, len(fitting), g.PageSize)
	artifacts := []map[string]any{}
	for _, a := range fitting[from:to] {
		artifacts = append(artifacts, g.describe(repo, a))
	}
	writeJSON(w, http.StatusOK, map[string]any{"total_count": len(fitting), "artifacts": artifacts})
}

// describe is an artifact as the API shows it.
func (g *GitHub) describe(repo *repository, a *stored) map[string]any {
	at := fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", g.API.URL, repo.name, a.id)
	shown := map[string]any{
		"id": a.id, "node_id": fmt.Sprintf("MDg6QXJ0aWZhY3Q%d", a.id), "name": a.Name, "size_in_bytes": len(a.Data),
		"url": at, "archive_download_url": at + "/zip", "expired": a.Expired,
		"created_at": a.Created.Format(time.RFC3339), "updated_at": a.Created.Format(time.RFC3339),
		"expires_at": a.Created.AddDate(0, 0, 90).Format(time.RFC3339),
		"workflow_run": map[string]any{
			"id": a.Run, "repository_id": repo.id, "head_repository_id": repo.head(&a.Artifact),
			"head_branch": a.Branch, "head_sha": a.Commit,
		},
	}
	if a.Digest != "none" {
		shown["digest"] = a.Digest
	}
	return shown
}

// head is the id of the repository that a run's commit comes from.
func (repo *repository) head(a *Artifact) int64 {
	if a.Fork {
		return repo.id + 1_000_000
	}
	return repo.id
}

func (g *GitHub) run(w http.ResponseWriter, r *http.Request, repo *repository) {
	id, _ := strconv.ParseInt(r.PathValue("id"), 10, 64)
	a := repo.runs[id]
	if a == nil {
		g.fail(w, http.StatusNotFound, "Not Found")
		return
	}
	conclusion := any(a.Conclusion)
	if a.Status != "completed" {
		conclusion = nil
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": id, "name": a.WorkflowName, "path": a.Workflow, "display_title": "a commit", "event": a.Event,
		"status": a.Status, "conclusion": conclusion, "head_branch": a.Branch, "head_sha": a.Commit,
		"run_number": 1, "run_attempt": 1, "workflow_id": 7,
		"html_url":        fmt.Sprintf("https://github.com/%s/actions/runs/%d", repo.name, id),
		"repository":      map[string]any{"id": repo.id, "full_name": repo.name, "fork": false},
		"head_repository": map[string]any{"id": repo.head(a), "fork": a.Fork},
	})
}

// find returns the artifact that a request names.
func (repo *repository) find(r *http.Request) *stored {
	for _, a := range repo.all {
		if strconv.FormatInt(a.id, 10) == r.PathValue("id") {
			return a
		}
	}
	return nil
}

func (g *GitHub) artifact(w http.ResponseWriter, r *http.Request, repo *repository) {
	if a := repo.find(r); a != nil {
		writeJSON(w, http.StatusOK, g.describe(repo, a))
		return
	}
	g.fail(w, http.StatusNotFound, "Not Found")
}

// download redirects to the other host. A token is needed for public
// repositories too.
func (g *GitHub) download(w http.ResponseWriter, r *http.Request, repo *repository) {
	a := repo.find(r)
	switch {
	case r.Header.Get("Authorization") == "":
		g.fail(w, http.StatusUnauthorized, "Requires authentication")
	case a == nil, r.PathValue("format") != "zip":
		g.fail(w, http.StatusNotFound, "Not Found")
	case a.Expired:
		g.fail(w, http.StatusGone, "Artifact has expired")
	default:
		w.Header().Set("Location", fmt.Sprintf("%s/blob/%s/%d?sig=secret-signature", g.Blobs.URL, repo.name, a.id))
		w.WriteHeader(http.StatusFound)
	}
}

// blob is the other host: a signed address, and no token beside it.
func (g *GitHub) blob(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	repo := g.repositories[strings.ToLower(r.PathValue("owner")+"/"+r.PathValue("repo"))]
	g.mu.Unlock()
	if repo == nil || r.URL.Query().Get("sig") == "" {
		http.Error(w, "AuthenticationFailed", http.StatusForbidden)
		return
	}
	if r.Header.Get("Authorization") != "" {
		http.Error(w, "InvalidAuthenticationInfo", http.StatusBadRequest)
		return
	}
	a := repo.find(r)
	if a == nil {
		http.NotFound(w, r)
		return
	}
	serveBytes(w, r, a.Name+".zip", a.Data)
}
