package fetchtest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Forge stands in for the API of GitHub or of GitLab, and for the host that artifacts are
// downloaded from.
type Forge struct {
	API   *Server // GITHUB_API_URL; CI_API_V4_URL without /api/v4
	Blobs *Server // GitHub's refuses requests that carry a token, as the real one does

	Token       string // "github-token" or "gitlab-token" at first
	PageSize    int    // most entries of a page; 100 at first
	OldestFirst bool   // GitHub turns the order of listings round
	IsJobToken  bool   // Token is GitLab's CI_JOB_TOKEN, which may not list pipelines and jobs

	isGitLab bool
	mu       sync.Mutex
	projects map[string]*project // by lower-case path
	last     int64               // id given out
}

// Artifact is one artifact with its run, or on GitLab one job with its pipeline. The zero
// value of a field means what its comment gives.
type Artifact struct {
	Name         string
	Data         []byte // nil means that a job has no artifacts
	Branch       string // main
	Workflow     string // .github/workflows/ci.yml
	WorkflowName string // CI
	Event        string // push: how the run was started
	Status       string // completed; success of a job
	Conclusion   string // success, of the run
	Fork         bool   // the run belongs to a fork
	Expired      bool   // GitLab has deleted the data
	ExpireAt     string // null; when a job's artifacts expire
	Digest       string // the right one; "none" leaves it out
	Run          int64  // a new run; otherwise the run with this id, new or not
	Created      time.Time

	id int64
}

func (a *Artifact) commit() string { return fmt.Sprintf("%040x", a.Run) }

type project struct {
	id      int64
	name    string // owner/name
	branch  string
	private bool
	all     []*Artifact // in order of creation
}

// handler answers with what is written as JSON, a location to redirect to, or nil for what
// is not found.
type handler func(f *Forge, w http.ResponseWriter, r *http.Request, p *project) any

type location string

var errExpired = errors.New("Artifact has expired") // in the words of GitHub

// The paths that are answered, below that of a project.
var (
	gitHubRoutes = map[string]handler{
		"": (*Forge).repository, "/actions/artifacts": (*Forge).artifacts, "/actions/artifacts/{id}": (*Forge).artifact,
		"/actions/artifacts/{id}/zip": (*Forge).download, "/actions/runs/{run}": (*Forge).run, "/actions/runs/{run}/artifacts": (*Forge).artifacts,
	}
	gitLabRoutes = map[string]handler{
		"": (*Forge).repository, "/pipelines": (*Forge).pipelines, "/pipelines/{run}/jobs": (*Forge).jobs,
		"/jobs/{id}": (*Forge).artifact, "/jobs/{id}/artifacts": (*Forge).download, "/jobs/artifacts/{ref}/download": (*Forge).download,
	}
)

// NewGitHub starts both servers. They end with the test.
func NewGitHub(t testing.TB) *Forge {
	t.Helper()
	return newForge(t, &Forge{Token: "github-token", last: 1000}, "/repos/{owner}/{repo}", gitHubRoutes)
}

// NewGitLab starts both servers. They end with the test.
func NewGitLab(t testing.TB) *Forge {
	t.Helper()
	return newForge(t, &Forge{Token: "gitlab-token", last: 2000, isGitLab: true}, "/api/v4/projects/{repo}", gitLabRoutes)
}

