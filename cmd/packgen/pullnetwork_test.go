package main

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
	"github.com/packgen/packgen/resolver/repo"
)

// places are stand-ins for all that packs are pulled from, and a repository that
// has pulled one pack already.
type places struct {
	t       *testing.T
	gh      *fetchtest.Forge
	gl      *fetchtest.Forge
	site    *fetchtest.Server // the published site below /team/packs, and /pack.tar.gz beside it
	tls     *fetchtest.Server // has a certificate that nobody trusts
	other   *fetchtest.Server // nobody is sent there with a token
	archive []byte
	dir     string
	env     map[string]string
	retries int
}

// twice is a site with one pack, and an earlier archive of the pack.
type twice struct {
	dir            string // of the repository
	archive, known []byte
	record         []byte // pack.json
}

func publishTwice(t *testing.T) *twice {
	t.Helper()
	s := &twice{dir: packgentest.Repository(t)}
	build := func() []byte {
		t.Helper()
		var out bytes.Buffer
		if code := run([]string{"-C", s.dir, "build"}, strings.NewReader(""), &out, &out); code != exitDone {
			t.Fatalf("build: exit code %d\n%s", code, &out)
		}
		return oktest.Value(os.ReadFile(filepath.Join(s.dir, "public/packs/p/pack.tar.gz")))(t)
	}
	s.known = build()
	writeText(t, filepath.Join(s.dir, "packs/p/wiki/b.md"), "# B\n\nOther text.\n")
	s.archive = build()
	var err error
	if s.record, err = os.ReadFile(filepath.Join(s.dir, "public/packs/p/pack.json")); err != nil {
		t.Fatal(err)
	}
	return s
}

// cacheOf is an environment with a cache of its own.
func cacheOf(t *testing.T) map[string]string {
	return map[string]string{repo.CacheVariable: filepath.Join(t.TempDir(), "cache")}
}

// newPlaces are the two systems of CI, and an empty repository.
func newPlaces(t *testing.T) *places {
	t.Helper()
	p := &places{t: t, gh: fetchtest.NewGitHub(t), gl: fetchtest.NewGitLab(t), dir: t.TempDir(), env: cacheOf(t), retries: 2}
	for _, name := range []string{"GITHUB_API_URL", "GITHUB_TOKEN", "GH_TOKEN", "CI_API_V4_URL", "GITLAB_TOKEN", "CI_JOB_TOKEN"} {
		p.env[name] = p.gh.Getenv(name) + p.gl.Getenv(name)
	}
	return p
}

// allPlaces serves a site too, and has pulled its pack as it was before.
func allPlaces(t *testing.T, s *twice) *places {
	t.Helper()
	p := newPlaces(t)
	p.archive = s.archive
	p.site = fetchtest.NewSite(t, "/team/packs", os.DirFS(filepath.Join(s.dir, "public")))
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(p.archive) })
	p.tls, p.other = fetchtest.NewTLSServer(t, ok), fetchtest.NewServer(t, ok)
	oktest.Check(t, os.WriteFile(filepath.Join(p.dir, "known.tar.gz"), s.known, 0o666))
	p.run(exitDone, "pull", "known.tar.gz")
	return p
}

