package rank

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/stem"
)

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
		if got := len(BM25F{}.Score("kettle", sections).Ranked(nil)) > 0; got != want {
			t.Errorf("the word of the title is counted in %q: %v", text, got)
		}
	}
}

// Every word of a text is counted, but those of the title of its document: the first
// heading below the title of a page that is one section, whatever marks it.
func TestNoHeadingIsLost(t *testing.T) {
	for _, c := range []struct {
		rule, title, text string
		want              bool
	}{
		{"below the title of a page", "Tea", "# Tea\n\n## Kettle\n\nDescale it.\n", true},
		{"below a title with marks", "The tea page", "# The `tea` page\n\n## Kettle\n\nDescale it.\n", true},
		{"below a title that links", "Tea", "# [Tea](https://example.org/x)\n\n## Kettle\n\nDescale it.\n", true},
		{"of a page that is called after its file", "tea", "## Kettle\n\nDescale it.\n", true},
		{"below an underlined title of a page", "Tea", "Tea\n===\n\n## Kettle\n\nDescale it.\n", true},
		{"below a title, underlined", "Tea", "# Tea\n\nKettle\n------\n\nDescale it.\n", true},
		{"of a section below another", "Pots: Kettle", "# Tea\n\n## Pots\n\n### Kettle\n\nDescale it.\n", true},
		{"the title of the document", "Care", "# Kettle\n\n## Care\n\nDescale it.\n", false},
		{"the underlined title of the document", "Care", "Kettle\n======\n\nCare\n----\n\nDescale it.\n", false},
		{"an id with other words", "Care", "# Tea\n\n## Care {#kettle}\n\nDescale it.\n", true},
	} {
		s := Section{Title: c.title, Text: c.text}
		tally, got := NewTally(), false
		terms, _ := tally.Of(&s)
		for _, term := range terms {
			got = got || tally.Stem(term.Stem) == string(stem.Of([]byte("kettle"))) && term.Count[fieldHeadings]+term.Count[fieldTitle] > 0
		}
		if got != c.want {
			t.Errorf("%s: the word of %q counts as of a heading: %v", c.rule, c.text, got)
		}
	}
}

// What is underlined is a heading; a rule, a table or code is not.
func TestUnderlinedHeadings(t *testing.T) {
	for text, want := range map[string]int{
		"Tea\n===": 1, "Tea\n---": 2, "Tea\n   --": 2, "Tea\n    --": 0, "\n---": 0, "- tea\n---": 0, "> tea\n---": 0, "|a|b|\n---": 0,
		"Tea\n-|-": 0, "Tea\n- a": 0, "Tea\n=-=": 0, "    tea\n---": 0, "# Tea\n---": 0, "```\n---": 0, "Tea\n": 0, "Tea\n  \n": 0,
	} {
		line, below, _ := strings.Cut(text, "\n")
		if got := underlined(line, below); got != want {
			t.Errorf("%q is a heading of level %d, want %d", text, got, want)
		}
	}
}
