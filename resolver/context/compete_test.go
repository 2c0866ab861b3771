package context

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestAMissSaysWhichRuleDroppedTheSection(t *testing.T) {
	documents := tree{
		"documents/a.md": "# Kettle\n\n## Descaling acid\n\nUse citric acid, acid, acid.\n\n## Colour\n\nRed.\n\n## Acid once\n\nOther words of no use here, and acid.\n",
		"documents/b.md": "# Pot\n\n## Long tea\n\nTea tea " + strings.Repeat("word ", 4000) + "\n",
	}
	for _, n := range []string{"one", "two", "three", "four", "five", "six"} {
		documents["documents/tea-"+n+".md"] = "# Tea " + n + "\n\n## Tea\n\nTea.\n"
	}
	open := oktest.Value(Open(context.Background(), []Pack{named("manual", manual(t, documents))}))(t)
	covers := func(f File, name string) bool { return len(f.Sections) > 0 && f.Document+"#"+f.Sections[0] == name }
	for _, c := range []struct {
		query, section string
		rule           Rule
		lacks          []string
	}{
		{"descaling acid", "documents/a.md#nowhere", BySplit, nil},
		{"descaling acid", "documents/a.md#colour", ByWords, []string{"descaling", "acid"}},
		{"descaling acid", "documents/a.md#acid-once", ByStop, []string{"descaling"}},
		{"tea", "documents/tea-two.md#tea", ByPlace, nil},
	} {
		list, err := open.Misses(context.Background(), Request{Query: c.query}, []string{c.section}, covers)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", c.section, list, err)
		}
		m := list[0]
		if diff := cmp.Diff(c.lacks, m.Lacks); diff != "" || m.Rule != c.rule || m.Section != c.section {
			t.Errorf("%s for %q: rule %s, want %s; lacks (-want +got):\n%s", c.section, c.query, m.Rule, c.rule, diff)
		}
		if ranked := m.Rule == ByStop || m.Rule == ByPlace; ranked != (len(m.Above) > 0 && m.Above[0].Score == m.Best && m.Place > 1) {
			t.Errorf("%s: place %d, above %v", c.section, m.Place, m.Above)
		}
	}
	found, err := open.Misses(context.Background(), Request{Query: "descaling acid"}, []string{"documents/a.md#descaling-acid"}, covers)
	if err != nil || len(found) > 0 {
		t.Errorf("a section that is selected is missed: %v, %v", found, err)
	}
}

func TestSectionsTellWhetherTheyHaveQuestions(t *testing.T) {
	files := manual(t, tree{"documents/a.md": "---\nquestions:\n  care:\n    - How?\n    - Why?\n---\n# Kettle\n\n## Care\n\nDescale.\n\n## Colour\n\nRed.\n"})
	open := oktest.Value(Open(context.Background(), []Pack{named("manual", files)}))(t)
	list := oktest.Value(open.Sections(context.Background()))(t)
	at := slices.IndexFunc(list, func(s SectionInfo) bool { return s.Section == "care" })
	if len(list) != 2 || at < 0 || list[at].Questions != 2 || list[1-at].Questions != 0 || list[at].Tokens == 0 {
		t.Errorf("sections %+v", list)
	}
}
