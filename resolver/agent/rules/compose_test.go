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

// The headings in a section say more of it than any word, and links are their text.
func TestDescriptionsHaveTheHeadingsOfASection(t *testing.T) {
	t.Parallel()
	text := "## Development\n\n```sh\nmake\n```\n\n1. Read [the guide](https://example.org/guide), **all** of it.\n\n### Test patterns\n\n- One.\n\n### Required tools\n\n" + strings.Repeat("- More.\n", 15)
	r := analyze("CLAUDE.md", text, options{As: Skills})
	if got := r.Proposals[0].Description; !strings.HasPrefix(got, "Development (Test patterns, Required tools): Read the guide, all of it. Use when") || strings.Contains(got, "example") {
		t.Error(got)
	}
}

// What every task needs stays where every task has it, unless the project's own words say
// otherwise.
func TestSectionsForEveryTaskStay(t *testing.T) {
	t.Parallel()
	for heading, moves := range map[string]bool{
		"Ground rules": false, "Core principles": false, "Project overview": false, "Always": false, "Kettle": true,
		"General release rules": true, "Non-negotiable principles": true, "Corely": true,
	} {
		if got := len(analyze("CLAUDE.md", section(heading, 15), options{As: Skills}).Proposals) == 1; got != moves {
			t.Errorf("%s: moves %t", heading, got)
		}
		if len(analyze("CLAUDE.md", section(heading, 15), options{}).Proposals) != 1 {
			t.Errorf("%s: the layout of the format moves all large sections", heading)
		}
	}
	long := section("Project overview", 15) + strings.Repeat("- Text of which no task needs all of it.\n", 60)
	if len(analyze("CLAUDE.md", long, options{As: Skills}).Proposals) != 1 {
		t.Error("a section of which no task needs all stays")
	}
	s := defaultSignals()
	s.Core = []string{"kettle"}
	if len(analyze("CLAUDE.md", section("Kettle", 15)+section("Core", 15), options{As: Skills, Signals: s}).Proposals) != 1 {
		t.Error("a project's own words do not count")
	}
}

func TestGlobsAreOfFilesThatMayExist(t *testing.T) {
	t.Parallel()
	exists := func(name string) (dir, ok bool) { return true, name == "site" || name == "a/b" }
	got := GlobsIn("`*.css` `*_test.go` `*time.Time` `*args.x` `site/**` `feat/*` `a/b/*.go` `a/c/*.go` `**/*.ts` `*`", exists)
	if want := "**/*.css **/*_test.go site/** a/b/*.go **/*.ts"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
	got = GlobsIn("[a](a/b) [*.css](*.css) [gone](gone.md) [out](https://example.org/site) ![i](./site#x)\n\n    [code](site)\n", exists)
	if want := "a/b/** site/**"; strings.Join(got, " ") != want {
		t.Errorf("links give %v, want %s", got, want)
	}
}

func TestSkillsAreNamedAfterTheirHeadings(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{"Hard rules": "hard-rules", "Claude settings": "settings", "The kettle": "kettle"} {
		if got := skillName(headingID(heading), heading); got != want {
			t.Errorf("%s: %s, want %s", heading, got, want)
		}
	}
	for _, heading := range []string{"規則", "Правила", "!!!", "Anthropic Claude"} {
		if got := skillName(headingID(heading), heading); !skillNames.MatchString(got) || !strings.HasPrefix(got, "rule-") {
			t.Errorf("%s: %s", heading, got)
		}
	}
}

// A long paragraph on one line is as large as many lines.
func TestLongParagraphsMove(t *testing.T) {
	t.Parallel()
	long := "## Kettle\n\n" + strings.Repeat("It is descaled with vinegar, once a month. ", 30) + "\n\n## Role\n\n" + strings.Repeat("You are a careful colleague of many words. ", 30) + "\n"
	r := analyze("CLAUDE.md", long, options{As: Skills})
	if len(r.Proposals) != 1 || r.Proposals[0].ID != "kettle" || !strings.Contains(r.Proposals[0].Reason, "tokens") {
		t.Errorf("%+v", r.Proposals)
	}
	if n := len(analyze("CLAUDE.md", long, options{}).Proposals); n != 0 {
		t.Errorf("the layout of the format counts lines: %d", n)
	}
}

// A description has words as people write them, not as they are compared.
func TestDescriptionsKeepMarksOfLetters(t *testing.T) {
	t.Parallel()
	text := "# П\n\n## Новый сайт\n\n" + strings.Repeat("- ёлка и действий\n", 16) + "\n## Другое\n\n- " + strings.Repeat("слово\n- ", 16) + "\n"
	for _, p := range analyze("CLAUDE.md", text, options{As: Skills}).Proposals {
		if strings.Contains(p.Description, "новыи") || strings.Contains(p.Description, "саит") {
			t.Errorf("the description is %q", p.Description)
		}
	}
}