// run runs a command line in the repository, with no wait between tries, and
// returns all it prints. No token is in it or in the lock.
func (p *places) run(want int, args ...string) string {
	p.t.Helper()
	var out bytes.Buffer
	a := newApp(strings.NewReader(""), &out, &out)
	a.Environment = environ(p.env)
	a.Network = repo.Network{
		Retries: p.retries, Idle: 100 * time.Millisecond, Header: 2 * time.Second,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	if args[0] != "-C" {
		args = append([]string{"-C", p.dir}, args...)
	}
	if got := a.run(p.t.Context(), args); got != want {
		p.t.Errorf("packgen %s: exit code %d, want %d", strings.Join(args[2:], " "), got, want)
	}
	lock, _ := os.ReadFile(filepath.Join(p.dir, "packgen.lock")) // there may be none yet
	for _, secret := range []string{"secret-signature", p.gh.Token, p.gl.Token} {
		if strings.Contains(out.String()+string(lock), secret) {
			p.t.Errorf("packgen %s shows %s", strings.Join(args[2:], " "), secret)
		}
	}
	return out.String()
}

// state is every file of the cache and the lock. The locks of the cache are empty.
func (p *places) state() string {
	p.t.Helper()
	var list strings.Builder
	for _, root := range []string{p.env[repo.CacheVariable], p.dir} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() != "locks" && d.Name() != "partial" { // where a download continues
				return err
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			if d.Type()&fs.ModeSymlink != 0 { // .packgen/locked leads to the cache
				to, err := os.Readlink(name)
				fmt.Fprintf(&list, "%s -> %s\n", name, to)
				return err
			}
			data, err := os.ReadFile(name)
			fmt.Fprintf(&list, "%s %x\n", name, sha256.Sum256(data))
			return err
		})
		oktest.Check(p.t, err)
	}
	return list.String()
}

// all spoils an answer as often as it is asked for.
func all(f fetchtest.Fault) fetchtest.Fault {
	f.Times = -1
	return f
}

// tarOf is a tar of an entry, filled with zeros.
func tarOf(t *testing.T, h tar.Header) string {
	t.Helper()
	var packed strings.Builder
	w := tar.NewWriter(&packed)
	oktest.Check(t, w.WriteHeader(&h))
	_, err := w.Write(make([]byte, h.Size))
	oktest.Check(t, errors.Join(err, w.Close()))
	return packed.String()
}

