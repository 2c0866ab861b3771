package remote

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/resolver/remote/fetch"
)

func TestReferencesAreReadInEveryForm(t *testing.T) {
	for _, want := range []Ref{
		{Text: "dir:../other/packs/kettle", Kind: Directory, Path: "../other/packs/kettle"},
		{Text: "dir:x.zip", Kind: Directory, Path: "x.zip"},
		{Text: "dir:a:b", Kind: Directory, Path: "a:b"},
		{Text: "kettle", Kind: Directory, Path: "kettle"},
		{Text: "./a:b", Kind: Directory, Path: "./a:b"},
		{Text: "/srv/site#kettle", Kind: Directory, Path: "/srv/site", Pack: "kettle"},
		{Text: "a#b#kettle", Kind: Directory, Path: "a#b", Pack: "kettle"},
		{Text: ".zip", Kind: Directory, Path: ".zip"},
		{Text: "down/kettle.tar.gz", Kind: ArchiveFile, Path: "down/kettle.tar.gz"},
		{Text: "kettle.TGZ", Kind: ArchiveFile, Path: "kettle.TGZ"},
		{Text: "kettle.tar", Kind: ArchiveFile, Path: "kettle.tar"},
		{Text: "artifact.zip#kettle", Kind: ArchiveFile, Path: "artifact.zip", Pack: "kettle"},
		{Text: "https://example.org", Kind: Site, URL: "https://example.org/"},
		{Text: "https://example.org/packs/#kettle", Kind: Site, URL: "https://example.org/packs/", Pack: "kettle"},
		{Text: "https://example.org/packs/index.html", Kind: Site, URL: "https://example.org/packs/"},
		{Text: "https://example.org/packs/catalog.json#a", Kind: Site, URL: "https://example.org/packs/", Pack: "a"},
		{Text: "http://127.0.0.1:8080/p", Kind: Site, URL: "http://127.0.0.1:8080/p/"},
		{Text: "https://example.org/x.zip", Kind: ArchiveURL, URL: "https://example.org/x.zip"},
		{Text: "https://example.org/x.tar.gz?raw=1#k", Kind: ArchiveURL, URL: "https://example.org/x.tar.gz?raw=1", Pack: "k"},
		{Text: "gha://o/r/packs", Kind: GitHub, GitHub: fetch.GitHub{Owner: "o", Repo: "r", Artifact: "packs"}},
		{
			Text: "gha://o/r.x/my%20packs?branch=feature%2Fx&workflow=pages.yml&run=12#k", Kind: GitHub, Pack: "k",
			GitHub: fetch.GitHub{Owner: "o", Repo: "r.x", Artifact: "my packs", Branch: "feature/x", Workflow: "pages.yml", Run: 12},
		},
		{Text: "gha://o/r/packs?branch=feature/x", Kind: GitHub, GitHub: fetch.GitHub{Owner: "o", Repo: "r", Artifact: "packs", Branch: "feature/x"}},
		{Text: "gitlab://g/p/build", Kind: GitLab, GitLab: fetch.GitLab{Project: "g/p", Job: "build"}},
		{Text: "gitlab://g/s/p/build%2Fall?ref=main", Kind: GitLab, GitLab: fetch.GitLab{Project: "g/s/p", Job: "build/all", Ref: "main"}},
		{Text: "oci://ghcr.io/acme/handbook", Kind: OCI, Registry: fetch.Registry{Host: "ghcr.io", Name: "acme/handbook", Tag: "latest"}},
		{Text: "oci://localhost:5000/handbook:1.2#kettle", Kind: OCI, Pack: "kettle", Registry: fetch.Registry{Host: "localhost:5000", Name: "handbook", Tag: "1.2"}},
		{Text: "oci://e.org/h:1@" + someDigest, Kind: OCI, Registry: fetch.Registry{Host: "e.org", Name: "h", Tag: "1", Digest: someDigest}},
		{Text: "oci://e.org/h@" + someDigest, Kind: OCI, Registry: fetch.Registry{Host: "e.org", Name: "h", Digest: someDigest}},
	} {
		got, err := ParseRef(want.Text)
		if err != nil {
			t.Errorf("%s: %v", want.Text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Text, diff)
		}
	}
}

