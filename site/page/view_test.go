package page

import (
	"strings"
	"testing"
)

func TestHugeViewsShowTheirBeginning(t *testing.T) {
	line := "- " + strings.Repeat("word ", 30) + "\n"
	text := "# Facts\n\n" + strings.Repeat("## Part\n\n"+strings.Repeat(line, 20)+"\n", 200)
	part, whole := firstPart([]byte(text))
	if whole || len(part) > maxShown || !strings.HasSuffix(string(part), "\n") || strings.HasSuffix(string(part), "## Part\n") == strings.HasSuffix(string(part), "word \n") {
		t.Errorf("the part has %d bytes and ends in %q", len(part), part[len(part)-20:])
	}
	if part, whole := firstPart([]byte(line)); !whole || string(part) != line {
		t.Errorf("a short view is cut to %q", part)
	}
	if part, _ := firstPart([]byte(strings.Repeat("x", maxShown+1))); len(part) > 0 {
		t.Error("a view of one endless line is shown")
	}
}
