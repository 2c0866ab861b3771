package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// ciPull pulls from a stand-in of GitHub, in this process.
type ciPull struct {
	t   *testing.T
	gh  *fetchtest.GitHub
	dir string
	env map[string]string
}

func newCIPull(t *testing.T) *ciPull {
	t.Helper()
	c := &ciPull{t: t, gh: fetchtest.NewGitHub(t), dir: t.TempDir(), env: map[string]string{}}
	for _, name := range []string{"GITHUB_API_URL", "GITHUB_TOKEN", "GH_TOKEN"} {
		c.env[name] = c.gh.Getenv(name)
	}
	c.emptyCache()
	return c
}

func (c *ciPull) emptyCache() {
	c.env[remote.CacheVariable] = filepath.Join(c.t.TempDir(), "cache")
}

// run runs a command line that must end with an exit code, and returns all it
// prints. Tokens are in none of it.
func (c *ciPull) run(want int, args ...string) string {
	c.t.Helper()
	got, stdout, stderr := runIn(c.t, c.env, append([]string{"-C", c.dir}, args...)...)
	out := stdout + stderr
	if got != want {
		c.t.Errorf("packgen %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, want, out)
	}
	lock, _ := os.ReadFile(filepath.Join(c.dir, "packgen.lock")) // there may be none yet
	if strings.Contains(out+string(lock), c.gh.Token) {
		c.t.Errorf("packgen %s shows the token:\n%s%s", strings.Join(args, " "), out, lock)
	}
	return out
}

// archives are a pack as it was published first and later.
func (c *ciPull) archives() (first, later []byte) {
	c.t.Helper()
	source := packgentest.Repository(c.t)
	pack := func() []byte {
		c.t.Helper()
		var out bytes.Buffer
		if code := run([]string{"-C", source, "build"}, strings.NewReader(""), &out, &out); code != exitDone {
			c.t.Fatalf("build: exit code %d\n%s", code, &out)
		}
		data, err := os.ReadFile(filepath.Join(source, "public/packs/p/pack.tar.gz"))
		oktest.Check(c.t, err)
		return data
	}
	first = pack()
	oktest.Check(c.t, os.WriteFile(filepath.Join(source, "packs/p/wiki/b.md"), []byte("# B\n\nOther text.\n"), 0o666))
	return first, pack()
}

func TestPullFromACIArtifact(t *testing.T) {
	t.Parallel()
	c := newCIPull(t)
	first, later := c.archives()
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: first, Branch: "main"})
	if out := c.run(exitDone, "pull", "gha://o/r/packs"); !strings.Contains(out, "added  github") {
		t.Errorf("%s", out)
	}
	c.run(exitDone, "resolve", "--from", "p", "text of b")
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: later})
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("poison"), Fork: true})
	c.emptyCache()
	if out := c.run(exitDone, "pull", "--frozen"); !strings.Contains(out, "locked  github") {
		t.Errorf("the locked run is fetched again: %s", out)
	}
	c.run(exitFindings, "pull", "--frozen", "--update")
	if out := c.run(exitDone, "pull", "--update", "p"); !strings.Contains(out, " → ") {
		t.Errorf("%s", out)
	}

	c.emptyCache()
	c.gh.Blobs.Spoil(fetchtest.Fault{Path: "/blob/", Times: -1, Corrupt: true})
	if out := c.run(exitMismatch, "pull"); strings.Count(out, "sha256:") != 2 {
		t.Errorf("both digests: %s", out)
	}
	lock, err := os.ReadFile(filepath.Join(c.dir, "packgen.lock"))
	oktest.Check(t, err)
	out := c.run(exitMismatch, "pull", "gha://o/r/packs", "gha://o/r/nothing", "--json")
	if !strings.Contains(out, `"findings": [`) || strings.Count(out, `"severity": "error"`) != 2 {
		t.Errorf("every fault is reported, and the gravest decides: %s", out)
	}
	if after, err := os.ReadFile(filepath.Join(c.dir, "packgen.lock")); err != nil || !bytes.Equal(after, lock) {
		t.Errorf("the lock changed to\n%s", after)
	}
}

func TestALockedArtifactThatIsGoneSaysWhatToDo(t *testing.T) {
	t.Parallel()
	c := newCIPull(t)
	first, _ := c.archives()
	_, run := c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: first})
	c.run(exitDone, "pull", "gha://o/r/packs")
	other := newCIPull(t)
	other.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: first, Run: run, Expired: true})
	other.dir = c.dir
	if out := other.run(exitMisuse, "pull"); !strings.Contains(out, "packgen lock update") {
		t.Errorf("%s", out)
	}
}
