package main

import (
	"path/filepath"
	"testing"
)

// Several runs on one repository at once wait for each other, and the next one
// ends in the tree of one alone. A build that waited has listed the pack before the
// one ahead of it wrote the newest run, so its site may show the run before.
func TestRunsAtOnceWaitForEachOther(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"compile", "build"} {
		c := newCrasher(t, verb)
		dir := filepath.Join(t.TempDir(), "repo")
		c.repo(dir, 0)
		c.run(dir, 0)
		c.repo(dir, 1)
		fresh := copyRepo(t, dir)
		c.run(fresh, 1)

		type running interface{ Wait() error }
		var all []running
		for range 4 {
			cmd, _ := c.start(dir, 1)
			all = append(all, cmd)
		}
		for _, cmd := range all {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v", verb, err)
			}
		}
		c.run(dir, 1)
		got, want := c.tree(dir), c.tree(fresh)
		c.whole(got, nil, want)
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", verb, len(got), len(want))
		}
	}
}
