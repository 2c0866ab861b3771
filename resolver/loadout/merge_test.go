package loadout_test

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
)

// A number and a text that look alike are two entries, but one key.
func TestProvenanceHasEachKeyOnce(t *testing.T) {
	index := func(text string) *loadout.Index { return goldentest.Index(loadout.Value(text)) }
	m, err := loadout.Merge([]loadout.Layer{
		{Name: "global", Index: index(`{"entries":[{"id":"a"},{"id":5}]}`)},
		{Name: "project", Index: index(`{"entries":[{"id":"5"}]}`)},
	}, loadout.MergeOptions{})
	oktest.Check(t, err)
	const want = `"provenance":{"5":"project","a":"global"}`
	if got := string(loadout.AppendMerged(nil, m)); len(m.Entries) != 3 || !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}
