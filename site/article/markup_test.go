package article

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

// shows reports each of some pieces of HTML that a text does not give, and each after a
// "!" that it does.
func shows(t *testing.T, text string, want ...string) {
	t.Helper()
	body := filled(t, markdown.Parse("documents/a.md", []byte(text)))
	for _, want := range want {
		if absent, not := strings.CutPrefix(want, "!"); strings.Contains(body, absent) == not {
			t.Errorf("%q: %q, absent: %t:\n%s", text, absent, not, body)
		}
	}
}

func TestMarksOfVaultsAreReadInTightLists(t *testing.T) {
	shows(t, "- one %%hidden%% two ^id\n- [[x]] ^2\n- [ ] a %%b c%% ^t1\n", "<li>one  two <a id=\"^id\"></a>", "^2\n", "<a id=\"^t1\"></a>", "!hidden", "!b c")
	shows(t, "- one %%title%% two x ^n\n", "%%title%%", "x ^n")
}

func TestEmbedsBesideTextAreEmbedsOfPages(t *testing.T) {
	for text, want := range map[string]string{
		"- ![[a]]\n- b ![[a]]\n":            "block block",
		"Text ![[a]] more.\n":               "block",
		"Text\n![[a]]\nmore ![[b.png]].\n":  "block block",
		"| A ![[a]] |\n| --- |\n| ![[a]] |": " block",
		"## Head ![[a]]\n":                  "",
		"*![[a]]* [![[a]]](x)\n":            " ", // the last is a link to a page
		"> [!note] ![[a]]\n> ![[a]]\n":      " block",
	} {
		a := Render(markdown.Parse("documents/d.md", []byte(text)), nil, Options{})
		var classes []string
		for _, h := range a.Placeholders {
			classes = append(classes, h.Class)
		}
		if got := strings.Join(classes, " "); got != want {
			t.Errorf("%q: %q, want %q\n%s", text, got, want, a.HTML)
		}
	}
}

// A heading in HTML has the id that GitHub gives it, beside its own, and is in the
// contents; links to it lead there.
func TestHeadingsInHTMLHaveIDs(t *testing.T) {
	shows(t, "[[_TOC_]]\n\n# Set up\n\n<h2>Set <b>up</b> &amp; run</h2>\n\n<h2 id=\"own\">Two</h2>\n\n## Two\n\n<h3 align=center>Two</h3>\n\n> <h4>In a\n> quote</h4>\n\n<h2>\n\nOver *blocks*\n\n</h2>\n\n<h2>open\n",
		"<h2 id=set-up--run>Set <b>up</b>", "<h2 id=own><a id=two-1></a>Two</h2>", "<h2 id=two>Two</h2>", "<h3 class=c id=two-2>Two</h3>", "<h4 id=in-a-quote>",
		"<h2 id=over-blocks>", "href=#set-up--run>Set up &amp; run</a>", "<li class=l3><a href=#two-2>Two</a>", "<h2>open")
	doc := markdown.Parse("documents/a.md", []byte("<div>\n<h2>A</h2> <h3 id=a>A</h3>\n</div>\n\n# A\n"))
	if got := strings.Join(doc.Targets, " "); got != "a a-1 a-2" || len(doc.AllHeadings()) != 3 {
		t.Errorf("targets %q, headings %v", got, doc.AllHeadings())
	}
}
