package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

func TestARoutingChangeHasFiguresAndTheTasksThatChanged(t *testing.T) {
	t.Parallel()
	before := indexOf(entry("care", "descale acid"), entry("price", "price shop"))
	after := indexOf(entry("care", "descale acid"), entry("noise", "boil noise"), entry("price", "cost"))
	c := &routingChange{}
	r := read(t, "tasks:\n  - task: descale with acid\n    must: [{id: care, rank: 1}]\n"+
		"  - task: boil noise\n    must: [noise]\n  - task: price | <b>shop\n    must_not: [price]\n")
	oktest.Check(t, c.Add(r, before, after, loadout.Coverage))
	want := `| Routing | Before | After |
| --- | ---: | ---: |
| Tasks met, of 3 | 1 | 3 |
| Recall | 0.50 | 1.00 |
| Tokens | 200 | 200 |

| Task | Selects now | No longer | Tokens |
| --- | --- | --- | ---: |
| boil noise | noise |  | 0 → 100 |
| price \| &lt;b&gt;shop |  | price | 100 → 0 |
`
	if got := c.Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestARoutingChangeOfNothingSaysSo(t *testing.T) {
	t.Parallel()
	c := &routingChange{}
	oktest.Check(t, c.Add(read(t, "tasks:\n  - task: descale\n    must_not: [x]\n"), kettles, kettles, loadout.Coverage))
	if got := c.Markdown(); !strings.Contains(got, "| Recall | - | - |\n") || !strings.HasSuffix(got, "\nEvery task selects what it did.\n") {
		t.Error(got)
	}
}

func TestARoutingChangeNamesSoManyTasks(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("tasks:\n")
	for i := range maxChangedTasks + 3 {
		fmt.Fprintf(&text, "  - task: descale number %d\n    must: [kettle-care]\n", i)
	}
	c := &routingChange{}
	oktest.Check(t, c.Add(read(t, text.String()), indexOf(), kettles, loadout.Coverage))
	if got := c.Markdown(); strings.Count(got, "| descale number ") != maxChangedTasks || !strings.HasSuffix(got, "\n3 further tasks changed as well.\n") {
		t.Error(got)
	}
}