func newForge(t testing.TB, f *Forge, base string, routes map[string]handler) *Forge {
	t.Helper()
	f.PageSize, f.projects = 100, map[string]*project{}
	mux := http.NewServeMux()
	for path, handle := range routes {
		isListing := f.isGitLab && !strings.Contains(path, "artifacts")
		mux.HandleFunc("GET "+base+path, func(w http.ResponseWriter, r *http.Request) { f.serve(w, r, isListing, handle) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { f.fail(w, http.StatusNotFound, "Not Found") })
	f.API = NewServer(t, mux)
	blobs := http.NewServeMux()
	blobs.HandleFunc("GET /blob/{owner}/{repo}/{id}", f.blob)
	f.Blobs = NewServer(t, blobs)
	return f
}

// Getenv is an environment with the stand-in's address and token.
func (f *Forge) Getenv(name string) string {
	switch {
	case name == "GITHUB_API_URL" && !f.isGitLab:
		return f.API.URL
	case name == "CI_API_V4_URL" && f.isGitLab:
		return f.API.URL + "/api/v4"
	case name == "GITHUB_TOKEN" && !f.isGitLab, name == "GITLAB_TOKEN" && f.isGitLab && !f.IsJobToken, name == "CI_JOB_TOKEN" && f.IsJobToken:
		return f.Token
	}
	return ""
}

// Repository makes a repository, or changes one. Add makes public ones with the
// default branch main by itself.
func (f *Forge) Repository(name, defaultBranch string, private bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.project(name)
	p.branch, p.private = defaultBranch, private
}

// project returns a repository, made when it is new.
func (f *Forge) project(name string) *project {
	key := strings.ToLower(name)
	if f.projects[key] == nil {
		f.last++
		f.projects[key] = &project{id: f.last, name: name, branch: "main"}
	}
	return f.projects[key]
}

// Add adds an artifact or a job, newer than those before it, and returns its id and that
// of its run.
func (f *Forge) Add(name string, a Artifact) (artifact, run int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.project(name)
	if a.Run == 0 {
		f.last++
		a.Run = f.last
	}
	f.last++
	a.id = f.last
	a.Branch = cmp.Or(a.Branch, "main")
	a.Workflow = cmp.Or(a.Workflow, ".github/workflows/ci.yml")
	a.WorkflowName = cmp.Or(a.WorkflowName, "CI")
	a.Event = cmp.Or(a.Event, "push")
	if f.isGitLab {
		a.Status = cmp.Or(a.Status, "success")
	}
	a.Status = cmp.Or(a.Status, "completed")
	a.Conclusion = cmp.Or(a.Conclusion, "success")
	a.Digest = cmp.Or(a.Digest, digest(a.Data))
	if a.Created.IsZero() {
		a.Created = firstTime.Add(time.Duration(len(p.all)) * time.Minute)
	}
	p.all = append(p.all, &a)
	return a.id, a.Run
}

func (f *Forge) fail(w http.ResponseWriter, status int, message string) {
	if f.isGitLab {
		message = fmt.Sprintf("%d %s", status, message)
	}
	writeJSON(w, status, map[string]string{"message": message})
}

// serve checks the token and finds the repository. Without a right to see it, it is not
// found. GitHub wants a token for downloads from public ones too.
func (f *Forge) serve(w http.ResponseWriter, r *http.Request, isListing bool, handle handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	jobToken := r.Header.Get("Job-Token")
	given, right := r.Header.Get("Authorization"), "Bearer "+f.Token
	if f.isGitLab {
		given, right = r.Header.Get("Private-Token")+jobToken, f.Token
	}
	p := f.projects[strings.ToLower(strings.TrimPrefix(r.PathValue("owner")+"/"+r.PathValue("repo"), "/"))]
	switch {
	case given != "" && (given != right || (jobToken != "") != f.IsJobToken):
		f.fail(w, http.StatusUnauthorized, "Bad credentials")
		return
	case p == nil, p.private && given == "":
		f.fail(w, http.StatusNotFound, "Project Not Found")
		return
	case isListing && jobToken != "":
		f.fail(w, http.StatusForbidden, "Forbidden")
		return
	case !f.isGitLab && given == "" && strings.HasSuffix(r.URL.Path, "/zip"):
		f.fail(w, http.StatusUnauthorized, "Requires authentication")
		return
	}
	switch answer := handle(f, w, r, p).(type) {
	case nil:
		f.fail(w, http.StatusNotFound, "Not Found")
	case error:
		f.fail(w, http.StatusGone, answer.Error())
	case location:
		w.Header().Set("Location", string(answer))
		w.WriteHeader(http.StatusFound)
	default:
		writeJSON(w, http.StatusOK, answer)
	}
}

func (f *Forge) repository(_ http.ResponseWriter, _ *http.Request, p *project) any {
	return map[string]any{
		"id": p.id, "full_name": p.name, "path_with_namespace": p.name, "private": p.private, "fork": false,
		"default_branch": p.branch, "url": f.API.URL + "/repos/" + p.name,
	}
}

// list is a page of the artifacts that fit, and how many there are.
func (f *Forge) list(w http.ResponseWriter, r *http.Request, p *project, oldestFirst bool, fits func(*Artifact) bool, show func(*project, *Artifact) map[string]any) (shown []map[string]any, total int) {
	fitting := slices.DeleteFunc(slices.Clone(p.all), func(a *Artifact) bool { return !fits(a) })
	if !oldestFirst {
		slices.Reverse(fitting)
	}
	from, to := page(w, r, f.API.URL, len(fitting), f.PageSize)
	shown = []map[string]any{}
	for _, a := range fitting[from:to] {
		shown = append(shown, show(p, a))
	}
	return shown, len(fitting)
}

// isOrAny reports that a value is the one asked for, where one is asked for.
func isOrAny(asked, value string) bool { return asked == "" || asked == value }

// artifacts answers for a repository and for a run.
func (f *Forge) artifacts(w http.ResponseWriter, r *http.Request, p *project) any {
	list, total := f.list(w, r, p, f.OldestFirst, func(a *Artifact) bool {
		return isOrAny(r.URL.Query().Get("name"), a.Name) && isOrAny(r.PathValue("run"), fmt.Sprint(a.Run))
	}, f.describe)
	return map[string]any{"total_count": total, "artifacts": list}
}

func (f *Forge) pipelines(w http.ResponseWriter, r *http.Request, p *project) any {
	query := r.URL.Query()
	list, _ := f.list(w, r, p, query.Get("sort") == "asc", func(a *Artifact) bool {
		return p.first(fmt.Sprint(a.Run)) == a && isOrAny(query.Get("ref"), a.Branch) && isOrAny(query.Get("status"), a.Conclusion)
	}, describePipeline)
	return list
}

func (f *Forge) jobs(w http.ResponseWriter, r *http.Request, p *project) any {
	scope := r.URL.Query()["scope[]"]
	list, _ := f.list(w, r, p, false, func(a *Artifact) bool {
		return r.PathValue("run") == fmt.Sprint(a.Run) && (scope == nil || slices.Contains(scope, a.Status))
	}, f.describe)
	return list
}

// describe is an artifact or a job as the API shows it.
func (f *Forge) describe(p *project, a *Artifact) map[string]any {
	if f.isGitLab {
		return describeJob(p, a)
	}
	at := fmt.Sprintf("%s/repos/%s/actions/artifacts/%d", f.API.URL, p.name, a.id)
	shown := map[string]any{
		"id": a.id, "node_id": fmt.Sprintf("MDg6QXJ0aWZhY3Q%d", a.id), "name": a.Name, "size_in_bytes": len(a.Data),
		"url": at, "archive_download_url": at + "/zip", "expired": a.Expired,
		"created_at": a.Created.Format(time.RFC3339), "updated_at": a.Created.Format(time.RFC3339),
		"expires_at": a.Created.AddDate(0, 0, 90).Format(time.RFC3339),
		"workflow_run": map[string]any{
			"id": a.Run, "repository_id": p.id, "head_repository_id": p.head(a), "head_branch": a.Branch, "head_sha": a.commit(),
		},
	}
	if a.Digest != "none" {
		shown["digest"] = a.Digest
	}
	return shown
}

func describeJob(p *project, a *Artifact) map[string]any {
	shown := map[string]any{
		"id": a.id, "name": a.Name, "status": a.Status, "stage": "build", "ref": a.Branch, "tag": false,
		"web_url":  fmt.Sprintf("https://gitlab.example/%s/-/jobs/%d", p.name, a.id),
		"pipeline": describePipeline(p, p.first(fmt.Sprint(a.Run))), "artifacts_expire_at": nil,
	}
	if a.ExpireAt != "" {
		shown["artifacts_expire_at"] = a.ExpireAt
	}
	if a.Data != nil && !a.Expired {
		shown["artifacts_file"] = map[string]any{"filename": "artifacts.zip", "size": len(a.Data)}
	}
	return shown
}

func describePipeline(p *project, a *Artifact) map[string]any {
	return map[string]any{
		"id": a.Run, "iid": 1, "project_id": p.id, "sha": a.commit(), "ref": a.Branch, "status": a.Conclusion, "source": a.Event,
		"web_url": fmt.Sprintf("https://gitlab.example/%s/-/pipelines/%d", p.name, a.Run),
	}
}

// head is the id of the repository that a run's commit comes from.
func (p *project) head(a *Artifact) int64 {
	if a.Fork {
		return p.id + 1_000_000
	}
	return p.id
}

// first returns the first artifact of a run, which describes it; nil when there is none.
func (p *project) first(run string) *Artifact {
	return p.find(func(a *Artifact) bool { return fmt.Sprint(a.Run) == run })
}

// find returns the first artifact that fits.
func (p *project) find(fits func(*Artifact) bool) *Artifact {
	if i := slices.IndexFunc(p.all, fits); i >= 0 {
		return p.all[i]
	}
	return nil
}

// named returns the artifact that a request names by its id, nil when there is none.
func (p *project) named(r *http.Request) *Artifact {
	return p.find(func(a *Artifact) bool { return fmt.Sprint(a.id) == r.PathValue("id") })
}

func (f *Forge) run(_ http.ResponseWriter, r *http.Request, p *project) any {
	a := p.first(r.PathValue("run"))
	if a == nil {
		return nil
	}
	conclusion := any(a.Conclusion)
	if a.Status != "completed" {
		conclusion = nil
	}
	return map[string]any{
		"id": a.Run, "name": a.WorkflowName, "path": a.Workflow, "display_title": "a commit", "event": a.Event,
		"status": a.Status, "conclusion": conclusion, "head_branch": a.Branch, "head_sha": a.commit(),
		"run_number": 1, "run_attempt": 1, "workflow_id": 7,
		"html_url":        fmt.Sprintf("https://github.com/%s/actions/runs/%d", p.name, a.Run),
		"repository":      map[string]any{"id": p.id, "full_name": p.name, "fork": false},
		"head_repository": map[string]any{"id": p.head(a), "fork": a.Fork},
	}
}

func (f *Forge) artifact(_ http.ResponseWriter, r *http.Request, p *project) any {
	if a := p.named(r); a != nil {
		return f.describe(p, a)
	}
	return nil
}

// download redirects to the other host. Of a branch GitLab takes the job of the newest
// successful pipeline.
func (f *Forge) download(_ http.ResponseWriter, r *http.Request, p *project) any {
	a := p.named(r)
	for _, job := range slices.Backward(p.all) {
		run := p.first(fmt.Sprint(job.Run))
		if job.Name == r.URL.Query().Get("job") && job.Status == "success" && run.Branch == r.PathValue("ref") && run.Conclusion == "success" {
			a = job
			break
		}
	}
	switch {
	case a == nil, f.isGitLab && (a.Data == nil || a.Expired):
		return nil
	case a.Expired:
		return errExpired
	}
	owner, name, _ := strings.Cut(p.name, "/")
	return location(fmt.Sprintf("%s/blob/%s/%s/%d?sig=secret-signature", f.Blobs.URL, owner, strings.ReplaceAll(name, "/", "%2F"), a.id))
}

// blob is the other host: a signed address, and no token beside it.
func (f *Forge) blob(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	p := f.projects[strings.ToLower(r.PathValue("owner")+"/"+r.PathValue("repo"))]
	f.mu.Unlock()
	switch {
	case p == nil || r.URL.Query().Get("sig") == "":
		http.Error(w, "AuthenticationFailed", http.StatusForbidden)
	case r.Header.Get("Authorization") != "":
		http.Error(w, "InvalidAuthenticationInfo", http.StatusBadRequest)
	case p.named(r) == nil:
		http.NotFound(w, r)
	default:
		serveBytes(w, r, p.named(r).Name+".zip", p.named(r).Data)
	}
}
