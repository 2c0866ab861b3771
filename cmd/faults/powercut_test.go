package faults_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// A power cut at any moment of a command leaves files that are whole, as before or as
// after, and the next run leaves what one leaves that nothing disturbed. What was never
// synced is lost, or a part of it. Every other time the file system keeps names in no
// order: then the next run may take a view for edited by hand, which --force ends.
func TestFaultAPowerCutLeavesWholeFiles(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Parallel()
	compiled := func(c *crasher, dir string) {
		c.repo(dir, 0)
		c.run(dir, 0)
		c.repo(dir, 1)
	}
	for _, tt := range []struct {
		name, verb string
		args       []string
		many       int
		begin      func(c *crasher, dir string)
		env        func(dir string) []string
		pack       [2]map[string]string
		forced     bool
	}{
		{name: "build", verb: "build", many: 180, begin: compiled, pack: packgentest.Pages, forced: true},
		{name: "compile", verb: "compile", many: 100, begin: compiled, pack: editedPack(), forced: true},
		{name: "split", verb: "rules", args: []string{"split", "--yes"}, many: 60, begin: func(_ *crasher, dir string) {
			packgentest.WriteText(t, filepath.Join(dir, "CLAUDE.md"), packgentest.Instructions())
		}},
		{name: "connect", verb: "connect", args: []string{"all", "--claude-md"}, many: 60, begin: func(_ *crasher, dir string) { connected(t, dir) }},
		{name: "refresh", verb: "memory publish", args: []string{"--store", "store", "--out", "home/index.json"}, many: 50, begin: func(c *crasher, dir string) {
			writeStore(t, filepath.Join(dir, "store"), 20)
			c.run(dir, 0)
			writeStore(t, filepath.Join(dir, "store"), 30)
		}},
		{name: "pull", verb: "pull", args: newPuller(t).args, many: 30, begin: func(*crasher, string) {}, env: func(dir string) []string {
			return []string{"PACKGEN_CACHE_DIR=" + filepath.Join(dir, "cache")}
		}},
		{name: "pull --out", verb: "pull", args: append(newPuller(t).args, "--out", "out"), many: 20, begin: func(*crasher, string) {}, env: func(dir string) []string {
			return []string{"PACKGEN_CACHE_DIR=" + filepath.Join(dir, "cache")}
		}},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", ""), func(t *testing.T) {
			t.Parallel()
			count := torturetest.Start(t, "power", tt.name, 5, tt.many)
			c := newCrasher(t, tt.verb)
			c.Rand, c.args, c.pack = rand.New(rand.NewPCG(uint64(len(tt.name)), 28)), tt.args, tt.pack
			into := func(dir string) {
				c.env = []string{"GOMAXPROCS=1"}
				if tt.env != nil {
					c.env = append(c.env, tt.env(dir)...)
				}
			}
			dir := filepath.Join(t.TempDir(), "repo") // the same one all the time: some outputs name the place
			oktest.Check(t, os.MkdirAll(dir, 0o777))
			into(dir)
			tt.begin(c, dir)
			before := pulled(c.tree(dir))
			cmd, out := c.prepare(dir, 1)
			trace, err := Record(cmd, dir)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			after := pulled(c.tree(dir))
			settled := maps.Clone(after)
			delete(settled, "/home/index.json.bak") // holds what the run before the last one wrote
			whole := filepath.Join(t.TempDir(), "whole")
			oktest.Check(t, trace.Whole(whole))
			got := pulled(c.tree(whole))
			if !maps.Equal(got, after) || trace.Changes() == 0 {
				t.Fatalf("the model of %d changes ends in %d files, of which %d are right", trace.Changes(), len(got), equalFiles(got, after))
			}
			for round := range count.Rounds() {
				journal := round%2 == 0
				oktest.Check(t, errors.Join(os.RemoveAll(dir), trace.Cut(c.Rand, dir, journal)))
				count.Done(1)
				got := pulled(c.tree(dir))
				maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasPrefix(name, "/cache/") }) // verified when it is read
				c.check(count, got, before, after)
				age(t, dir)
				again := *c
				if !journal && tt.forced {
					again.args = append(slices.Clone(c.args), "--force") // an index is there, a view that it names is not
				}
				again.run(dir, 1)
				got, want := pulled(c.tree(dir)), settled
				delete(got, "/home/index.json.bak")
				if !journal && tt.forced {
					want = views(want)
					got = views(got)
					isLeft := func(name, text string) bool { // its index is there, its removal is not
						old, had := before[name]
						return had && text == old && want[name] == ""
					}
					for name, text := range got { // a view that stays counts as somebody's own, which the next index lists
						if isLeft(name, text) && path.Ext(name) == ".md" {
							index := path.Join(path.Dir(name), "index.json")
							delete(got, index)
							delete(want, index)
						}
					}
					maps.DeleteFunc(got, isLeft)
				}
				if !maps.Equal(got, want) {
					count.Wrong("the next run leaves %s", differing(got, want))
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// views are the files of packs except the run records, which say what a run has changed.
func views(files map[string]string) map[string]string {
	kept := maps.Clone(files)
	maps.DeleteFunc(kept, func(name, _ string) bool {
		return !strings.HasPrefix(name, "/packs/") || strings.Contains(name, "/runs/")
	})
	return kept
}

// check looks at the files that an interrupted run left.
func (c *crasher) check(count *torturetest.Count, got, before, after map[string]string) {
	for name, text := range got {
		old, had := before[name]
		fresh, comes := after[name]
		if base := filepath.Base(name); strings.Contains(name, "/.packgen") || strings.HasSuffix(name, ".packgen") || base[0] == '.' && strings.Contains(name, ".publish/") {
			continue // a stage beside its target
		}
		if !(had && text == old) && !(comes && text == fresh) {
			count.Wrong("%s is neither as before nor as after:\n%.300q", name, text)
		}
	}
	for name := range before {
		if _, there := got[name]; !there && after[name] != "" {
			count.Wrong("%s is lost", name)
		}
	}
}
