package fetch

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/torturetest"
)

// answers is a transport without a network: every request gets the same body.
type answers struct{ body string }

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(strings.NewReader(a.body))}, nil
}

// fuzzClient reads the same answer to every question.
func fuzzClient(body string) *Client {
	return New(Options{
		Getenv:  func(string) string { return "" },
		HTTP:    &http.Client{Transport: answers{body}},
		Retries: -1,
		Sleep:   func(context.Context, time.Duration) error { return nil },
	})
}

// onePlainLine is what every error must be, whatever a server said.
func onePlainLine(t *testing.T, err error) {
	t.Helper()
	if err != nil && strings.ContainsAny(err.Error(), "\r\x1b\x00\u202e") {
		t.Fatalf("error holds what a server sent: %q", err)
	}
}

// Whatever GitHub answers: no panic, and what is found names an artifact of the
// API's host that a run of the repository itself made.
func FuzzGitHubAnswers(f *testing.F) {
	f.Add(`{"id":7,"default_branch":"main","artifacts":[{"id":5,"name":"packs","workflow_run":{"id":7,"repository_id":7,"head_repository_id":7,"head_branch":"main"}}],"status":"completed","conclusion":"success","head_branch":"main","repository":{"id":7},"head_repository":{"id":7}}`)
	f.Add(`{"id":7,"default_branch":"main","artifacts":[null,{"id":5,"name":"packs","expired":true}]}`)
	f.Add(`{"id":1e400}`)
	f.Add(`[]`)
	f.Fuzz(checkGitHub)
}

func checkGitHub(t *testing.T, body string) {
	r, err := fuzzClient(body).GitHub(t.Context(), packs)
	onePlainLine(t, err)
	if err != nil {
		return
	}
	if !strings.HasPrefix(r.URL, "https://api.github.com/repos/o/r/actions/artifacts/") || !strings.HasSuffix(r.URL, "/zip") {
		t.Errorf("%s", r.URL)
	}
	if r.Run == nil || r.Run.Conclusion != "success" || r.Run.Artifact <= 0 || r.Digest != "" && !isDigest(r.Digest) {
		t.Errorf("%+v", r)
	}
}

// Whatever GitLab answers: no panic, and what is found is a job on the API's host.
func FuzzGitLabAnswers(f *testing.F) {
	f.Add(`{"id":7,"name":"build","status":"success","pipeline":{"id":3,"ref":"main"},"artifacts_file":{"size":4}}`)
	f.Add(`{"id":7,"artifacts_file":{"size":-4}}`)
	f.Add(`[{"id":3,"ref":"main","status":"success"}]`)
	f.Fuzz(checkGitLab)
}

func checkGitLab(t *testing.T, body string) {
	c := fuzzClient(body)
	r, err := c.GitLab(t.Context(), job(func(r *GitLab) { r.JobID = 7 }))
	onePlainLine(t, err)
	if err == nil && (r.URL != "https://gitlab.com/api/v4/projects/group%2Fsub%2Fp/jobs/7/artifacts" || r.Size < 0) {
		t.Errorf("%+v", r)
	}
	_, err = c.GitLab(t.Context(), job(func(r *GitLab) { r.Ref = "main" }))
	onePlainLine(t, err)
}

// Whatever a site's catalog says: the archive stays below the site's root.
func FuzzSiteCatalog(f *testing.F) {
	f.Add(`{"schema_version":1,"name":"a","packs":[{"name":"a","location":"packs/a/KNOWLEDGE.md"}],"files":[{"path":"packs/a/pack.tar.gz","size":1,"sha256":"`+strings.Repeat("0", 64)+`"}]}`, "a")
	f.Add(`{"schema_version":1,"name":"a","packs":[{"name":"a","location":"../x"}]}`, "")
	f.Fuzz(checkSite)
}

func checkSite(t *testing.T, body, pack string) {
	r, err := fuzzClient(body).Site(t.Context(), "https://example.com/docs/", pack)
	onePlainLine(t, err)
	if err != nil {
		return
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Host != "example.com" || u.RawQuery != "" || u.Fragment != "" {
		t.Fatalf("%s, %v", r.URL, err)
	}
	if clean := u.JoinPath().Path; clean != u.Path || !strings.HasPrefix(clean, "/docs/") {
		t.Errorf("%s leaves the site", r.URL)
	}
}

// The same for what a stranger makes of good answers.
func TestMutatedAnswersAreRefusedOrGood(t *testing.T) {
	chance := rand.New(rand.NewPCG(34, 1))
	count := torturetest.Start(t, "hostile", "servers", 150, 3000)
	github := `{"id":7,"default_branch":"main","artifacts":[{"id":5,"name":"packs","size_in_bytes":4,"digest":"sha256:` + strings.Repeat("0", 64) + `","workflow_run":{"id":7,"repository_id":7,"head_repository_id":7,"head_branch":"main"}}],"status":"completed","conclusion":"success","head_branch":"main","repository":{"id":7},"head_repository":{"id":7}}`
	gitlab := `{"id":7,"name":"build","status":"success","pipeline":{"id":3,"ref":"main"},"artifacts_file":{"size":4}}`
	site := `{"schema_version":1,"name":"a","packs":[{"name":"a","location":"packs/a/KNOWLEDGE.md"}],"files":[{"path":"packs/a/pack.tar.gz","size":1,"sha256":"` + strings.Repeat("0", 64) + `"}]}`
	for i := range count.Rounds() {
		count.Done(1)
		switch i % 3 {
		case 0:
			checkGitHub(t, string(torturetest.Mutate(chance, []byte(github))))
		case 1:
			checkGitLab(t, string(torturetest.Mutate(chance, []byte(gitlab))))
		case 2:
			checkSite(t, string(torturetest.Mutate(chance, []byte(site))), "a")
		}
		if t.Failed() {
			count.Wrong("answer %d", i)
			return
		}
	}
}

// Whatever is in a manifest: no panic, and only wanted, well-formed entries.
func FuzzManifestEntries(f *testing.F) {
	f.Add(`{"schema_version":1,"files":[{"path":"a","size":1,"sha256":"` + strings.Repeat("0", 64) + `"}]}`)
	f.Add(`{"files":[],"files":[{}]}`)
	f.Add(`{"files":[[[`)
	f.Fuzz(func(t *testing.T, data string) {
		found, err := manifestEntries([]byte(data), []string{"a"})
		for name, e := range found {
			if err == nil && (name != "a" || !isHex(e.SHA256) || e.Size < 0) {
				t.Errorf("%q: %+v", name, e)
			}
		}
	})
}

func FuzzErrorMessages(f *testing.F) {
	f.Add([]byte(`{"message":"a"}`))
	f.Add([]byte(`{"message":{"base":["b"]},"error":"\u001b"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := plain(messageIn(data), maxQuoted); strings.ContainsAny(got, "\n\r\x1b\x00") || len(got) > maxQuoted+len("…") {
			t.Errorf("%q", got)
		}
	})
}
