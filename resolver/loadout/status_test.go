package loadout

import "testing"

func TestASummaryBeginsWithTheStatusOfItsText(t *testing.T) {
	for _, status := range []string{"draft", "needs-review", "stale", "disputed"} {
		marked := MarkSummary(status, "It is blue.")
		if again := MarkSummary(status, marked); again != marked || marked == "It is blue." {
			t.Errorf("%s: %q, then %q", status, marked, again)
		}
		if got, plain := StatusOf(marked); got != status || plain != "It is blue." {
			t.Errorf("%q: status %q of %q", marked, got, plain)
		}
	}
	for _, status := range []string{"", "ready", "archived"} {
		if got := MarkSummary(status, "It is blue."); got != "It is blue." {
			t.Errorf("%q: %q", status, got)
		}
	}
	if got := MarkSummary("stale", ""); got != "" {
		t.Errorf("an empty summary: %q", got)
	}
	if status, plain := StatusOf("Stalemates: a list"); status != "" || plain != "Stalemates: a list" {
		t.Errorf("status %q of %q", status, plain)
	}
}