func TestWhatTheNetworkDoesWrongIsSaidAndLeavesNothing(t *testing.T) {
	t.Parallel()
	const url = "URL/packs/p/pack.tar.gz"
	tarGz := func(f fetchtest.Fault) func(*places) {
		f.Path = "pack.tar.gz"
		return func(p *places) { p.site.Spoil(all(f)) }
	}
	api := func(a ...fetchtest.Artifact) func(*places) {
		return func(p *places) {
			p.gh.Repository("o/r", "main", false)
			for _, a := range a {
				a.Name, a.Data = "packs", p.archive
				p.gh.Add("o/r", a)
			}
		}
	}
	jobs := func(j ...fetchtest.Artifact) func(*places) {
		return func(p *places) {
			p.gl.Repository("g/s/p", "main", false)
			for _, j := range j {
				j.Name, j.Data = "pages", p.archive
				p.gl.Add("g/s/p", j)
			}
		}
	}
	source := publishTwice(t)
	for _, tt := range []struct {
		name  string
		ref   string
		spoil func(*places)
		code  int
		says  string // parts, with a bar between: what, where, what to do
	}{
		{"404", url, tarGz(fetchtest.Fault{Status: 404}), 2, "404 Not Found|PACK|check the address"},
		{"404 of a site", "URL/nothing/#p", nil, 2, "404 Not Found|/nothing/catalog.json|is this the root of a site"},
		{"401", url, tarGz(fetchtest.Fault{Status: 401}), 2, "401 Unauthorized|PACK|needs a login"},
		{"403", url, tarGz(fetchtest.Fault{Status: 403}), 2, "403 Forbidden|PACK|needs a login"},
		{"410", url, tarGz(fetchtest.Fault{Status: 410}), 2, "410 Gone|PACK|let CI build it again"},
		{"429", url, tarGz(fetchtest.Fault{Status: 429, Header: map[string]string{"Retry-After": "7"}}), 2, "429 Too Many Requests|PACK|after 3 tries|wait 7s"},
		{"500", url, tarGz(fetchtest.Fault{Status: 500}), 2, "500 Internal Server Error|PACK|after 3 tries|try again later"},
		{"no answer", url, tarGz(fetchtest.Fault{Drop: true}), 2, "closed the connection|PACK|after 3 tries|try again later"},
		{"cut in the middle", url, tarGz(fetchtest.Fault{Cut: 300, IgnoreRange: true}), 2, "the answer ended early|PACK|after 3 tries|try again later"},
		{"slow", url, tarGz(fetchtest.Fault{Stall: 300, IgnoreRange: true}), 2, "the server is too slow|PACK|after 3 tries|try again later"},
		{"a longer length", url, tarGz(fetchtest.Fault{Length: 1 << 20}), 2, "the answer ended early|PACK|try again later"},
		{"a shorter length", url, tarGz(fetchtest.Fault{Length: 100}), 1, "it was cut short [archive-truncated]|PACK|fetch or make the archive again"},
		{"a web page", url, tarGz(fetchtest.Fault{Status: 200, Body: "<!doctype html><title>Sign in"}), 2, "a web page came, not an archive|PACK|a login page may be in the way"},
		{"other bytes", url, tarGz(fetchtest.Fault{Corrupt: true}), 1, "[archive-unknown]|PACK|name a .tar"},
		{"a path that leads out", url, tarGz(fetchtest.Fault{Status: 200, Body: tarOf(t, tar.Header{Name: "../../evil"})}), 1, "[archive-path]|PACK|fix: "},
		{"a link", url, tarGz(fetchtest.Fault{Status: 200, Body: tarOf(t, tar.Header{Name: "p", Typeflag: tar.TypeSymlink, Linkname: "/tmp"})}), 1, "[archive-link]|PACK|fix: "},
		{"a file too large", url, tarGz(fetchtest.Fault{Status: 200, Body: tarOf(t, tar.Header{Name: "p/z", Size: 64<<20 + 1})}), 1, "[archive-too-large]|PACK|fix: "},
		{"no pack", url, tarGz(fetchtest.Fault{Status: 200, Body: tarOf(t, tar.Header{Name: "p/a.md"})}), 1, "[archive-manifest]|PACK|fix: "},
		{"a loop", url, tarGz(fetchtest.Fault{Redirect: "/team/packs/packs/p/pack.tar.gz"}), 2, "the redirects go round in a circle|PACK|check the address"},
		{"to another scheme", url, tarGz(fetchtest.Fault{Redirect: "ftp://example.org/pack.tar.gz"}), 2, "redirects to ftp://example.org/pack.tar.gz|PACK|fetched over https"},
		{"to a file", url, tarGz(fetchtest.Fault{Redirect: "file:///etc/passwd"}), 2, "redirects to file:///etc/passwd|PACK|fetched over https"},
		{"to plain http", url, tarGz(fetchtest.Fault{Redirect: "http://example.org/pack.tar.gz"}), 2, "redirects to http://example.org/pack.tar.gz|PACK|use https"},
		{"TLS", "TLS/pack.tar.gz", nil, 2, "no known authority has signed the certificate of 127.0.0.1|/pack.tar.gz|SSL_CERT_FILE"},
		{"nobody there", "http://127.0.0.1:1/pack.tar.gz", nil, 2, "connection refused|127.0.0.1:1|is the server running?"},
		{"plain http", "http://example.org/pack.tar.gz", nil, 2, "plain http is refused|http://example.org/pack.tar.gz|use https"},
		{"a site: other bytes", "URL#p", tarGz(fetchtest.Fault{Corrupt: true}), 3, "want sha256:|got sha256:|PACK|nothing was kept"},
		{"a site: another pack.json", "URL#p", func(p *places) {
			p.site.Spoil(all(fetchtest.Fault{Path: "pack.json", Status: 200, Body: string(source.record) + "\n"}))
		}, 3, "want sha256:|got sha256:|/packs/p/pack.json|nothing was kept"},
		{"a site: catalog", "URL#p", func(p *places) {
			p.site.Spoil(all(fetchtest.Fault{Path: "catalog.json", Status: 200, Body: "{}"}))
		}, 2, "schema_version is 0|catalog.json|not built by packgen"},
		{"a site: no such pack", "URL#q", nil, 2, "no pack of this name|/team/packs|name one of p"},
		{"GitHub: only forks", "gha://o/r/packs", api(fetchtest.Artifact{Fork: true}), 2, "1 made by a fork's run|o/r|a run of the repository itself"},
		{"GitHub: a fork's run by its number", "gha://o/r/packs?run=77", api(fetchtest.Artifact{Fork: true, Run: 77}), 2, "run 77 belongs to a fork|o/r|name a run of the repository itself"},
		{"GitHub: a fork behind another branch", "gha://o/r/packs", api(fetchtest.Artifact{Branch: "topic"}, fetchtest.Artifact{Fork: true, Event: "pull_request"}), 2, "1 made by a fork's run, 1 of another branch|o/r|?branch="},
		{"GitHub: not concluded", "gha://o/r/packs", api(fetchtest.Artifact{Status: "in_progress"}), 2, "1 of a run that is not finished|o/r|wait"},
		{"GitHub: failed", "gha://o/r/packs", api(fetchtest.Artifact{Conclusion: "failure"}), 2, "1 of a run without success|o/r|look at why"},
		{"GitHub: another branch", "gha://o/r/packs?branch=main", api(fetchtest.Artifact{Branch: "topic"}), 2, "1 of another branch|o/r|?branch="},
		{"GitHub: another workflow", "gha://o/r/packs?workflow=pages.yml", api(fetchtest.Artifact{}), 2, "1 of another workflow|o/r|?workflow="},
		{"GitHub: expired", "gha://o/r/packs", api(fetchtest.Artifact{Expired: true}), 2, "1 expired (the newest on 2026-04-05T08:00:00Z)|o/r|let CI build it again"},
		{"GitHub: rate limit", "gha://o/r/packs", func(p *places) {
			p.gh.API.Spoil(all(fetchtest.Fault{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "Retry-After": "30"}, Body: `{"message":"API rate limit exceeded"}`}))
		}, 2, "API rate limit exceeded|o/r|wait 30s"},
		{"GitHub: another digest", "gha://o/r/packs", api(fetchtest.Artifact{Digest: "sha256:" + strings.Repeat("0", 64)}), 3, "want sha256:000|got sha256:|o/r|nothing was kept"},
		{"GitHub: no such repository", "gha://o/x/packs", nil, 2, "404 Not Found|o/x|actions: read"},
		{"GitHub: to another scheme", "gha://o/r/packs", func(p *places) {
			api(fetchtest.Artifact{})(p)
			p.gh.API.Spoil(all(fetchtest.Fault{Path: "/zip", Redirect: "ftp://example.org/x"}))
		}, 2, "redirects to ftp://example.org/x|o/r|fetched over https"},
		{"GitLab: expired", "gitlab://g/s/p/pages", jobs(fetchtest.Artifact{Expired: true, ExpireAt: "2026-02-01T00:00:00Z"}), 2, "expired on 2026-02-01T00:00:00Z|g/s/p|let CI build them again"},
		{"GitLab: failed", "gitlab://g/s/p/pages", jobs(fetchtest.Artifact{Conclusion: "failed"}), 2, "no successful pipeline|g/s/p|?ref="},
		{"GitLab: a merge request's pipeline", "gitlab://g/s/p/pages", jobs(fetchtest.Artifact{Event: "merge_request_event", Branch: "refs/merge-requests/1/head"}), 2, "no successful pipeline|g/s/p|?ref="},
		{"GitLab: no such project", "gitlab://g/x/pages", nil, 2, "404 Project Not Found|g/x|read_api"},
		{"GitLab: rate limit", "gitlab://g/s/p/pages", func(p *places) {
			p.gl.API.Spoil(all(fetchtest.Fault{Status: 429, Header: map[string]string{"Retry-After": "120"}}))
		}, 2, "429 Too Many Requests|g/s/p|wait 2m0s"},
		{"GitLab: no answer from the storage", "gitlab://g/s/p/pages", func(p *places) {
			jobs(fetchtest.Artifact{})(p)
			p.gl.Blobs.Spoil(all(fetchtest.Fault{Status: 503}))
		}, 2, "503 Service Unavailable|pages|try again later"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := allPlaces(t, source)
			if tt.spoil != nil {
				tt.spoil(p)
			}
			ref := strings.NewReplacer("URL", p.site.URL, "TLS", p.tls.URL).Replace(tt.ref)
			before := p.state()
			for _, args := range [][]string{{"pull", ref}, {"pull", "--update", ref, "--out", "unpacked"}, {"resolve", "--allow-untrusted", "--from", ref, "text"}, {"match", "--from", ref, "text"}} {
				out := p.run(tt.code, args...)
				for part := range strings.SplitSeq(tt.says, "|") {
					if !strings.Contains(out, strings.ReplaceAll(part, "PACK", "/team/packs/packs/p/pack.tar.gz")) {
						t.Errorf("%s does not say %q but\n%s", args[0], part, out)
					}
				}
				if !strings.Contains(out, "packgen: error: ") || strings.Contains(out, "\x1b") {
					t.Errorf("%s prints\n%s", args[0], out)
				}
				if after := p.state(); after != before {
					t.Errorf("%s changed the cache or the repository:\n%s", args[0], cmp.Diff(before, after))
				}
			}
		})
	}
}

