package faults_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
)

// exchangeRepo writes a repository of one pack of many pages, in one of its versions.
func exchangeRepo(t *testing.T, dir string, version int) {
	t.Helper()
	packgentest.WriteText(t, filepath.Join(dir, "packs", "p", "KNOWLEDGE.md"), "---\nname: p\ndescription: Steps of parts.\ntype: custom:x\nprofile: document-first\nstatus: ready\ntrust: official\nmetadata:\n  primaryDocument: documents/page-0.md\n---\n\n# P\n")
	for i := range 120 {
		packgentest.WriteText(t, filepath.Join(dir, "packs", "p", "documents", fmt.Sprintf("page-%d.md", i)), fmt.Sprintf("# Page %d\n\nVersion %d of it.\n", i, version))
	}
}

// An export that is killed at any moment leaves files of which each is as before or as
// after, and the next one leaves what one leaves that nobody disturbed.
func TestFaultAKilledExportLeavesWholeFiles(t *testing.T) {
	t.Parallel()
	count := kills(t, "export", 12)
	c := newCrasher(t, "export skills")
	c.Rand = rand.New(rand.NewPCG(24, 7))
	c.args = []string{"--out", "out"}
	var states [2]map[string]string // what each version leaves
	for version := range states {
		dir := t.TempDir()
		exchangeRepo(t, dir, version)
		c.run(dir, 1)
		states[version] = c.tree(dir)
	}
	dir := t.TempDir()
	exchangeRepo(t, dir, 0)
	usual := c.run(dir, 1)
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 8*count.Rounds(); tries++ {
		version := 1 - tries%2
		exchangeRepo(t, dir, version)
		if !c.kill(dir, 1, usual) {
			continue
		}
		killed++
		count.Done(1)
		for name, text := range c.tree(dir) {
			if text != states[0][name] && text != states[1][name] {
				count.Wrong("after %d kills %s is neither as before nor as after:\n%.300s", killed, name, text)
				return
			}
		}
		if c.IntN(2) == 0 {
			c.run(dir, 1)
			if got := c.tree(dir); !maps.Equal(got, states[version]) {
				count.Wrong("after %d kills the next export leaves %d files, not those of one that nobody disturbed (%d)", killed, len(got), len(states[version]))
				return
			}
		}
	}
	if killed < count.Rounds() {
		t.Errorf("%d exports were killed in time", killed)
	}
}

// An import that is killed at any moment leaves no pack or one of whole files, and the
// next one leaves the whole pack.
func TestFaultAKilledImportLeavesAWholePack(t *testing.T) {
	t.Parallel()
	count := kills(t, "import", 12)
	skills := filepath.Join(t.TempDir(), "skills")
	source := t.TempDir()
	exchangeRepo(t, source, 0)
	if code, _, stderr := packgentest.Run(t, "", "-C", source, "export", "skills", "--out", skills); code != 0 {
		t.Fatalf("export ends with %d: %s", code, stderr)
	}
	c := newCrasher(t, "import skills")
	c.Rand = rand.New(rand.NewPCG(25, 7))
	c.args = []string{filepath.Join(skills, "p")}
	fresh := t.TempDir()
	usual := c.run(fresh, 1)
	after := c.tree(fresh)
	if len(after) < 120 {
		t.Fatalf("an import leaves %v", slices.Sorted(maps.Keys(after)))
	}
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 8*count.Rounds(); tries++ {
		dir := t.TempDir()
		if !c.kill(dir, 1, usual) {
			continue
		}
		killed++
		count.Done(1)
		got := c.tree(dir)
		for name, text := range got {
			if text != after[name] {
				count.Wrong("after %d kills %s is not whole:\n%.300s", killed, name, text)
				return
			}
		}
		if maps.Equal(got, after) {
			continue // it was done
		}
		c.run(dir, 1)
		if got := c.tree(dir); !maps.Equal(got, after) {
			count.Wrong("after %d kills the next import leaves %d of %d files", killed, len(got), len(after))
			return
		}
	}
	if killed < count.Rounds() {
		t.Errorf("%d imports were killed in time", killed)
	}
}
