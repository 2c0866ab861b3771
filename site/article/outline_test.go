package article

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

func TestHeadingsAreAnnouncedInOrder(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"# A\n\n## B\n\n### C\n\n## D\n", "1 2 3 2"},
		{"# A\n\n### B\n\n### C\n\n##### D\n\n#### E\n\n## F\n", "1 2 2 3 3 2"},
		{"## A\n\n#### B\n\n# C\n\n### D\n", "2 3 1 2"},
		{"#### A\n\n<h6 align=\"center\">B</h6>\n\n# C\n", "2 3 1"},
	} {
		page := string(Render(markdown.Parse("a.md", []byte(test.source)), nil, Options{}).HTML)
		var got []string
		for _, tag := range strings.Split(page, "<h")[1:] {
			level := tag[:1]
			if _, after, ok := strings.Cut(strings.SplitN(tag, ">", 2)[0], "aria-level="); ok {
				level = after[:1]
			}
			got = append(got, level)
		}
		if found := strings.Join(got, " "); found != test.want {
			t.Errorf("%q is announced as %s, want %s:\n%s", test.source, found, test.want, page)
		}
	}
}

func TestCellsOfTablesHaveHeadings(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"| a | b |\n| - | - |\n| c | d |\n", "<thead><tr><th>a<th>b\n<tbody><tr><td>c<td>d\n"},
		{"| | b |\n| - | -: |\n| c | d |\n| | e |\n", "<thead><tr><td><th class=r>b\n<tbody><tr><th scope=row>c<td class=r>d\n<tr><td><td class=r>e\n"},
		{"| | |\n| - | - |\n| c | d |\n", "<table role=presentation>\n<thead><tr><td><td>\n<tbody><tr><td>c<td>d\n"},
		{"<table>\n<tr><td>a</td></tr>\n</table>\n", "<table role=presentation>"},
		{"<table>\n\n<tr><td><table><tr><th>b</th></tr></table></td></tr>\n\n</table>\n", "<table role=presentation>"},
		{"<table>\n\n<tr><th>b</th></tr>\n\n</table>\n", "<table>"},
	} {
		page := string(Render(markdown.Parse("a.md", []byte(test.source)), nil, Options{}).HTML)
		if !strings.Contains(page, test.want) {
			t.Errorf("%q has no %q:\n%s", test.source, test.want, page)
		}
	}
}
