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

// An entry of the context map says what was meant, be it a page, another file or a heading.
func TestAnEntryOfTheContextMapSaysWhatWasMeant(t *testing.T) {
	for written, want := range map[string]string{
		"wiki/concepts/zonatoin.md":          `did you mean "wiki/concepts/zonation.md"?`,
		"wiki/zonation.md":                   `did you mean "wiki/concepts/zonation.md"?`,
		"sources/servey.md":                  `did you mean "sources/survey.md"?`,
		"wiki/concepts/zonation.md#zonatoin": `did you mean "#zonation"?`,
		"wiki/concepts/zonation.md#nothing":  "correct the part after #",
		"wiki/nothing-alike.md":              "correct the path",
	} {
		r := check(t, pages(map[string]string{"KNOWLEDGE.md": goodGuide + "- Elsewhere: `" + written + "`\n"}), Compiled{})
		found := 0
		for _, d := range r.Diagnostics {
			if d.ID == idRefBroken {
				if found++; d.Hint != want {
					t.Errorf("%s: %q with the hint %q, want %q", written, d.Message, d.Hint, want)
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is reported %d times", written, found)
		}
	}
}
