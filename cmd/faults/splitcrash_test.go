package faults_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// splitting reports whether a split has begun to stage its files.
func splitting(dir string) bool {
	list, _ := filepath.Glob(filepath.Join(dir, ".claude", "*", "*"))
	return len(list) > 0
}

// A split that is killed at any moment leaves the instruction file as it was, or
// the whole new state; no file is half, the backup is the original; and the split
// after it ends as one that nobody disturbed.
func TestFaultAKilledSplitLosesNothing(t *testing.T) {
	t.Parallel()
	count := kills(t, "split", 12)
	c := newCrasher(t, "rules")
	c.Rand = rand.New(rand.NewPCG(20, 7))
	c.args, c.begun = []string{"split", "--yes"}, splitting
	original := packgentest.Instructions()
	begin := func() string {
		dir := filepath.Join(t.TempDir(), "repo")
		packgentest.WriteText(t, filepath.Join(dir, "CLAUDE.md"), original)
		return dir
	}
	fresh := begin()
	usual := c.run(fresh, 1)
	after := c.tree(fresh)
	killed, halfway := 0, 0
	for tries := 0; killed < count.Rounds() && tries < 5*count.Rounds(); tries++ {
		dir := begin()
		for range 1 + c.IntN(2) {
			if !c.kill(dir, 1, usual) {
				break
			}
			killed++
			count.Done(1)
			got := c.tree(dir)
			for name, text := range got {
				switch {
				case name == "/CLAUDE.md" && text == original, strings.HasSuffix(name, ".packgen"):
				case text != after[name]:
					t.Errorf("%s is neither as before nor as after the split:\n%s", name, text)
				}
			}
			if got["/CLAUDE.md"] == original {
				if len(got) > 1 {
					halfway++
				}
			} else if len(got) < len(after) || got["/CLAUDE.md.bak"] != original {
				t.Errorf("CLAUDE.md is new beside %d of %d files", len(got), len(after))
			}
		}
		c.run(dir, 1)
		got := c.tree(dir)
		for name, text := range after {
			if got[name] != text {
				t.Errorf("the next split leaves in %s\n%s", name, got[name])
			}
		}
		if len(got) != len(after) {
			t.Errorf("%d files, want %d: %v", len(got), len(after), slices.Sorted(maps.Keys(got)))
		}
		if t.Failed() {
			count.Wrong("after %d kills", killed)
			return
		}
		oktest.Check(t, os.RemoveAll(dir))
	}
	if killed < count.Rounds() || halfway == 0 {
		t.Errorf("%d splits were killed in time, %d among their renames or before", killed, halfway)
	}
}

// Splits at once take turns: one does the work, the others find nothing to do.
func TestFaultSplitsAtOnceTakeTurns(t *testing.T) {
	t.Parallel()
	c := newCrasher(t, "rules")
	c.args = []string{"split", "--yes"}
	dirs := [2]string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "many")}
	for _, dir := range dirs {
		packgentest.WriteText(t, filepath.Join(dir, "CLAUDE.md"), packgentest.Instructions())
	}
	c.run(dirs[0], 1)
	type running interface{ Wait() error }
	var all []running
	for range 6 {
		cmd, _ := c.start(dirs[1], 1)
		all = append(all, cmd)
		time.Sleep(time.Duration(c.IntN(5)) * time.Millisecond)
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	want, got := c.tree(dirs[0]), c.tree(dirs[1])
	c.whole(got, nil, want)
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
}
