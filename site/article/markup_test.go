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

func TestMarkdownInHTMLIsRead(t *testing.T) {
	shows(t, "<figure markdown>\n  ![Pic](a.png){ width=\"30\" }\n  <figcaption>Cap</figcaption>\n</figure>\nAfter *it*.\n", "<figure>\n<p>\x00", "<figcaption>Cap</figcaption>\n</figure>\n<p>After <em>it</em>.")
	shows(t, "<div class=\"grid cards\" markdown=\"1\">\n- **a**\n- b\n\n---\n<div markdown=block>\n*in*\n</div>\n</div>\n*not*\n", "<div class=grid>\n<ul>\n<li><strong>a</strong>", "<hr>\n<div>\n<p><em>in</em>\n</div>\n</div>\n<p><em>not</em>")
	shows(t, "<p markdown=\"span\">one *two*</p>\n\n<div>\n*raw*\n</div>\n\n<div markdown=\"0\">\n*raw too*\n</div>\n", "one <em>two</em></div>", "*raw*", "*raw too*")
	shows(t, "<div markdown>\n<script>alert(1)</script>\n</div>\n</div></div>\n\n<svg markdown>\n*x*\n", "!<script", "!<svg", "<em>x</em>")
}

func TestBlocksBetweenSlashesAreCallouts(t *testing.T) {
	shows(t, "/// note | Mind *it*\nText.\n\n//// details | More\n    type: warning\n    open: True\n\nIn.\n////\n///\n\n/// tab | A\na\n///\n/// tab | B\nb\n///\n\n![x](y.png)\n/// caption\nFigure *1*\n///\n",
		"callout note", "Mind <em>it</em>", "<details class=\"callout warning\" open><summary>More", "<p>In.", "<summary>A</summary>", "<summary>B</summary>", "Figure <em>1</em>", "!///", "!type:")
	shows(t, "/// note | open\nText.\n\n/// unknown\nx\n", "/// note | open", "/// unknown")
	shows(t, "/// unknown\nx\n///\n", "/// unknown")
}

func TestChangesOfCriticMarkupAreShown(t *testing.T) {
	shows(t, "A {++new++} {--old--} {~~one~>two~~} {==this==}{>>why <b>?<<} {++open {~~x~~}\n",
		"<ins>new</ins> <del>old</del> <del>one</del><ins>two</ins> <mark>this</mark><small>why &lt;b&gt;?</small> {++open {", "!{==")
}

func TestNotesInALineAreFootnotes(t *testing.T) {
	shows(t, "One^[the *first*, see [x](y.md)] and[^a] two^[next one].\n\n[^a]: Def^[in it here].\n\n## H^[of a head]\n",
		"One<sup class=fn><a id=s.fnref-1 href=#s.fn-1>1</a></sup> and<sup class=fn><a id=s.fnref-2", "two<sup class=fn><a id=s.fnref-3",
		"<li id=s.fn-1>the <em>first</em>, see \x00x</a>\n<a class=up", "<li id=s.fn-2><p>Def (in it here).", "H<sup class=fn>5</sup>", "<li id=s.fn-5>of a head", "!^[")
	shows(t, "A^[b], `x^[a b]`, match ^[a b]+ and x^[a b]* or y^[a `]` b\n\n*a^[b* c d] e*\n", "A^[b]", "match ^[a b]+ and x^[a b]*", "y^[a <code>]</code> b")
	shows(t, "[[x]] A^[b]\n", "<li id=s.fn-1>b")
}

// Scripts are such where the page has other marks of MkDocs: on GitHub ~x~ is struck.
func TestScriptsAreThoseOfMkDocsAlone(t *testing.T) {
	shows(t, "H~2~O x^2^ ~~no~~ a ~ b ~ c ~un der~ 2^10 or 3^4\n\n!!! note\n    x^n^\n", "H<sub>2</sub>O x<sup>2</sup> <s>no</s> a ~ b ~ c", "2^10 or 3^4", "x<sup>n</sup>")
	shows(t, "H~2~O x^2^ ~no~\n", "H<s>2</s>O x^2^ <s>no</s>")
}

