package boot

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// lowered returns the usual limits with one change.
func lowered(change func(*limits)) OpenOptions {
	l := defaultLimits()
	change(&l)
	return OpenOptions{limits: l}
}

// Each limit holds at its edge: a role of that size boots, one that is larger by
// one is refused with nothing printed.
func TestLimitsOfARole(t *testing.T) {
	deep := func(folders int) map[string]string {
		return map[string]string{"briefs/" + strings.Repeat("d/", folders) + "x.md": "x\n"}
	}
	many := func(n int) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("briefs/%03d.md", i)] = "0123456789"
		}
		return files
	}
	for name, c := range map[string]struct {
		fits, over map[string]string
		open       OpenOptions
		want       string
	}{
		"entries": {many(7), many(8), lowered(func(l *limits) { l.entries = 7 }), "the role holds more than 7 files and folders"},
		"depth":   {deep(3), deep(4), lowered(func(l *limits) { l.depth = 3 }), "folders are nested more than 3 deep"},
		"bytes":   {many(5), many(6), lowered(func(l *limits) { l.saidBytes = 50 }), "the boot would say more than 50 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, res := bootRole(t, mapRole(t, c.fits, c.open), Options{}); res.Refused() || out == "" {
				t.Errorf("at the limit: printed %q, found %v", out, res.Diagnostics)
			}
			out, res := bootRole(t, mapRole(t, c.over, c.open), Options{})
			if out != "" || len(res.Diagnostics) != 1 || res.Diagnostics[0].ID != idLimit || res.Diagnostics[0].Message != c.want {
				t.Errorf("past the limit: printed %q, found %v", out, res.Diagnostics)
			}
		})
	}
}

func TestLimitOfLines(t *testing.T) {
	files := map[string]string{"briefs/a.md": "a", "briefs/b.md": "b"}
	var yml strings.Builder
	for i := range 5 {
		fmt.Fprintf(&yml, "subject.s%d: {briefs: {ref: ['*.md']}}\n", i)
	}
	files["boot.yml"] = yml.String()
	if _, res := bootRole(t, mapRole(t, files, lowered(func(l *limits) { l.lines = 10 })), Options{}); res.Refused() {
		t.Errorf("10 lines of 10: %v", res.Diagnostics)
	}
	role := mapRole(t, files, lowered(func(l *limits) { l.lines = 9 }))
	out, res := bootRole(t, role, Options{})
	if out != "" || !res.Refused() || res.Diagnostics[0].Message != "the boot would print more than 9 elements" {
		t.Errorf("10 lines of 9: printed %q, found %v", out, res.Diagnostics)
	}
	// A selection that fits is booted, and its report says what it cannot compare.
	rep := oktest.Value(role.Report(context.Background(), Options{Usecases: []string{"s0", "s1"}}))(t)
	if rep.Boot.Refused() || len(rep.Usecases) != 0 || len(find(rep.Boot.Diagnostics, idLimit)) != 1 {
		t.Errorf("usecases %v, found %v", rep.Usecases, rep.Boot.Diagnostics)
	}
}

func TestLimitOfLinks(t *testing.T) {
	needLinks(t)
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{
		"briefs/x.md": "x\n", "briefs/l1.md": "-> x.md", "briefs/l2.md": "-> x.md", "briefs/l3.md": "-> x.md",
	})
	if _, res := bootDir(t, dir, lowered(func(l *limits) { l.links = 3 }), Options{}); res.Refused() {
		t.Errorf("3 links of 3: %v", res.Diagnostics)
	}
	if _, res := bootDir(t, dir, lowered(func(l *limits) { l.links = 2 }), Options{}); !res.Refused() || res.Diagnostics[0].Message != "the role holds more than 2 links" {
		t.Errorf("3 links of 2: %v", res.Diagnostics)
	}
}

// The numbers themselves are promised in the docs.
func TestLimitsAreTheOnesDocumented(t *testing.T) {
	if got, want := defaultLimits(), (limits{2_000_000, 100_000, 10_000, 64, 268_435_456}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
