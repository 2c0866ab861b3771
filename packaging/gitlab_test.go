package packaging_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
)

// gitlabTemplate is the template for GitLab CI.
const gitlabTemplate = ".gitlab/packgen.gitlab-ci.yml"

// gitlabJob is a job of it.
type gitlabJob struct {
	Stage     string              `yaml:"stage"`
	Image     string              `yaml:"image"`
	Needs     []string            `yaml:"needs"`
	Rules     []map[string]string `yaml:"rules"`
	Variables map[string]string   `yaml:"variables"`
	Script    []string            `yaml:"script"`
	Artifacts struct {
		When    string            `yaml:"when"`
		Paths   []string          `yaml:"paths"`
		Reports map[string]string `yaml:"reports"`
	} `yaml:"artifacts"`
}

type gitlabFile struct {
	Variables map[string]struct {
		Value       string   `yaml:"value"`
		Description string   `yaml:"description"`
		Options     []string `yaml:"options"`
	} `yaml:"variables"`
	Packgen gitlabJob `yaml:"packgen"`
	Pages   gitlabJob `yaml:"pages"`
}

func readGitLab(t *testing.T) *gitlabFile {
	t.Helper()
	text := oktest.Value(os.ReadFile(filepath.Join("..", gitlabTemplate)))(t)
	file := &gitlabFile{}
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	dec.KnownFields(true)
	oktest.Check(t, dec.Decode(file))
	if tag := "/v" + compiler.Version + "/" + gitlabTemplate; !strings.Contains(string(text), tag) {
		t.Errorf("the template does not say how it is included: %s", tag)
	}
	return file
}

// gitlab runs the script of a job as a GitLab runner does, in one shell.
func (r *actionRun) gitlab(job gitlabJob, variables map[string]string) int {
	r.t.Helper()
	env := map[string]string{"CI_PROJECT_DIR": r.workspace, "CI_PAGES_URL": "https://group.example.org/kn"}
	for name, v := range readGitLab(r.t).Variables {
		env[name] = v.Value
	}
	maps.Copy(env, variables)
	return r.script(strings.Join(job.Script, "\n"), env)
}

func TestInstallGitLabTemplateIsWhole(t *testing.T) {
	file := readGitLab(t)
	if v := file.Variables["PACKGEN_VERSION"].Value; v != compiler.Version {
		t.Errorf("the template installs %s, and this is %s", v, compiler.Version)
	}
	if len(file.Packgen.Rules) == 0 || len(file.Pages.Rules) == 0 || len(file.Pages.Needs) != 1 || file.Pages.Needs[0] != "packgen" {
		t.Errorf("the jobs are %+v and %+v", file.Packgen, file.Pages)
	}
	for _, script := range append(file.Packgen.Script, file.Pages.Script...) {
		if strings.Contains(script, "\n") && !strings.HasPrefix(script, "set -euo pipefail\n") {
			t.Errorf("a script does not start with set -euo pipefail:\n%s", script)
		}
	}
	checkSyntax(t, gitlabTemplate, strings.Join(file.Packgen.Script, "\n"))
}