func TestCommentsMarkLinesAsInVitePress(t *testing.T) {
	shows(t, "```txt\na // [!code error]\nb // [!code warning]\n// [!code highlight:2]\nc\nd\ne # [!code --:2]\nf\n<!-- [!code hl] -->\ng\nh [!code word:g]\ni [!code other]\n```\n",
		"<span class=err>a</span>\n<span class=warn>b</span>\n<span class=hl>c</span>\n<span class=hl>d</span>\n<span class=gone>e</span>\n<span class=gone>f</span>\n", "h\ni [!code other]\n")
	shows(t, "```txt\na\nb // [!code focus]\nc // [!code ++]\n// [!code focus:99999999]\n```\n", "<span class=dim>a</span>\nb\n<span class=add>c</span>\n")
	shows(t, "```txt\n"+strings.Repeat("x\n", maxMarked)+"y // [!code focus]\n```\n", "y\n", "!<span")
}

// Tabs next to each other are a group with one name, so that one of them is open.
func TestTabsAreAGroupOfWhichOneIsOpen(t *testing.T) {
	shows(t, "=== \"A\"\n\n    === \"In\"\n\n        x\n\n=== \"B\"\n\n    b\n\nText.\n\n=== \"C\"\n\n    c\n",
		"<div class=tabset>\n<details class=tab name=s.tabs-1 open><summary>A</summary>\n<div class=tabset>\n<details class=tab name=s.tabs-2 open><summary>In</summary>\n<p>x\n</details>\n</div>\n</details>\n<details class=tab name=s.tabs-1><summary>B</summary>\n<p>b\n</details>\n</div>\n<p>Text.",
		"name=s.tabs-3 open><summary>C")
	shows(t, "::: code-group\n\n```js [one.js]\na\n```\n\n```py\nb\n```\n\n:::\n",
		"<div class=tabset>\n<details class=tab name=s.tabs-1 open><summary>one.js</summary>\n<pre>", "<details class=tab name=s.tabs-1><summary>py</summary>", "!figcaption")
}

func TestTagsOfJekyllAreNotShownOnItsPages(t *testing.T) {
	shows(t, "---\nlayout: page\n---\n{% include nav.html %}\n\n{% if x %}\nYes *it*.\n{% endif %}\n\nText {% raw %}{{ a }}{% endraw %} and {{ site.x }} {% unknown %}.\n",
		"<p>Yes <em>it</em>.", "Text {{ a }} and {{ site.x }} {% unknown %}.", "!nav.html", "!endif", "!raw %}")
	shows(t, "{% include nav.html %}\n\nText {% raw %}.\n", "{% include nav.html %}", "{% raw %}")
}

func TestTablesOfMyStAreTables(t *testing.T) {
	shows(t, "```{list-table} Of *teas*\n:header-rows: 1\n\n* - Name\n  - Time\n* - **Green**\n  - 2 min\n```\n\n```{glossary}\nTea\n: A drink.\n```\n",
		"<caption>Of <em>teas</em></caption>", "<tr><th>Name\n<th>Time\n", "<tr><td><strong>Green</strong>\n<td>2 min", "<dt>Tea", "!header-rows")
	shows(t, "```{list-table}\nText.\n```\n", "<p>Text.")
}

func TestTabsOfNextraHaveTheTitlesOfTheirList(t *testing.T) {
	shows(t, "<Tabs items={['npm', \"yarn\"]}>\n  <Tabs.Tab>a</Tabs.Tab>\n  <Tabs.Tab>\n    b\n  </Tabs.Tab>\n  <Tabs.Tab>c</Tabs.Tab>\n</Tabs>\n", "<summary>npm</summary>\n<p>a", "<summary>yarn</summary>\n<p>b", "<summary>Tab</summary>\n<p>c")
}

func TestFootnotesOfMkDocsMayStartBelowTheirLabel(t *testing.T) {
	shows(t, "- a[^1]\n\n  [^1]:\n    Note *x*\n    and more.\n\n!!! tip\n    b\n", "<li id=s.fn-1><p>Note <em>x</em>\nand more.")
	shows(t, ":man_raising_hand: :man_x:\n", "🙋", ":man_x:")
}

func TestCardsAndFileTreesLookAsSuch(t *testing.T) {
	shows(t, "<CardGrid>\n  <Card title=\"A\">\n    x\n  </Card>\n</CardGrid>\n\n<FileTree>\n\n- a\n\n</FileTree>\n", "<div class=grid><div class=box>\n<p><strong>A</strong>", "<div class=files><ul>")
}
