package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// largeFile is an instruction file of which one section is too large for one skill.
func largeFile() string {
	body := func(of string, lines int) string {
		return strings.Repeat("Run the "+of+" with `make "+of+"` before anything is merged, and look at what it prints.\n", lines)
	}
	return "# Project\n\n## Testing\n\n" + body("suite", 2) + "\n### Unit tests\n\n" + body("unit", 60) + "\n### Fixtures\n\n" + body("fixture", 2) +
		"\n### Browser tests\n\n" + body("browser", 60) + "\n### Last words\n\nBe kind.\n\n## Style\n\nTabs.\n"
}

// A large section is cut at its headings of level 3; small parts go with a neighbour, and
// no line is lost.
func TestLargeSectionsAreCut(t *testing.T) {
	t.Parallel()
	text := largeFile()
	r := analyze("CLAUDE.md", text, options{As: Skills})
	var got []string
	for _, p := range r.Proposals {
		got = append(got, fmt.Sprintf("%s %d-%d", p.ID, p.Section.StartLine, p.Section.Next))
		if p.Section.Tokens >= MaxSkillTokens {
			t.Errorf("%s has %d tokens", p.ID, p.Section.Tokens)
		}
	}
	if want := []string{"testing 2-70", "fixtures 70-142"}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if d := r.Proposals[1].Description; !strings.HasPrefix(d, "Testing, Fixtures (Browser tests, Last words): ") {
		t.Errorf("the part says %s", d)
	}
	if d := r.Proposals[0].Description; !strings.HasPrefix(d, "Testing (Unit tests): ") {
		t.Errorf("the first part says %s", d)
	}
	out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{}))(t)
	all := string(out.Main.Data)
	for _, f := range out.Rules {
		all += string(f.Data)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(all, line) {
			t.Errorf("%q is lost", line)
		}
	}
	if main := string(out.Main.Data); main != "# Project\n\n## Style\n\nTabs.\n" {
		t.Errorf("what stays is %q", main)
	}
}

// The layout of the format cuts at level 2 alone, and a section without inner headings
// stays whole.
func TestWhatIsNotCut(t *testing.T) {
	t.Parallel()
	if r := analyze("CLAUDE.md", largeFile(), options{}); len(r.Proposals) != 1 {
		t.Errorf("the format has %d proposals", len(r.Proposals))
	}
	plain := strings.NewReplacer("### ", "#### ").Replace(largeFile())
	if r := analyze("CLAUDE.md", plain, options{As: Lazy}); len(r.Proposals) != 1 {
		t.Errorf("without headings of level 3 there are %d proposals", len(r.Proposals))
	}
}

// Code in a description stays as it is, and without a word of its own the heading calls.
func TestDescriptionsKeepCode(t *testing.T) {
	t.Parallel()
	text := "# P\n\n## Deploy\n\nRun **helm** on `deploy/**/*.yaml` of [the chart](x.md).\n" + strings.Repeat("Wait.\n", 20) + "\n## 数据库迁移\n\n数据库迁移。\n" + strings.Repeat("保持小。\n", 40)
	r := analyze("CLAUDE.md", text, options{As: Skills})
	if len(r.Proposals) != 2 {
		t.Fatalf("%d proposals", len(r.Proposals))
	}
	if d := r.Proposals[0].Description; !strings.HasPrefix(d, "Deploy: Run helm on `deploy/**/*.yaml` of the chart.") {
		t.Error(d)
	}
	if d := r.Proposals[1].Description; strings.Contains(d, "this") {
		t.Error(d)
	}
}
