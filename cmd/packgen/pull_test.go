package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

func TestPullFromACIArtifact(t *testing.T) {
	t.Parallel()
	source, c := publishTwice(t), newPlaces(t)
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: source.known, Branch: "main"})
	if out := c.run(exitDone, "pull", "gha://o/r/packs"); !strings.Contains(out, "added  github") {
		t.Errorf("%s", out)
	}
	c.run(exitDone, "resolve", "--from", "p", "text of b")
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: source.archive})
	c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: []byte("poison"), Fork: true})
	maps.Copy(c.env, cacheOf(t))
	if out := c.run(exitDone, "pull", "--frozen"); !strings.Contains(out, "locked  github") {
		t.Errorf("the locked run is fetched again: %s", out)
	}
	c.run(exitFindings, "pull", "--frozen", "--update")
	if out := c.run(exitDone, "pull", "--update", "p"); !strings.Contains(out, " → ") {
		t.Errorf("%s", out)
	}

	maps.Copy(c.env, cacheOf(t))
	c.gh.Blobs.Spoil(fetchtest.Fault{Path: "/blob/", Times: -1, Corrupt: true})
	if out := c.run(exitMismatch, "pull"); strings.Count(out, "sha256:") != 2 {
		t.Errorf("both digests: %s", out)
	}
	lock := oktest.Value(os.ReadFile(filepath.Join(c.dir, "packgen.lock")))(t)
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
	source, c, other := publishTwice(t), newPlaces(t), newPlaces(t)
	_, run := c.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: source.known})
	c.run(exitDone, "pull", "gha://o/r/packs")
	other.gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: source.known, Run: run, Expired: true})
	other.dir = c.dir
	if out := other.run(exitMisuse, "pull"); !strings.Contains(out, "packgen lock update") {
		t.Errorf("%s", out)
	}
}
