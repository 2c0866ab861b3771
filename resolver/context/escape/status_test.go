package escape

import "testing"

func TestASummaryBeginsWithTheStatusOfItsText(t *testing.T) {
	for _, status := range []string{"draft", "needs-review", "stale", "disputed"} {
		marked := Summary(status, "It is blue.")
		if again := Summary(status, marked); again != marked || marked == "It is blue." {
			t.Errorf("%s: %q, then %q", status, marked, again)
		}
		if got, plain := StatusOf(marked); got != status || plain != "It is blue." || !IsNotReady(status) {
			t.Errorf("%q: status %q of %q", marked, got, plain)
		}
	}
	for _, status := range []string{"", "ready", "archived"} {
		if got := Summary(status, "It is blue."); got != "It is blue." || IsNotReady(status) || StatusLine(status) != "" {
			t.Errorf("%q: %q", status, got)
		}
	}
	if got := Summary("stale", ""); got != "" {
		t.Errorf("an empty summary: %q", got)
	}
	if status, plain := StatusOf("Stalemates: a list"); status != "" || plain != "Stalemates: a list" {
		t.Errorf("status %q of %q", status, plain)
	}
}