// What is refused is printed: not with what may be a secret in it.
func TestARefusedReferenceIsPrintedWithoutItsSecrets(t *testing.T) {
	for _, text := range []string{
		"https://me:hunter2@example.org/", "https://hunter2@example.org/#x", "https://example.org/x.zip?sig=hunter2", "https://example.org/x.zip?a=b&TOKEN=hunter2",
		"oci://me:hunter2@example.org/p", "oci://me:hun/hunter2@example.org/p", "oci://example.org/p?password=hunter2", "oci://example.org/p:" + githubToken,
		"https://example.org/" + githubToken + "/packs/", "gha://o/r/" + githubToken, "xyz://me:hunter2@example.org/", "https://me:hunter2@%zz/",
	} {
		_, err := ParseRef(text)
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), githubToken) {
			t.Errorf("%s: %v", text, err)
		}
		var refused *refError
		if errors.As(err, &refused) && (strings.Contains(refused.Problem+refused.Hint, "hunter2") || strings.Contains(refused.Problem+refused.Hint, githubToken)) {
			t.Errorf("%s: %s (%s)", text, refused.Problem, refused.Hint)
		}
	}
}

const someDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// githubToken has the form of a token, and is put together so that no scanner mistakes this
// file for a leak.
var githubToken = "ghp_" + "R4tGh81kQm" + "Zx7LpW2sVnB6" + "cYdE9uTaJf3oH5"

