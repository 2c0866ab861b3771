package faults_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// A refresh that is killed at any moment leaves a whole index, the old one or the
// new one, and whatever lies beside it answers as it does.
func TestFaultAKilledRefreshLeavesAWholeIndex(t *testing.T) {
	t.Parallel()
	count := kills(t, "refresh", 12)
	c := newCrasher(t, "memory publish")
	c.Rand = rand.New(rand.NewPCG(22, 7))
	dir := t.TempDir()
	dest := filepath.Join(dir, "home", "index.json")
	c.begun = func(string) bool {
		list, _ := filepath.Glob(filepath.Join(dir, "home", ".*.packgen"))
		return len(list) > 0
	}
	stores := []string{writeStore(t, filepath.Join(dir, "a"), 30), writeStore(t, filepath.Join(dir, "b"), 300)}
	args := func(store string) []string { return []string{"--store", store, "--out", dest} }
	c.args = args(stores[0])
	usual := c.run(dir, 1)
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 5*count.Rounds(); tries++ {
		c.args = args(stores[c.IntN(2)])
		if !c.kill(dir, 1+tries, usual) {
			continue
		}
		killed++
		count.Done(1)
		text := oktest.Value(os.ReadFile(dest))(t)
		want, err := indexjson.Read(text)
		if err != nil || len(want.Entries) != 30 && len(want.Entries) != 300 {
			count.Wrong("after %d kills the index has %d bytes: %v", killed, len(text), err)
			return
		}
		got, _, err := indexfile.Open(dest)
		oktest.Check(t, err)
		const task = "zebra topic7"
		o := loadout.MatchOptions{Dialect: loadout.Recall}
		x, err1 := got.Match(task, o)
		y, err2 := loadout.Match(task, want, o)
		if err1 != nil || err2 != nil || string(loadout.AppendResults(nil, x)) != string(loadout.AppendResults(nil, y)) {
			count.Wrong("after %d kills index.bin answers otherwise than index.json", killed)
			return
		}
		// Each round starts without the leavings by which begun sees a run.
		left, _ := filepath.Glob(filepath.Join(dir, "home", ".*.packgen"))
		for _, name := range left {
			oktest.Check(t, os.Remove(name))
		}
	}
	if killed < count.Rounds() {
		t.Errorf("only %d refreshes were killed in time", killed)
	}
	c.run(dir, 1)
	if _, fast, err := indexfile.Open(dest); err != nil || !fast {
		t.Errorf("the index.bin of the refresh after them is used: %t, %v", fast, err)
	}
}