func TestInstallGitLabBuildsFromSource(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.repository(".", "wiki-first", "handbook")
	file := readGitLab(t)
	releases := releaseFiles{}.serve(t, 404)
	given := map[string]string{"PACKGEN_SOURCE": r.path, "PACKGEN_RELEASES_URL": releases}
	if code := r.gitlab(file.Packgen, given); code != 0 {
		r.fail("exit %d", code)
	}
	if code := r.gitlab(file.Pages, nil); code != 0 {
		r.fail("pages: exit %d", code)
	}
	if !strings.Contains(r.read(filepath.Join(r.workspace, "public", "sitemap.xml")), "https://group.example.org/kn/") {
		r.fail("the site does not know its address")
	}
	if report := r.read(filepath.Join(r.workspace, file.Packgen.Artifacts.Reports["codequality"])); report != "[]\n" {
		r.fail("the code quality report is %s", report)
	}
	manifest := sha256.Sum256([]byte(r.read(filepath.Join(r.workspace, "public", "manifest.json"))))
	said := r.read(filepath.Join(r.workspace, file.Packgen.Artifacts.Reports["dotenv"]))
	if want := fmt.Sprintf("PACKGEN_ERRORS=0\nPACKGEN_WARNINGS=0\nPACKGEN_SITE=public\nPACKGEN_INDEX=public/index.json\nPACKGEN_RECALL=\nPACKGEN_DIGEST=sha256:%x\n", manifest); said != want {
		r.fail("the variables for later jobs are\n%s, want\n%s", said, want)
	}
	if summary := r.read(filepath.Join(r.workspace, "packgen-summary.md")); !strings.Contains(summary, "No findings.\n\n### Budget\n\n    index: ") {
		r.fail("the summary is\n%s", summary)
	}
	// A finding fails the job as the job asks.
	appendText(t, filepath.Join(r.workspace, "packs/handbook/wiki/concepts/claim.md"), "\n## More\n\n- A claim without any source.\n")
	job := file.Packgen
	job.Script = append([]string{}, job.Script...)
	job.Script[0], r.installed = "", true
	for failOn, want := range map[string]int{"error": 0, "warning": 1, "never": 0} {
		given["PACKGEN_FAIL_ON"] = failOn
		if code := r.gitlab(job, given); code != want {
			r.fail("%s: exit %d, want %d", failOn, code, want)
		}
	}
	if said := r.read(filepath.Join(r.workspace, "packgen.env")); !strings.Contains(said, "PACKGEN_WARNINGS=1\n") {
		r.fail("the variables for later jobs are\n%s", said)
	}
	if report := r.read(filepath.Join(r.workspace, "gl-code-quality-report.json")); !strings.Contains(report, `"path": "packs/handbook/wiki/concepts/claim.md"`) {
		r.fail("the code quality report is %s", report)
	}
}

// The template says how its own text is pinned, and a fork installs what is its own.
func TestInstallGitLabTemplateCanBePinned(t *testing.T) {
	text := oktest.Value(os.ReadFile(filepath.Join("..", gitlabTemplate)))(t)
	head, _, _ := strings.Cut(string(text), "\nvariables:")
	for _, want := range []string{"#       integrity: sha256-HASH\n", "openssl dgst -sha256 -binary | base64"} {
		if !strings.Contains(head, want) {
			t.Errorf("the head of the template does not say %q", want)
		}
	}
	page := manualPage(t, "how-to/publish-a-site.md")
	if !strings.Contains(page, gitlabTemplate+"\n    integrity: sha256-HASH\n") || !strings.Contains(page, gitlabTemplate+" | openssl dgst -sha256 -binary | base64") {
		t.Error("the manual does not say how the template is pinned")
	}
	release, err := os.ReadFile("../.github/workflows/release.yml")
	if err != nil || !strings.Contains(string(release), "integrity=sha256-$(openssl dgst -sha256 -binary "+gitlabTemplate+" | base64)") {
		t.Errorf("a release does not say the hash of the template: %v", err)
	}
}

func TestInstallGitLabOfAForkInstallsItsOwn(t *testing.T) {
	t.Parallel()
	job := readGitLab(t).Packgen
	job.Script = job.Script[:1]
	r := newActionRun(t)
	r.env["PACKGEN_RELEASES_URL"] = ""
	curl, git, program := r.standIn("curl", "printf 404"), r.standIn("git", ""), r.standIn("go", "exit 7")
	if code := r.gitlab(job, map[string]string{"PACKGEN_REPOSITORY": "somebody/kn", "PACKGEN_VERSION": "1.2.3"}); code != 7 {
		r.fail("exit %d", code)
	}
	for notes, want := range map[string]string{
		curl: "https://github.com/somebody/kn/releases/download/v1.2.3/checksums.txt", git: "--branch v1.2.3 -- https://github.com/somebody/kn ", program: " build ",
	} {
		if calls := r.read(notes); !strings.Contains(calls, want) || strings.Contains(calls, "packgen/packgen") {
			r.fail("called: %s", calls)
		}
	}
	if code := r.gitlab(job, map[string]string{"PACKGEN_REPOSITORY": "a/b/../c"}); code != 1 || !strings.Contains(r.log.String(), "PACKGEN_REPOSITORY is not") {
		r.fail("exit %d", code)
	}
}

