package loadout_test

import (
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
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
		ix := goldentest.Index(c.Input.Get("index"))
		got, err := runMatch(&c, ix, func(task string, opts loadout.MatchOptions) ([]loadout.Result, error) {
			return loadout.Match(task, ix, opts)
		})
		goldentest.Equal(t, &c, got, err)
	}
}

// The golden cases again, after the index went through index.json and index.bin.
func TestGoldenMatchFiles(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "match.json") {
		m := throughFiles(t, goldentest.Index(c.Input.Get("index")))
		got, err := runMatch(&c, m.Index(), m.Match)
		goldentest.Equal(t, &c, got, err)
	}
}

// throughFiles writes an index as JSON, reads that, writes it as binary and
// opens that.
func throughFiles(t *testing.T, ix *loadout.Index) *loadout.Matcher {
	t.Helper()
	text := indexjson.Write(ix)
	read, err := indexjson.Read(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if again := indexjson.Write(read); string(again) != string(text) {
		t.Fatalf("written again:\n%s\nfirst:\n%s", again, text)
	}
	data := oktest.Value(loadout.Marshal(read))(t)
	m := oktest.Value(loadout.OpenBinary(data))(t)
	if got := indexjson.Write(m.Index()); string(got) != string(text) {
		t.Fatalf("after index.bin:\n%s\nfirst:\n%s", got, text)
	}
	return m
}
