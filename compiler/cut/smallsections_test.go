package cut

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/cut/cuttest"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/token"
)

// joined lists the splits of a document: titles, and the ids of their sections.
func joined(text string, alone ...string) (list []string, texts []string) {
	doc := markdown.Parse("documents/d.md", []byte(text))
	pieces := Document(doc, "d")
	splits := Join(doc, pieces, 120, func(i int) bool { return slices.Contains(alone, pieces[i].ID) })
	for i := range splits {
		s := &splits[i]
		var ids []string
		for _, p := range pieces[s.First : s.Last+1] {
			ids = append(ids, p.ID)
		}
		list = append(list, s.Title+" | "+strings.Join(ids, " "))
		texts = append(texts, string(s.Text(doc, nil)))
	}
	return list, texts
}

// filled is a section of about as many tokens.
func filled(heading string, tokens int) string {
	return heading + "\n\n" + strings.TrimSpace(strings.Repeat("abc ", tokens)) + "\n\n"
}

func TestSmallNeighboursBelowOneHeadingAreJoined(t *testing.T) {
	long := filled("## Options", 2) + filled("### --a", 20) + filled("### --b", 20) + filled("### --c", 1300) + filled("### --d", 20)
	for _, tt := range []struct {
		rule, text string
		alone      []string
		want       []string
	}{
		{rule: "sections and the preamble", text: "# T\n\nIntro.\n\n## A\n\na\n\n## B\n\nb\n", want: []string{"T; A; B | overview a b"}},
		{rule: "a large one stays by itself", text: "# T\n\n" + filled("## A", 20) + filled("## B", 20) + filled("## C", 130) + filled("## D", 20),
			want: []string{"A; B | a b", "C | c", "D | d"}},
		{rule: "parts of a section, with its lead", text: "# T\n\n" + long,
			want: []string{"Options; --a; --b | options options----a options----b", "Options: --c | options----c", "Options: --d | options----d"}},
		{rule: "not across parents", text: "# T\n\n" + filled("## A", 20) + long + strings.ReplaceAll(long, "Options", "Keys"),
			want: []string{"A | a", "Options; --a; --b | options options----a options----b", "Options: --c | options----c", "Options: --d | options----d",
				"Keys; --a; --b | keys keys----a-1 keys----b-1", "Keys: --c | keys----c-1", "Keys: --d | keys----d-1"}},
		{rule: "not what is kept apart", text: "# T\n\n## A\n\na\n\n## Limits\n\nb\n\n## C\n\nc\n\n## D\n\nd\n", alone: []string{"limits"},
			want: []string{"A | a", "Limits | limits", "C; D | c d"}},
		{rule: "no split of line breaks", text: "# T\n\n<br/><br/>\n\n" + filled("## A", 200) + filled("## B", 200), want: []string{"A | a", "B | b"}},
		{rule: "a preamble that says something", text: "# T\n\n<br/>x<br>\n\n" + filled("## A", 200) + filled("## B", 200), want: []string{"T | overview", "A | a", "B | b"}},
		{rule: "chapters", text: "# A\n\na\n\n# B\n\nb\n", want: []string{"A; B | a b"}},
	} {
		if got, _ := joined(tt.text, tt.alone...); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.rule, got, tt.want)
		}
	}
}

func TestJoinedSectionsFitTheCapAndTheirTitleIsShort(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Reference\n\n")
	for i := range 200 {
		b.WriteString(filled(fmt.Sprintf("## parameter %d", i), 30))
	}
	list, texts := joined(b.String())
	if len(list) < 2 || len(list) > 20 {
		t.Fatalf("200 sections of 35 tokens are %d splits", len(list))
	}
	for i, text := range texts {
		if n := token.Estimate(text); n > SoftCap {
			t.Errorf("split %d has %d tokens", i, n)
		}
		if title, _, _ := strings.Cut(list[i], " | "); len(title) > maxTitle+20 || !strings.Contains(title, " more") {
			t.Errorf("title %q", title)
		}
	}
}

func TestASplitBeginsWithTheHeadingsAboveIt(t *testing.T) {
	text := "Tea\n===\n\n## Pots [source: sources/s.md]\n\n" + filled("### Clay `x`", 130) + filled("### Iron", 1200) + filled("## Water ##", 200)
	_, texts := joined(text)
	for i, want := range []string{"Tea\n===\n\n## Pots\n\n### Clay `x`\n\nabc", "Tea\n===\n\n## Pots\n\n### Iron\n\nabc", "Tea\n===\n\n## Water ##\n\nabc"} {
		if i >= len(texts) || !strings.HasPrefix(texts[i], want) {
			t.Errorf("split %d begins with %.60q, want %q", i, texts[min(i, len(texts)-1)], want)
		}
	}
}

// checkJoined checks that splits hold the sections of a document in order, each once,
// and that no code block, table or list goes over the edge of one.
func checkJoined(t *testing.T, text string) {
	t.Helper()
	doc := markdown.Parse("documents/d.md", []byte(text))
	pieces := Document(doc, "d")
	at, next := 0, 0
	splits := Join(doc, pieces, 120, func(i int) bool { return i%5 == 4 })
	for i := range splits {
		s := &splits[i]
		start, end := s.Slice()
		if s.First != next || s.Last < s.First || start < at || start != pieces[s.First].First || end != pieces[s.Last].Last {
			t.Fatalf("split %d has the sections %d to %d and [%d:%d], after %d and %d, in %q", i, s.First, s.Last, start, end, next, at, text)
		}
		at, next = end, s.Last+1
		for _, b := range doc.Blocks {
			if b.Start < end && start < b.Start && strings.TrimRight(string(doc.Text[b.Start:b.End]), " \t\n") != strings.TrimRight(string(doc.Text[b.Start:min(b.End, end)]), " \t\n") {
				t.Errorf("split %d ends inside of the block at %d of %q", i, b.Start, text)
			}
		}
	}
	if next != len(pieces) {
		t.Errorf("%d of %d sections are in a split, in %q", next, len(pieces), text)
	}
}

func TestJoinedSplitsHoldEachSectionOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		checkJoined(t, cuttest.Document(r))
	}
}

func FuzzJoinedSplitsHoldEachSectionOnce(f *testing.F) {
	f.Add("# T\n\n## A\n\na\n\n## B\n\n```\nb\n```\n")
	f.Fuzz(func(t *testing.T, text string) { checkJoined(t, text) })
}