func TestInstallGitLabInstallsARelease(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.repository(".", "document-first", "handbook")
	file := readGitLab(t)
	good := releaseFiles{}
	for _, arch := range []string{"amd64", "arm64"} {
		for name, data := range newRelease(t, compiler.Version, arch) {
			good[name] = append(good[name], data...) // one list of checksums
		}
	}
	if code := r.gitlab(file.Packgen, map[string]string{"PACKGEN_RELEASES_URL": good.serve(t, 404)}); code != 0 || !strings.Contains(r.log.String(), "stub packgen version") {
		r.fail("exit %d", code)
	}
	for name := range good {
		if strings.HasSuffix(name, ".gz") {
			good[name] = []byte("something else")
		}
	}
	if code := r.gitlab(file.Packgen, map[string]string{"PACKGEN_RELEASES_URL": good.serve(t, 404)}); code != 1 || !strings.Contains(r.log.String(), "has the SHA-256") {
		r.fail("exit %d", code)
	}
	if code := r.gitlab(file.Packgen, map[string]string{"PACKGEN_RELEASES_URL": releaseFiles{}.serve(t, 403)}); code != 1 {
		r.fail("exit %d", code)
	}
	for name, value := range map[string]string{"PACKGEN_VERSION": "1.0.0/../x", "PACKGEN_FAIL_ON": "all"} {
		if code := r.gitlab(file.Packgen, map[string]string{name: value}); code != 1 || !strings.Contains(r.log.String(), name) {
			r.fail("%s: exit %d", name, code)
		}
	}
}

// A merge request's summary has the routing changes against what it is merged into, and
// the manual's job keeps one comment of it up to date.
func TestInstallGitLabSaysWhatAMergeRequestChanges(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("SKIPPED: jq is not installed: the manual's comment on a merge request is not tried")
	}
	r := newActionRun(t)
	r.installed = true
	r.repository(".", "document-first", "handbook")
	base := oktest.Value(exec.Command("git", "-C", r.workspace, "rev-parse", "HEAD").Output())(t)
	appendText(t, filepath.Join(r.workspace, guidePage), "\n## Samovar\n\nA samovar boils water.\n")
	job := readGitLab(t).Packgen
	job.Script = job.Script[1:] // packgen is there
	if code := r.gitlab(job, map[string]string{"CI_MERGE_REQUEST_DIFF_BASE_SHA": strings.TrimSpace(string(base))}); code != 0 {
		r.fail("exit %d", code)
	}
	summary := r.read(filepath.Join(r.workspace, "packgen-summary.md"))
	for _, want := range []string{"### Budget\n\n    index: ", "### Evals\n\n    SUITE ", "### Routing changes\n\n    ", "handbook-guide-samovar"} {
		if !strings.Contains(summary, want) {
			r.fail("no %q in the summary\n%s", want, summary)
		}
	}
	var file struct {
		Comment gitlabJob `yaml:"comment"`
	}
	for _, block := range packgentest.Blocks(manualPage(t, "how-to/publish-a-site.md"), "yaml") {
		if strings.Contains(block, "COMMENT_TOKEN") {
			oktest.Check(t, yaml.Unmarshal([]byte(block), &file))
		}
	}
	var calls []string
	notes := map[string]string{"4": "a person's words"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		calls = append(calls, q.Method+" "+q.URL.Path)
		if q.Header.Get("Private-Token") != "s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch q.Method {
		case http.MethodPost:
			notes["7"] = q.FormValue("body")
		case http.MethodPut:
			notes["7"] = "again: " + q.FormValue("body")
		default:
			list := []map[string]any{}
			for id, body := range notes {
				list = append(list, map[string]any{"id": json.Number(id), "body": body})
			}
			_ = json.NewEncoder(w).Encode(list)
			return
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(server.Close)
	env := map[string]string{"CI_API_V4_URL": server.URL, "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "9", "COMMENT_TOKEN": "s3cret"}
	for _, want := range []string{"POST /projects/3/merge_requests/9/notes", "PUT /projects/3/merge_requests/9/notes/7"} {
		if code := r.script(strings.Join(file.Comment.Script, "\n"), env); code != 0 || calls[len(calls)-1] != want {
			r.fail("exit %d: %v, want %s", code, calls, want)
		}
	}
	if !strings.HasPrefix(notes["7"], "again: <!-- packgen -->\n") || !strings.Contains(notes["7"], "handbook-guide-samovar") || notes["4"] != "a person's words" || strings.Contains(r.log.String(), "s3cret") {
		r.fail("the comments are %q", notes)
	}
}
