package cut

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

// The heading above is the nearest before with a smaller level, whatever the order of
// levels; looking at each one before it is too slow for a page of many.
func TestTheHeadingAboveIsTheNearestOfASmallerLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		k := &cutter{doc: &markdown.Document{}}
		var levels strings.Builder
		for range random.IntN(40) {
			level := 1 + random.IntN(6)
			fmt.Fprint(&levels, level)
			k.doc.Headings = append(k.doc.Headings, markdown.Heading{Level: level})
		}
		for i, h := range k.doc.Headings {
			want := i - 1
			for want >= 0 && k.doc.Headings[want].Level >= h.Level {
				want--
			}
			if got := k.parent(i); got != want {
				t.Fatalf("levels %s: above heading %d is %d, want %d", &levels, i, got, want)
			}
		}
	}
}

func TestTheTitleInFrontMatterIsTheFirstHeading(t *testing.T) {
	for _, tt := range []struct {
		rule, text string
		want       []string
	}{
		{"a page without a heading of the first level", "---\ntitle: A  page\n---\nSay.\n\n" + filled("## One", 200) + filled("### Deep", 1300),
			[]string{"# A page\n\nSay.\n", "# A page\n\n## One\n\n", "# A page\n\n## One\n\n### Deep\n\n"}},
		{"a page with one, wherever", "---\ntitle: A page\n---\nSay.\n\n" + filled("## One", 200) + filled("# Two", 200),
			[]string{"Say.\n", "## One\n\n"}},
		{"no title", "---\nstatus: ready\n---\nSay.\n\n" + filled("## One", 200), []string{"Say.\n", "## One\n\n"}},
		{"a title that is none", "---\ntitle: " + strings.Repeat("x", 301) + "\n---\n" + filled("## One", 200), []string{"## One\n\n"}},
		{"lines of a title", "---\ntitle: |\n  # A\n  ## B\n---\n" + filled("## One", 200), []string{"# # A ## B\n\n## One\n\n"}},
	} {
		doc := markdown.Parse("documents/d.md", []byte(tt.text))
		splits := Join(doc, Document(doc, "d"), 0, func(int) bool { return false })
		if len(splits) != len(tt.want) {
			t.Errorf("%s: %d splits", tt.rule, len(splits))
			continue
		}
		for i, want := range tt.want {
			if text := string(splits[i].Text(doc, nil)); !strings.HasPrefix(text, want) {
				t.Errorf("%s: split %d is %.60q, want %q", tt.rule, i, text, want)
			}
		}
	}
}