func TestWrongReferencesSayWhatToWrite(t *testing.T) {
	for _, tt := range []struct{ text, problem, hint string }{
		{"", "it is empty", "write dir:PATH, file.tar.gz"},
		{"gah://o/r/a", `unknown scheme "gah"`, "did you mean gha:?"},
		{"HTTPS://example.org", `unknown scheme "HTTPS"`, "did you mean https:?"},
		{"githlab://g/p/j", `unknown scheme "githlab"`, "did you mean gitlab:?"},
		{"ftp://example.org/x.zip", `unknown scheme "ftp"`, "https://HOST/PATH"},
		{"oci:example.org/p", "// is missing after the scheme", "oci://HOST/NAME"},
		{"oci://example.org", "a host and the name of a repository", "oci://HOST/NAME"},
		{"oci:///p", "a host and the name of a repository", "oci://HOST/NAME"},
		{"oci://example.org/", "a host and the name of a repository", "oci://HOST/NAME"},
		{"oci://example.org/P", "not the name of a repository", "write lower-case"},
		{"oci://example.org/a/../b", "not the name of a repository", "write lower-case"},
		{"oci://example.org/p:", "not a tag", "128"},
		{"oci://example.org/p:a/b", "not a tag", "128"},
		{"oci://example.org/p@sha256:abc", "not a digest", "64 hex"},
		{"oci://example.org/p@md5:abc", "not a digest", "64 hex"},
		{"oci://me:secret@example.org/p", "name or password", "docker login"},
		{"oci://example.org/p?token=x", "no parameters", "oci://HOST/NAME"},
		{"oci://exa mple/p", "not the host of a registry", "oci://HOST/NAME"},
		{"oci://example.org/ghp_0123456789abcdefghijABCDEFGHIJ012345", "not the name of a repository", "write lower-case"},
		{"https://example.org/" + githubToken + "/packs/", "what looks like a token", "make it invalid"},
		{"gha://o/r/" + githubToken, "what looks like a token", "make it invalid"},
		{"oci://example.org/p:" + githubToken, "what looks like a token", "make it invalid"},
		{"file:///etc/passwd", `unknown scheme "file"`, "write dir:PATH"},
		{"C:x", `unknown scheme "C"`, "dir:C:x"},
		{"odd:name", `unknown scheme "odd"`, "a directory of that name is dir:odd:name"},
		{"dir:", "names no directory", "dir:PATH"},
		{"x#", "nothing follows #", "name a pack"},
		{"#x", "nothing precedes #", "the location of the pack"},
		{"x#../y", "not a pack name", "name of a pack"},
		{"x#a/b", "not a pack name", "name of a pack"},
		{"https:example.org", "no host", "https://HOST/PATH"},
		{"https://", "cannot be read", "https://HOST/PATH"},
		{"https://:80/x", "cannot be read", "https://HOST/PATH"},
		{"https://%zz/", "cannot be read", "https://HOST/PATH"},
		{"https://me:secret@example.org/", "name or password", "environment"},
		{"https://example.org/x.zip?Token=1", `a secret in "Token"`, "does not last"},
		{"https://example.org/?x=1", "no query", "address of the site"},
		{"https://example.org/#a#b", "# twice", "name of a pack"},
		{"gha:o/r/a", "// is missing after the scheme", "gha://OWNER"},
		{"gha://o/r", "an owner, a repository and an artifact", "gha://OWNER"},
		{"gha://o/r/a/b", "an owner, a repository and an artifact", "gha://OWNER"},
		{"gha://o//a", "a name in it is empty", "gha://OWNER"},
		{"gha://o/r/..", "is not a name", "gha://OWNER"},
		{"gha://o/r/a%2Fb", "not an artifact name", "gha://OWNER"},
		{"gha://o/r/%", "cannot be decoded", "%25"},
		{"gha://o/r/a%0A", "is not a name", "gha://OWNER"},
		{"gha://o x/r/a", "not the name of an owner", "gha://OWNER"},
		{"gha://o/r/a?brnch=x", `unknown parameter "brnch"`, "did you mean branch=?"},
		{"gha://o/r/a?x=1", `unknown parameter "x"`, "write one of branch, workflow, run"},
		{"gha://o/r/a?run=1&run=2", "twice", "once"},
		{"gha://o/r/a?branch", "no value", "branch=VALUE"},
		{"gha://o/r/a?branch=", "no value", "branch=VALUE"},
		{"gha://o/r/a?run=latest", "not a run number", "address of the run's page"},
		{"gha://o/r/a?run=-1", "not a run number", "address"},
		{"gha://o/r/a?run=99999999999999999999", "not a run number", "address"},
		{"gitlab://p/job", "a group, a project and a job", "gitlab://GROUP"},
		{"gitlab://g/../job", "is not a name", "gitlab://GROUP"},
		{"gitlab://g/p/j?branch=x", `unknown parameter "branch"`, "write one of ref"},
		{"a\x00b", "control or invisible", ""},
		{"a\u202eb", "control or invisible", ""},
		{"a\xffb", "control or invisible", ""},
		{strings.Repeat("a", maxRef+1), "longer than 2048 bytes", ""},
		{strings.Repeat("a", 300) + "://x", "unknown scheme", "write dir:PATH"},
	} {
		_, err := ParseRef(tt.text)
		var refused *refError
		if !errors.As(err, &refused) || !strings.Contains(refused.Problem, tt.problem) || !strings.Contains(refused.Hint, tt.hint) {
			t.Errorf("%q: got %#v", tt.text, err)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, text := range []string{"dir:x#y", "a.zip", "https://e.org/x.zip?a=b#c", "gha://o/r/a?branch=b&run=1#p", "gitlab://g/s/p/j?ref=r", "x:y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRef(text)
		if err != nil {
			var refused *refError
			if !errors.As(err, &refused) || refused.Text != text || refused.Problem == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		again, err := ParseRef(r.String())
		if err != nil || again != r {
			t.Fatalf("%+v is read as %+v, %v", r, again, err)
		}
		if r.Kind == 0 || r.IsLocal() != (r.Path != "") || (r.Kind == Site || r.Kind == ArchiveURL) != (r.URL != "") {
			t.Fatalf("%+v", r)
		}
	})
}
