package loadout_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// A breakdown that lists a few entries still sums up all of them.
func TestBreakdownSumsUpWhatItDoesNotList(t *testing.T) {
	ix := &loadout.Index{Version: "1.0.0"}
	add := func(n int, priority string, tokens float64, keywords ...string) {
		for range n {
			ix.Entries = append(ix.Entries, loadout.Entry{
				ID: fmt.Sprintf("e%d", len(ix.Entries)), Priority: priority, Keywords: keywords, TokensEst: tokens,
			})
		}
	}
	add(2, "core", 1000, "x")
	add(300, "domain", 7, "kettle")
	add(1, "domain", math.NaN(), "kettle")
	add(20, "domain", 3, "kettle", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1")
	b := oktest.Value(loadout.Detail("kettle", ix, loadout.MatchOptions{}))(t)
	want := loadout.Loads{Entries: 303, Tokens: 4100, Eager: 2000, Lazy: 2100}
	if got := b.Loads(); got != want {
		t.Errorf("loads %+v, want %+v", got, want)
	}
	for _, test := range []struct{ limit, near, included, others int }{
		{0, 0, 303, 20},
		{200, 12, 200, 12},
		{303, 20, 303, 20},
		{302, 1, 302, 1},
		{1, 0, 1, 20},
	} {
		var got struct {
			Total   int
			Loads   struct{ Entries, Tokens int }
			Entries []struct{ Included bool }
		}
		oktest.Check(t, json.Unmarshal(loadout.AppendBreakdown(nil, b, test.limit, test.near), &got))
		included := 0
		for _, e := range got.Entries {
			if e.Included {
				included++
			}
		}
		if got.Total != 323 || got.Loads.Entries != 303 || got.Loads.Tokens != 4100 {
			t.Errorf("at most %d and %d: total %d, loads %+v", test.limit, test.near, got.Total, got.Loads)
		}
		if others := len(got.Entries) - included; included != test.included || others != test.others {
			t.Errorf("at most %d and %d: %d and %d are listed", test.limit, test.near, included, others)
		}
	}
}
