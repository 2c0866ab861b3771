package rank

import "testing"

// A split begins with the title of its document; the words of it count for no section.
func TestTheTitleOfTheDocumentIsNotCounted(t *testing.T) {
	for text, want := range map[string]bool{
		"# Kettle\n\n## Care\n\nDescale it.\n":            false,
		"# Tea\n\nA kettle.\n":                            true,
		"# Tea\n\n## Pots\n\n### Kettle\n\nDescale it.\n": true,
	} {
		sections := []Section{{Title: "Care", Text: text}}
		if got := len(Overlap{}.Score("kettle", sections).Ranked(nil)) > 0; got != want {
			t.Errorf("overlap finds the word of the title in %q: %v", text, got)
		}
		q := parseQuery("kettle")
		if got := len(newCounter(q).count(&sections[0]).hits) > 0; got != want {
			t.Errorf("the word of the title is counted in %q: %v", text, got)
		}
	}
}
