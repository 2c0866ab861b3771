package compiler

import (
	"strings"
	"testing"
)

// A split says which of its claims are stale or disputed, each once, and what is confirmed
// again loses the mark.
func TestSplitsSayWhichClaimsAreDoubtful(t *testing.T) {
	const page = "# A\n\n## Facts\n\n- It holds one. [source: sources/s.md#L1]\n- It is red. [source: sources/s.md#L2]\n- It is old. [source: sources/s.md#L3] [status: stale]\n- It is blue. [status: disputed]\n"
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": page, "sources/s.md": "one\nred\nold\n"})
	split := func(day int) string {
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
		files := readTree(t, dir)
		checkRecords(t, files, r)
		return files["compiled/splits/a/facts.md"]
	}
	count := func(text, word string) int { return strings.Count(text, "[status: "+word+"]") }
	if text := split(0); count(text, "stale") != 1 || count(text, "disputed") != 1 {
		t.Errorf("at first the split is\n%s", text)
	}
	tree{"sources/s.md": "two\nred\nold\n"}.write(t, dir)
	for day := range 2 { // the second compile finds nothing to do
		text := split(1 + day)
		if !strings.Contains(text, "It holds one. [source: sources/s.md#L1] [status: stale]\n") || count(text, "stale") != 2 || count(text, "disputed") != 1 {
			t.Errorf("with another source the split is\n%s", text)
		}
	}
	tree{"sources/s.md": "one\nred\nold\n"}.write(t, dir)
	if text := split(3); count(text, "stale") != 1 {
		t.Errorf("with the source of the beginning the split is\n%s", text)
	}
}
