package loadout_test

import (
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
)

// matchOptions reads the options of a match case.
func matchOptions(c *goldentest.Case) loadout.MatchOptions {
	opts := loadout.MatchOptions{Compat: c.Compat()}
	if c.Text("dialect") == "recall" {
		opts.Dialect = loadout.Recall
	}
	if f, ok := c.Input.Get("opts").Get("minScore").Num(); ok {
		opts.MinScore = &f
	}
	return opts
}

// runMatch answers a case of match.json with the matcher given.
func runMatch(c *goldentest.Case, ix *loadout.Index, match func(string, loadout.MatchOptions) ([]loadout.Result, error)) (loadout.Value, error) {
	if c.Fn() == "lookupEntry" {
		id, ok := c.Input.Get("id").Str()
		if e := ix.Lookup(id); ok && e != nil {
			return e.JSON(), nil
		}
		return "null", nil
	}
	results, err := match(c.Text("task"), matchOptions(c))
	return loadout.Value(loadout.AppendResults(nil, results)), err
}

func TestGoldenMatchScan(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "match.json") {
		ix := loadout.DecodeIndex(c.Input.Get("index"))
		got, err := runMatch(&c, ix, func(task string, opts loadout.MatchOptions) ([]loadout.Result, error) {
			return loadout.Match(task, ix, opts)
		})
		goldentest.Equal(t, &c, got, err)
	}
}
