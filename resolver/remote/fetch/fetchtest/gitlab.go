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
)

// GitLab stands in for a GitLab host and the object storage that it uses.
type GitLab struct {
	API     *Server // CI_API_V4_URL is API.URL + "/api/v4"
	Storage *Server // where downloads are redirected to

	Token      string // "gitlab-token" at first
	IsJobToken bool   // Token is a CI_JOB_TOKEN, which may not list pipelines and jobs
	PageSize   int    // most entries of a page; 100 at first

	mu       sync.Mutex
	projects map[string]*project
	last     int64
}

// Job is one job with its pipeline. The zero value of a field means what its comment gives.
type Job struct {
	Name           string
	Data           []byte // the artifacts archive; nil means that the job has none
	Ref            string // main
	Status         string // success
	PipelineStatus string // success
	Source         string // push: how the pipeline was started
	Pipeline       int64  // a new pipeline; otherwise the pipeline with this id, new or not
	ExpireAt       string // null; an RFC 3339 time
	Gone           bool   // the artifacts have expired and were deleted
}

type project struct {
	id        int64
	path      string
	branch    string
	private   bool
	pipelines []*Job // the first job of each pipeline describes it, oldest first
	jobs      []*storedJob
}

type storedJob struct {
	Job
	id int64
}

// NewGitLab starts both servers. They end with the test.
func NewGitLab(t testing.TB) *GitLab {
	t.Helper()
	g := &GitLab{Token: "gitlab-token", PageSize: 100, projects: map[string]*project{}, last: 2000}
	mux := http.NewServeMux()
	for pattern, handle := range map[string]func(http.ResponseWriter, *http.Request, *project){
		"":                               g.project,
		"/pipelines":                     g.pipelines,
		"/pipelines/{pipeline}/jobs":     g.jobs,
		"/jobs/{job}":                    g.job,
		"/jobs/{job}/artifacts":          g.download,
		"/jobs/artifacts/{ref}/download": g.downloadByRef,
	} {
		listing := !strings.Contains(pattern, "artifacts")
		mux.HandleFunc("GET /api/v4/projects/{project}"+pattern, func(w http.ResponseWriter, r *http.Request) { g.serve(w, r, listing, handle) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { g.fail(w, http.StatusNotFound, "404 Not Found") })
	g.API = NewServer(t, mux)
	storage := http.NewServeMux()
	storage.HandleFunc("GET /artifacts/{project}/{job}", g.stored)
	g.Storage = NewServer(t, storage)
	return g
}

// Getenv is an environment with the stand-in's address and token.
func (g *GitLab) Getenv(name string) string {
	switch {
	case name == "CI_API_V4_URL":
		return g.API.URL + "/api/v4"
	case name == "GITLAB_TOKEN" && !g.IsJobToken, name == "CI_JOB_TOKEN" && g.IsJobToken:
		return g.Token
	}
	return ""
}

// Project makes a project, or changes one. Add makes public ones with the
// default branch main by itself.
func (g *GitLab) Project(path, defaultBranch string, private bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.find(path)
	p.branch, p.private = defaultBranch, private
}

func (g *GitLab) find(path string) *project {
	if g.projects[path] == nil {
		g.last++
		g.projects[path] = &project{id: g.last, path: path, branch: "main"}
	}
	return g.projects[path]
}

// Add adds a job, newer than those before it, and returns its id and that of
// its pipeline.
func (g *GitLab) Add(path string, j Job) (job, pipeline int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.find(path)
	if j.Pipeline == 0 {
		g.last++
		j.Pipeline = g.last
	}
	g.last++
	j.Ref = cmp.Or(j.Ref, "main")
	j.Status = cmp.Or(j.Status, "success")
	j.PipelineStatus = cmp.Or(j.PipelineStatus, "success")
	j.Source = cmp.Or(j.Source, "push")
	p.jobs = append(p.jobs, &storedJob{j, g.last})
	if p.pipeline(j.Pipeline) == nil {
		p.pipelines = append(p.pipelines, &j)
	}
	return g.last, j.Pipeline
}

func (p *project) pipeline(id int64) *Job {
	for _, j := range p.pipelines {
		if j.Pipeline == id {
			return j
		}
	}
	return nil
}

func (g *GitLab) fail(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"message": message})
}

// serve checks the token and finds the project. Without a right to see it, a
// project is not found.
func (g *GitLab) serve(w http.ResponseWriter, r *http.Request, listing bool, handle func(http.ResponseWriter, *http.Request, *project)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	private, job := r.Header.Get("Private-Token"), r.Header.Get("Job-Token")
	right := g.Token
	if g.IsJobToken && private != "" || !g.IsJobToken && job != "" || private+job != "" && private+job != right {
		g.fail(w, http.StatusUnauthorized, "401 Unauthorized")
		return
	}
	p := g.projects[r.PathValue("project")]
	switch {
	case p == nil, p.private && private+job == "":
		g.fail(w, http.StatusNotFound, "404 Project Not Found")
	case listing && job != "":
		g.fail(w, http.StatusForbidden, "403 Forbidden")
	default:
		handle(w, r, p)
	}
}

