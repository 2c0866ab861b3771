package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/token"
)

// A description has the heading, the first sentence, the words of the section and the
// files it names, in words that no other part of it has.
func TestDescriptionsSayWhenASectionIsNeeded(t *testing.T) {
	t.Parallel()
	text := "# P\n\n## Database migrations\n\n- Every migration runs forward only. It is reviewed.\n- Backfill columns in batches with `schema/*.sql`.\n- Create an index concurrently.\n" +
		strings.Repeat("- More.\n", 12) + "\n## Money\n\n- Amounts are integers.\n" + strings.Repeat("- More.\n", 14)
	r := analyze("CLAUDE.md", text, options{As: Skills})
	if len(r.Proposals) != 2 {
		t.Fatalf("%d proposals", len(r.Proposals))
	}
	d := r.Proposals[0].Description
	if !strings.HasPrefix(d, "Database migrations: Every migration runs forward only. Use when the task is about ") {
		t.Error(d)
	}
	_, words, _ := strings.Cut(d, "about ")
	for _, want := range []string{"backfill", "batches", "columns", "concurrently", "or works on schema/*.sql"} {
		if !strings.Contains(words, want) {
			t.Errorf("%s: no %s", d, want)
		}
	}
	if strings.Contains(words, "migration") || strings.Contains(words, "amounts") || strings.Contains(words, "more") {
		t.Errorf("%s: said twice, or of another section, or of all", d)
	}
}

// However many sections move, agents show all descriptions.
func TestDescriptionsTogetherAreShown(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10, 25, 40} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "## Kettle number %d with a heading %s\n\n", i, strings.Repeat("x", i))
			for j := range 20 {
				fmt.Fprintf(&b, "- word%dand%d other%dand%d\n", i, j, j, i)
			}
		}
		r := analyze("CLAUDE.md", b.String(), options{As: Skills})
		sum := 0
		for _, p := range r.Proposals {
			units := token.Units(p.Description)
			if units > maxDescription || strings.ContainsAny(p.Description, "<>\n") {
				t.Errorf("%d: %s", units, p.Description)
			}
			sum += units + token.Units(p.ID) + 2
		}
		if len(r.Proposals) != n || sum > maxListed {
			t.Errorf("%d of %d sections have %d characters of descriptions", len(r.Proposals), n, sum)
		}
	}
}

// A hit of one keyword is enough for every matcher.
func TestRulesHaveKeywordsOfTheirText(t *testing.T) {
	t.Parallel()
	text := section("Kettle", 15) + "Descale with vinegar, once a month, and rinse.\n" + section("Grinder", 15)
	r := analyze("CLAUDE.md", text, options{As: Lazy})
	if got := strings.Join(r.Proposals[0].Keywords, " "); !strings.Contains(got, "vinegar") || len(r.Proposals[0].Keywords) > maxKeywords {
		t.Error(got)
	}
	if format := analyze("CLAUDE.md", text, options{}); strings.Join(format.Proposals[0].Keywords, " ") != "kettle" {
		t.Errorf("the layout of the format has %v", format.Proposals[0].Keywords)
	}
}
