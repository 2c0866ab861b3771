package boot

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// said is a brief of about n tokens.
func said(n int) string { return strings.Repeat("word", n) }

func checkRole(t *testing.T, files map[string]string) []diag.Diagnostic {
	t.Helper()
	return oktest.Value(Check(context.Background(), mapRole(t, files, OpenOptions{Name: "role"})))(t)
}

func TestCheckFindsWhatAnAuthorShouldKnow(t *testing.T) {
	found := checkRole(t, map[string]string{
		"boot.yml":       "always: {briefs: {say: [core.md, gone.md], ref: [tiny.md]}}\nsubject.a: {briefs: {say: [a.md]}}\n",
		"briefs/core.md": said(50), "briefs/a.md": said(50), "briefs/tiny.md": "x", "briefs/spare.md": said(50),
	})
	var lines []string
	for _, d := range found {
		lines = append(lines, d.Place()+" "+d.Severity.String()+" "+d.ID+" "+d.Message)
	}
	want := []string{
		`role/boot.yml:1:34 warning boot-glob-unmatched glob "gone.md" in briefs.say of always matches nothing`,
		`role/boot.yml info boot-item-unreached no section reaches 1 file: "briefs/spare.md"`,
		`role/boot.yml info boot-ref-heavy the reference to each of these files costs more than its content: "briefs/tiny.md"`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestCheckHoldsEveryUsecaseToTheBudget(t *testing.T) {
	const sections = "always: {briefs: {say: [core.md]}}\nsubject.a: {briefs: {say: [a.md]}}\nsubject.b: {briefs: {say: [b.md]}}\n"
	files := map[string]string{"briefs/core.md": said(100), "briefs/a.md": said(100), "briefs/b.md": said(300)}
	for budget, want := range map[string][]string{
		"600": nil,
		"500": {"warning a boot of all subjects exceeds the budget: cap 500 tokens"},
		"300": {"error the usecase b exceeds the budget: cap 300 tokens", "warning a boot of all subjects exceeds"},
	} {
		files["boot.yml"] = "budget: {tokens: " + budget + "}\n" + sections
		found := checkRole(t, files)
		if len(found) != len(want) {
			t.Errorf("budget %s: %v", budget, found)
			continue
		}
		for i, d := range found {
			if got := d.Severity.String() + " " + d.Message; d.ID != idOverBudget || !strings.HasPrefix(got, want[i]) {
				t.Errorf("budget %s: got %s, want %s", budget, got, want[i])
			}
		}
	}
	files["boot.yml"] = "budget: {tokens: 300}\nbriefs: {say: ['*.md']}\n"
	if found := checkRole(t, files); len(found) != 1 || found[0].ID != idOverBudget || found[0].Severity != diag.Error {
		t.Errorf("simple mode: %v", found)
	}
}

func TestCheckReportsAFaultAlone(t *testing.T) {
	found := checkRole(t, map[string]string{"boot.yml": "briefs: {say: [x.md]}\nalways: {}\n"})
	if len(found) != 1 || found[0].ID != idModeMixed {
		t.Errorf("found %v", found)
	}
}

func TestAlwaysIsWhatEveryBootSays(t *testing.T) {
	files := map[string]string{
		"briefs/core.md": "core", "briefs/a.md": "a", "briefs/refd.md": "r", "briefs/spare.md": "s", "skills/go.sh": "go",
	}
	for name, c := range map[string]struct {
		yml      string
		usecases []string
		want     string
	}{
		"subject mode":     {"always: {briefs: {say: [core.md], ref: [refd.md]}, skills: {say: [go.sh]}}\nsubject.a: {briefs: {say: [a.md]}}\n", nil, "briefs/core.md skills/go.sh"},
		"with a usecase":   {"always: {briefs: {say: [core.md]}}\nsubject.a: {briefs: {say: [a.md]}}\n", []string{"a"}, "briefs/core.md briefs/a.md"},
		"no always":        {"subject.a: {briefs: {say: [a.md]}}\n", nil, ""},
		"simple mode":      {"briefs: {say: [core.md, a.md]}\nskills: {say: []}\n", nil, "briefs/a.md briefs/core.md"},
		"no curation":      {"", nil, ""},
		"over the budget":  {"budget: {tokens: 1}\nalways: {briefs: {say: [core.md]}}\n", nil, "briefs/core.md"},
		"a fault":          {"always: [core.md]\n", nil, ""},
		"an unknown usage": {"always: {briefs: {say: [core.md]}}\n", []string{"nope"}, ""},
	} {
		files["boot.yml"] = c.yml
		paths, res, err := mapRole(t, files, OpenOptions{}).Always(context.Background(), c.usecases)
		oktest.Check(t, err)
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: got %q, want %q (%v)", name, got, c.want, res.Diagnostics)
		}
	}
}