func (g *GitLab) project(w http.ResponseWriter, _ *http.Request, p *project) {
	writeJSON(w, http.StatusOK, map[string]any{"id": p.id, "path_with_namespace": p.path, "default_branch": p.branch})
}

func (p *project) describe(j *Job) map[string]any {
	return map[string]any{
		"id": j.Pipeline, "iid": 1, "project_id": p.id, "sha": fmt.Sprintf("%040x", j.Pipeline), "ref": j.Ref,
		"status": j.PipelineStatus, "source": j.Source,
		"web_url": fmt.Sprintf("https://gitlab.example/%s/-/pipelines/%d", p.path, j.Pipeline),
	}
}

func (g *GitLab) pipelines(w http.ResponseWriter, r *http.Request, p *project) {
	query := r.URL.Query()
	var fitting []*Job
	for _, j := range p.pipelines {
		if (query.Get("ref") == "" || query.Get("ref") == j.Ref) && (query.Get("status") == "" || query.Get("status") == j.PipelineStatus) {
			fitting = append(fitting, j)
		}
	}
	if query.Get("sort") != "asc" {
		slices.Reverse(fitting)
	}
	from, to := page(w, r, g.API.URL, len(fitting), g.PageSize)
	shown := []map[string]any{}
	for _, j := range fitting[from:to] {
		shown = append(shown, p.describe(j))
	}
	writeJSON(w, http.StatusOK, shown)
}

// describeJob is a job as the API shows it.
func (p *project) describeJob(j *storedJob) map[string]any {
	shown := map[string]any{
		"id": j.id, "name": j.Name, "status": j.Status, "stage": "build", "ref": j.Ref, "tag": false,
		"web_url":  fmt.Sprintf("https://gitlab.example/%s/-/jobs/%d", p.path, j.id),
		"pipeline": p.describe(p.pipeline(j.Pipeline)), "artifacts_expire_at": nil,
	}
	if j.ExpireAt != "" {
		shown["artifacts_expire_at"] = j.ExpireAt
	}
	if j.Data != nil && !j.Gone {
		shown["artifacts_file"] = map[string]any{"filename": "artifacts.zip", "size": len(j.Data)}
	}
	return shown
}

func (g *GitLab) jobs(w http.ResponseWriter, r *http.Request, p *project) {
	var fitting []*storedJob
	for _, j := range slices.Backward(p.jobs) {
		scope := r.URL.Query()["scope[]"]
		if strconv.FormatInt(j.Pipeline, 10) == r.PathValue("pipeline") && (scope == nil || slices.Contains(scope, j.Status)) {
			fitting = append(fitting, j)
		}
	}
	from, to := page(w, r, g.API.URL, len(fitting), g.PageSize)
	shown := []map[string]any{}
	for _, j := range fitting[from:to] {
		shown = append(shown, p.describeJob(j))
	}
	writeJSON(w, http.StatusOK, shown)
}

func (p *project) jobOf(r *http.Request) *storedJob {
	for _, j := range p.jobs {
		if strconv.FormatInt(j.id, 10) == r.PathValue("job") {
			return j
		}
	}
	return nil
}

func (g *GitLab) job(w http.ResponseWriter, r *http.Request, p *project) {
	if j := p.jobOf(r); j != nil {
		writeJSON(w, http.StatusOK, p.describeJob(j))
		return
	}
	g.fail(w, http.StatusNotFound, "404 Not Found")
}

func (g *GitLab) download(w http.ResponseWriter, r *http.Request, p *project) {
	g.redirect(w, p, p.jobOf(r))
}

// downloadByRef takes the job of the newest successful pipeline of the ref.
func (g *GitLab) downloadByRef(w http.ResponseWriter, r *http.Request, p *project) {
	for _, j := range slices.Backward(p.jobs) {
		pipeline := p.pipeline(j.Pipeline)
		if j.Name == r.URL.Query().Get("job") && j.Status == "success" && pipeline.Ref == r.PathValue("ref") && pipeline.PipelineStatus == "success" {
			g.redirect(w, p, j)
			return
		}
	}
	g.fail(w, http.StatusNotFound, "404 Not Found")
}

func (g *GitLab) redirect(w http.ResponseWriter, p *project, j *storedJob) {
	if j == nil || j.Data == nil || j.Gone {
		g.fail(w, http.StatusNotFound, "404 Not Found")
		return
	}
	w.Header().Set("Location", fmt.Sprintf("%s/artifacts/%s/%d?X-Amz-Signature=secret-signature", g.Storage.URL, strings.ReplaceAll(p.path, "/", "%2F"), j.id))
	w.WriteHeader(http.StatusFound)
}

// stored is the object storage.
func (g *GitLab) stored(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	p := g.projects[r.PathValue("project")]
	g.mu.Unlock()
	if p == nil || p.jobOf(r) == nil || r.URL.RawQuery == "" {
		http.NotFound(w, r)
		return
	}
	serveBytes(w, r, "artifacts.zip", p.jobOf(r).Data)
}
