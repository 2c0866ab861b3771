package lint

import "testing"

// A page that was renamed is found by its title, sections that are headed alike are named,
// and so is a wrong date.
func TestWhatIsWrongSaysWhatWasMeant(t *testing.T) {
	r := check(t, map[string]string{
		"KNOWLEDGE.md":           goodGuide + "- Late returns: `wiki/concepts/late-fees.md`\n",
		"wiki/concepts/owed.md":  "---\ndate: last tuesday\n---\n# Late returns\n\nA crab. [s](owed.md#a)\n\n## A\n\nx\n\n## A\n\ny\n",
		"wiki/index.md":          "# Index\n\n[a](concepts/owed.md) [b](concepts/other.md)\n",
		"wiki/concepts/other.md": "---\ndate: 2026-02-28T10:00:00Z\n---\n# Other\n\n## A\n\n### B\n\n## C\n\n### B\n",
	}, Compiled{})
	for id, want := range map[string]struct{ path, hint string }{
		"ref-broken":       {"KNOWLEDGE.md", `did you mean "wiki/concepts/owed.md"?`},
		"entity-duplicate": {"wiki/concepts/owed.md", "give one of the sections another heading"},
		"metadata-invalid": {"wiki/concepts/owed.md", "write it as year, month and day, such as 2026-02-28"},
	} {
		found := 0
		for _, d := range r.Diagnostics {
			if d.ID != id || d.Path == "KNOWLEDGE.md" && id == "entity-duplicate" {
				continue
			}
			if found++; d.Path != want.path || d.Hint != want.hint {
				t.Errorf("%s: %s %q with the hint %q", id, d.Path, d.Message, d.Hint)
			}
		}
		if found != 1 {
			t.Errorf("%s is reported %d times, want once", id, found)
		}
	}
}
