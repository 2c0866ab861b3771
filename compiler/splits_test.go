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

// The briefing says whether the first sentence of a page is a doubtful claim.
func TestTheBriefingSaysWhichSentencesAreDoubtful(t *testing.T) {
	for _, profile := range []string{"hybrid", "wiki-first"} {
		dir := packDir(t, tree{
			"KNOWLEDGE.md": entry(profile, "required"), "documents/a.md": "# A\n\nText.\n", "sources/s.md": "one\nred\n",
			"wiki/b.md": "# B\n\nIt holds one. [source: sources/s.md#L1]\n",
			"wiki/c.md": "# C\n\nIt is red, as it was. [source: sources/s.md#L2] It is so.\n",
		})
		for day, want := range []int{0, 1, 0} {
			tree{"sources/s.md": []string{"one\nred\n", "two\nred\n", "one\nred\n"}[day]}.write(t, dir)
			compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
			text := readTree(t, dir)[briefingPath]
			if strings.Count(text, "[status: stale]") != want || want > 0 && !strings.Contains(text, "It holds one. [status: stale] (`wiki/b.md`)") {
				t.Errorf("%s: the briefing of day %d is\n%s", profile, day, text)
			}
		}
	}
}