// What is newer, of the right name, and not made by this repository's own run that
// ended well is skipped, through the whole command.
func TestPullTakesTheRunThatCounts(t *testing.T) {
	t.Parallel()
	source := publishTwice(t)
	github := func(ours fetchtest.Artifact, newer ...fetchtest.Artifact) func(*places) {
		return func(p *places) {
			for i, a := range append([]fetchtest.Artifact{ours}, newer...) {
				a.Name, a.Data = "packs", source.known
				if i == 0 {
					a.Data = source.archive
				}
				p.gh.Add("o/r", a)
			}
		}
	}
	gitlab := func(ours fetchtest.Artifact, newer ...fetchtest.Artifact) func(*places) {
		return func(p *places) {
			for i, j := range append([]fetchtest.Artifact{ours}, newer...) {
				j.Name, j.Data = "pages", source.known
				if i == 0 {
					j.Data = source.archive
				}
				p.gl.Add("g/s/p", j)
			}
		}
	}
	for _, tt := range []struct {
		name string
		ref  string
		with func(*places)
	}{
		{"a fork", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Fork: true}, fetchtest.Artifact{Fork: true, Event: "pull_request"})},
		{"a fork's branch of the same name", "gha://o/r/packs?branch=main", github(fetchtest.Artifact{}, fetchtest.Artifact{Fork: true, Branch: "main"})},
		{"a pull request's run", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Event: "pull_request_target"}, fetchtest.Artifact{Event: "workflow_run"})},
		{"another branch", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Branch: "topic"})},
		{"a branch that is named", "gha://o/r/packs?branch=topic", github(fetchtest.Artifact{Branch: "topic"}, fetchtest.Artifact{})},
		{"another workflow", "gha://o/r/packs?workflow=pages.yml", github(fetchtest.Artifact{Workflow: ".github/workflows/pages.yml"}, fetchtest.Artifact{})},
		{"not concluded", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Status: "in_progress"})},
		{"failed and cancelled", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Conclusion: "failure"}, fetchtest.Artifact{Conclusion: "cancelled"})},
		{"expired", "gha://o/r/packs", github(fetchtest.Artifact{}, fetchtest.Artifact{Expired: true})},
		{"behind pages of others", "gha://o/r/packs", func(p *places) {
			p.gh.PageSize = 2
			github(fetchtest.Artifact{})(p)
			for range 7 {
				p.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: source.known, Fork: true})
			}
		}},
		{"a run that is named", "gha://o/r/packs?run=77", github(fetchtest.Artifact{Run: 77}, fetchtest.Artifact{})},
		{"cut once, with ranges", "gha://o/r/packs", func(p *places) {
			github(fetchtest.Artifact{})(p)
			p.gh.Blobs.Spoil(fetchtest.Fault{Cut: 700})
		}},
		{"cut once, without", "gha://o/r/packs", func(p *places) {
			github(fetchtest.Artifact{})(p)
			p.gh.Blobs.Spoil(fetchtest.Fault{Cut: 700}, fetchtest.Fault{IgnoreRange: true})
		}},
		{"errors that pass", "gha://o/r/packs", func(p *places) {
			github(fetchtest.Artifact{})(p)
			p.gh.API.Spoil(fetchtest.Fault{Status: 502})
			p.gh.Blobs.Spoil(fetchtest.Fault{Status: 429}, fetchtest.Fault{Drop: true})
		}},
		{"sent on to a third host", "gha://o/r/packs", func(p *places) {
			github(fetchtest.Artifact{})(p)
			p.gh.Blobs.Spoil(all(fetchtest.Fault{Path: "/blob/", Redirect: p.other.URL + "/x?sig=secret-signature"}))
		}},
		{"GitLab: failed", "gitlab://g/s/p/pages", gitlab(fetchtest.Artifact{}, fetchtest.Artifact{Conclusion: "failed"}, fetchtest.Artifact{Status: "failed"})},
		{"GitLab: another ref", "gitlab://g/s/p/pages", gitlab(fetchtest.Artifact{}, fetchtest.Artifact{Branch: "topic"})},
		{"GitLab: a merge request", "gitlab://g/s/p/pages", gitlab(fetchtest.Artifact{}, fetchtest.Artifact{Event: "merge_request_event", Branch: "refs/merge-requests/1/head"})},
		{"GitLab: a ref that is named", "gitlab://g/s/p/pages?ref=v1", gitlab(fetchtest.Artifact{Branch: "v1"}, fetchtest.Artifact{})},
		{"GitLab: a job token", "gitlab://g/s/p/pages?ref=main", func(p *places) {
			p.gl.IsJobToken = true
			p.env["GITLAB_TOKEN"], p.env["CI_JOB_TOKEN"] = "", p.gl.Token
			gitlab(fetchtest.Artifact{})(p)
		}},
		{"GitLab: cut once", "gitlab://g/s/p/pages", func(p *places) {
			gitlab(fetchtest.Artifact{})(p)
			p.gl.Blobs.Spoil(fetchtest.Fault{Cut: 700})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := allPlaces(t, source)
			tt.with(p)
			p.run(exitFindings, "resolve", "--from", tt.ref, "text") // nobody has locked it
			p.run(exitDone, "pull", tt.ref)
			lock := oktest.Value(os.ReadFile(filepath.Join(p.dir, "packgen.lock")))(t)
			var record struct {
				Tree string `json:"tree"`
			}
			if err := json.Unmarshal(source.record, &record); err != nil || !strings.Contains(string(lock), record.Tree) {
				t.Errorf("want %s in the lock\n%s", record.Tree, lock)
			}
			if out := p.run(exitDone, "resolve", "--from", tt.ref, "other text"); !strings.Contains(out, "Other text.") {
				t.Errorf("resolve prints\n%s", out)
			}
			for _, s := range []*fetchtest.Server{p.gh.Blobs, p.gl.Blobs, p.other} {
				for _, r := range s.Requests() {
					if all := fmt.Sprint(r.Header); strings.Contains(all, p.gh.Token) || strings.Contains(all, p.gl.Token) {
						t.Errorf("a token went to %s: %s", s.URL, all)
					}
				}
			}
			for s, token := range map[*fetchtest.Server]string{p.gh.API: p.gl.Token, p.gl.API: p.gh.Token} {
				for _, r := range s.Requests() {
					if strings.Contains(fmt.Sprint(r.Header), token) {
						t.Errorf("the token of one system went to the other: %s", r.Path)
					}
				}
			}
		})
	}
}
