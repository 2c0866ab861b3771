package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

func TestAMatchShowsAHundredEntriesAndCountsTheRest(t *testing.T) {
	var ix loadout.Index
	for i := range 130 {
		e := loadout.Entry{ID: fmt.Sprintf("e%d", i), Path: "p.md", Keywords: []string{"deploy"}, Priority: loadout.PriorityDomain, TokensEst: 10}
		ix.Entries = append(ix.Entries, e)
	}
	detail := oktest.Value(loadout.Detail("deploy", &ix, loadout.MatchOptions{}))(t)
	for verbose, want := range map[bool]int{false: 100, true: 130} {
		var out strings.Builder
		p := &Printer{W: &out, Verbose: verbose}
		p.Match("index.json", detail)
		if n := strings.Count(out.String(), "hit [deploy]"); n != want {
			t.Errorf("verbose %t: %d entries are shown, not %d", verbose, n, want)
		}
		if said := strings.Contains(out.String(), "and 30 more; -v shows all"); said == verbose {
			t.Errorf("verbose %t: the rest is counted: %t", verbose, said)
		}
		if !strings.Contains(out.String(), "would load 130 entries: 1300 tokens") {
			t.Errorf("verbose %t: the sums are of a part:\n%s", verbose, out.String()[out.Len()-80:])
		}
	}
}
