package article

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/templates"
)

// What GitHub and the systems of documentation show, a page shows: each of the texts
// gives these pieces of HTML, and none of those after a "!".
func TestAPageShowsWhatItsAuthorsKnow(t *testing.T) {
	for rule, test := range map[string]struct {
		text string
		want []string
	}{
		"a title and marked lines": {"```js title=\"app.js\" {2,4-5}\na\nb\nc\nd\ne\n```\n", []string{
			"<figure class=code><figcaption>app.js</figcaption>", "<span class=hl>b</span>", "<span class=hl>d</span>", "<span class=hl>e</span>", "!<span class=hl>c</span>",
		}},
		"line numbers of VitePress are no title":    {"```ts:line-numbers=2 {1} [file.ts]\na\n```\n", []string{"<figcaption>file.ts</figcaption>", "<span class=hl>a</span>"}},
		"no line numbers of VitePress are no title": {"```ts:no-line-numbers {1}\na\n```\n", []string{"!figcaption", "<span class=hl>a</span>"}},
		"a name after the language":                 {"```js:file.js{1}\na\n```\n", []string{"<figcaption>file.js</figcaption>", "<span class=hl>a</span>"}},
		"an id and a class of a heading":            {"[TOC]\n\n## A {#b .c}\n\n## D\n{: #e .f}\n", []string{"<a href=#a-b-c>A</a>", "<h2 id=a-b-c><a id=b></a>A</h2>", "<h2 id=d><a id=e></a>D</h2>", "!{", "!<p>"}},
		"lines added and removed":                   {"```txt\nx // [!code --]\ny // [!code ++]\n```\n", []string{"<span class=gone>x</span>", "<span class=add>y</span>", "![!code"}},
		"the id of a code block":                    {"```{ .sh #sample }\nx\n```\n", []string{"<a id=sample></a>"}},
		"a diagram is drawn and keeps its text": {"```mermaid title=\"How\"\ngraph TD; A-->B\n```\n", []string{
			"<figure class=drawn>\n<figcaption>How</figcaption>", "<svg class=diagram role=img aria-label=Flowchart", "<summary>The diagram as text</summary>\n<pre><code>graph TD; A--&gt;B",
		}},
		"marks of two kinds are about their own lines": {"```js\n// highlight-next-line\na\nb // [!code ++]\nc\n```\n", []string{"<span class=hl>a</span>", "<span class=add>b</span>", "!<span class=add>c</span>"}},
		"a diagram that is not drawn is its text":      {"```mermaid\nquadrantChart\n  root\n```\n", []string{"<figcaption>Quadrant chart, as text</figcaption>", "quadrantChart", "!<svg"}},
		"a formula in a line":                          {"Inline $e^{i\\pi}$ here.\n", []string{"<math alttext=", "<msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup>", "!<code"}},
		"a formula in backticks":                       {"So $`a^2`$ it is.\n", []string{"<msup><mi>a</mi><mn>2</mn></msup>", "!$"}},
		"a formula as a block":                         {"$$\n\\frac{a}{b}\n$$\n", []string{"<div class=\"scroll formula\"><math display=block", "<mfrac>"}},
		"a formula in a fence":                         {"```math\n\\sqrt x\n```\n", []string{"<math display=block", "<msqrt><mi>x</mi></msqrt>"}},
		"a formula beyond us":                          {"$$\n\\unknown{a} < b\n$$\n", []string{"<pre class=math><code>\\unknown{a} &lt; b", "!<math"}},
		"money is no formula":                          {"It costs $5 and $6.\n", []string{"$5 and $6", "!<math"}},
		"alerts":                                       {"> [!WARNING]\n> Hot.\n", []string{"Warning", "Hot."}},
		"folded callouts":                              {"> [!faq]- Why?\n> So.\n", []string{"<details", "<summary>Why?"}},
		"callouts of Docusaurus":                       {":::tip[Read]\nThis.\n:::\n", []string{"Read", "This.", "!:::"}},
		"callouts of MkDocs":                           {"!!! danger \"Take care\"\n    Inside.\n", []string{"Take care", "Inside.", "!!!!"}},
		"keys and scripts":                             {"<kbd>Ctrl</kbd> H<sub>2</sub>O x<sup>2</sup><br>y\n", []string{"<kbd>Ctrl</kbd>", "<sub>2</sub>", "<sup>2</sup>", "<br>"}},
		"footnotes that name others":                   {"A[^1]\n\n[^1]: See[^2].\n[^2]: See[^1].\n", []string{"See"}},
		"contents where asked for":                     {"# T\n\n[[_TOC_]]\n\n## One\n\n## Two\n", []string{"href=#one", "href=#two", "!_TOC_"}},
		"struck, linked, with emoji":                   {"~~no~~ https://example.org :rocket:\n", []string{"<s>no</s>", "https://example.org</a>", "🚀"}},
		"definitions":                                  {"Term\n: What it is\n", []string{"<dt>Term", "<dd>"}},
		"a name in front of a heading":                 {"<a name=\"old\"></a>\n## New {#own}\n", []string{"id=old", "id=own"}},
		"marked text":                                  {"==Marked *text*== and a==b==c and ==\n", []string{"<mark>Marked <em>text</em></mark>", "a==b==c"}},
		"comments of Obsidian":                         {"A %%not for\nreaders%% b, %%title%%, 50%% of x%%.\n\n%%\nhidden\n\n# too\n%%\n\n%% alone here %%\n\n%%\nopen\n", []string{"<p>A  b, %%title%%, 50%% of x%%.", "!readers", "!hidden", "!too", "!alone", "<p>%%\nopen", "!<p>\n"}},
		"the id of a block":                            {"Text, x ^2\n\nMore ^abc-1\n\n- item ^item1\n", []string{"x ^2", "<p>More <a id=\"^abc-1\"></a>", "item <a id=\"^item1\"></a>"}},
		"keys of MkDocs":                               {"++ctrl+alt+del++, ++x++, C++ and y++, ++more++\n", []string{"<kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>Del</kbd>", "<kbd>X</kbd>", "C++ and y++, ++more++"}},
		"lines marked by comments":                     {"```js\n// highlight-next-line\na\nb\n/* highlight-start */\nc\n{/* highlight-end */}\nd // highlight-next-line?\n```\n", []string{"<span class=hl>a</span>\nb\n<span class=hl>c</span>\nd // highlight-next-line?"}},
		"properties of a vault":                        {"---\ntags: [a, b]\nrating: 7\nauthor: \"[[Ann Bee|Ann]]\"\nurl: https://example.org\ntitle: T\nnested: {a: 1}\nbad: <b>\n---\n# T\n\nText.\n", []string{"</h1>\n<dl class=properties>\n<dt>tags<dd>a, b\n<dt>rating<dd>7\n<dt>author<dd>\x00Ann</a>\n<dt>url<dd><a href=\"https://example.org\">", "!<dt>title", "!nested", "&lt;b&gt;"}},
		"front matter of other sites":                  {"---\nsidebar_position: 3\nhero: x\ntags: one\n---\nText.\n", []string{"<dl class=properties>\n<dt>tags<dd>one\n</dl>", "!hero"}},
		"components of MDX": {"<Note type=\"warning\">\n  Hot **tea**.\n</Note>\n\n<Aside type=\"tip\" title=\"Ours\">\nText.\n</Aside>\n\n<Tabs items={['a']}>\n    <TabItem value=\"b\" label=\"B\">\n\n    ```js\n    x\n      y\n    ```\n\n    - one\n      - two\n\n    </TabItem>\n</Tabs>\n\n<Card title=\"Box\">\n  Inside.\n</Card>\n", []string{
			"callout warning", "Hot <strong>tea</strong>.", "callout tip", "<p class=name>Ours", "<summary>B</summary>", "x\n  y\n</code>", "<li>one\n<ul>\n<li>two", "<strong>Box</strong>", "Inside.", "!&lt;", "!TabItem",
		}},
		"a tag of several lines":    {"<Table\n  content={[\n    {a: '**b**'},\n\n  ]}\n/>\n\nAfter.\n", []string{"<code>&lt;Table\n", "{a: '**b**'}", "/&gt;\n</code>", "<p>After."}},
		"components that stay text": {"<Unknown>\n\nText.\n\n</Unknown>\n\n<Note>\n\nopen\n\n<Icon name=\"x\" /> and a < B\n", []string{"&lt;Unknown&gt;", "&lt;Note&gt;", "open"}},
		"attributes of an icon":     {"[:fontawesome-brands-youtube:{ style=\"color: red\" } how](https://example.org) and a: {b}\n", []string{"how</a>", "and a: {b}", "!color"}},
		"comments of MDX":           {"A {/* hidden */}b {/* of\ntwo lines */}c {/* open\n\n## Head {/* #own */}\n\n`{/* code */}` {/*x*/}\n", []string{"A b c {/* open", "<h2 id=own>Head", "<code>{/* code */}</code>", "!hidden", "!two lines", "!x*/", "!#own"}},
		"notes of GitBook":          {"{% hint style=\"warning\" %}\nHot **tea**.\n{% endhint %}\n\n{% tabs %}\n{% tab title=\"JS\" %}\n```js\nx\n```\n{% endtab %}\n{% endtabs %}\n", []string{"callout warning", "Hot <strong>tea</strong>.", "<summary>JS</summary>", "!{%"}},
		"notes of Hugo":             {"{{< note >}}\nRead.\n{{< /note >}}\n\n{{% notice tip \"Title\" %}}\nDo.\n{{% /notice %}}\n\nA {{< glossary_tooltip text=\"Pod\" term_id=\"pod\" >}} runs. {{< x >}}\n", []string{"callout note", "callout tip", "<p>A Pod runs. {{&lt; x &gt;}}", "!notice", "!{{&lt; note"}},
		"code of Jekyll":            {"{% highlight txt %}\n<b> *x*\n{% endhighlight %}\n\n{% highlight open %}\n", []string{"<pre><code>&lt;b&gt; *x*\n</code></pre>", "<p>{% highlight open %}"}},
		"notes of MyST":             {"```{note} Mind\nThe *gap*.\n```\n\n```{toctree}\na\n```\n", []string{"callout note", "Mind", "The <em>gap</em>.", "<li>\x00a</a>"}},
		"links of templates":        {"[a *b*]({{< ref \"x/one.md#part\" >}}) [c]({{ site.baseurl }}{% link two.md %}) [d]({{ site.baseurl }}/three) [e]({% post_url 2020-01-01-x %}) [f]({{ '/g' | relative_url }}) [h]({{ other }})\n", []string{"\x00a *b*</a>", "\x00c</a>", "\x00d</a>", "\x00e</a>", "\x00f</a>", "[h]({{ other }})"}},
		"front matter in TOML":      {"+++\ntitle = \"T\"\ntags = [\"a\", 'b']\nother = {a = 1}\n[extra]\nx = 1\n+++\nText.\n", []string{"<dt>tags<dd>a, b\n", "<p>Text.", "!+++", "!extra"}},
		"programs are not shown":    {"A.\n\n<script setup>\nconst x = 1\n</script>\n\n<style>\nh1 {}\n</style>\n\n<script>x</script> said\n", []string{"<p>A.", "!const", "!h1 {}", "said"}},
		"hidden lines of Rust":      {"```rust,editable\n# use std::io;\n#\nfn main() {}\n## kept\n#[derive(X)]\n```\n\n```rust\n# only\n```\n\n```sh\n# note\n```\n", []string{"<pre><code>fn main() {}\n# kept\n#[derive(X)]\n</code>", "# only", "# note", "!use std"}},
		"abbreviations of MkDocs":   {"The HTML of W3C, HTMLx &amp; x.\n\n*[HTML]: Hyper \"Text\"\n*[W3C]: A <b>\n\n*[not] this: one\n", []string{"The <abbr title=\"Hyper &#34;Text&#34;\">HTML</abbr> of <abbr title=\"A &lt;b&gt;\">W3C</abbr>, HTMLx &amp; x.", "*[not] this", "!*[HTML]"}},
		"no script in a formula":    {"$\\text{<img src=x onerror=alert(1)>}$\n", []string{"&lt;img src=x", "!<img"}},
	} {
		doc := markdown.Parse("documents/d.md", []byte(test.text))
		body := filled(t, doc)
		for _, want := range test.want {
			if unwanted, is := strings.CutPrefix(want, "!"); is {
				if strings.Contains(body, unwanted) {
					t.Errorf("%s: %q is in\n%s", rule, unwanted, body)
				}
			} else if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in\n%s", rule, want, body)
			}
		}
	}
}

// filled is an article with the labels of its wiki links.
func filled(t *testing.T, doc *markdown.Document) string {
	t.Helper()
	a := Render(doc, nil, Options{})
	var m templates.Markup
	err := Fill(&m, a.HTML, a.Placeholders, func(m *templates.Markup, h Placeholder) {
		m.B = append(m.B, Mark)
		if h.Kind == Wiki {
			m.Literal([]byte(h.Alt))
		}
	})
	oktest.Check(t, err)
	return string(m.B)
}

// On a page of MDX, what is below the tag of a component that is not known is Markdown,
// and the tag is not shown.
func TestTagsOfMDXLeaveTheTextBelowThemMarkdown(t *testing.T) {
	body := filled(t, markdown.Parse("documents/a.mdx.md", []byte("<Preview>\n<Aside slot=\"x\">\n    `<Aside>` **is** here\n</Aside>\n</Preview>\n\n<Own>\n*one*\n</Own>\n\n<Note>Short</Note> text\n")))
	for _, want := range []string{"<code>&lt;Aside&gt;</code> <strong>is</strong>", "callout note", "<em>one</em>", "Short"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
	if strings.Contains(body, "Preview") {
		t.Errorf("a tag is shown:\n%s", body)
	}
}

// A component with a link, a text or a picture is that; what is indented in one that is
// not known is inside of it, and headings that are not stay sections of the page.
func TestComponentsOfMDXShowWhatTheySay(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a card that is a link":      {"<LinkCard\n  title=\"Start & go\"\n  description='How to'\n  href=\"/start/\"\n/>\n\nText.\n", []string{"\x00Start &amp; go</a><br>\nHow to", "<p>Text.", "!LinkCard"}},
		"a link in a line":           {"See <LinkButton href=\"https://a.example/\" variant={x}>the **page**</LinkButton> now.\n", []string{`<a href="https://a.example/">the <strong>page</strong></a> now.`, "!LinkButton"}},
		"a link that may not be":     {"<LinkCard title=\"T\" href=\"javascript:alert(1)\" />\n", []string{"<p>T", "!javascript", "!<a"}},
		"a badge and an icon":        {"## Head <Badge text=\"New\" />\n\nA <Icon name=\"star\" /> B\n", []string{"Head <small>New</small>", "A  B"}},
		"tabs of one line":           {"<Tabs>\n\t<TabItem label=\"One\">first *a*</TabItem>\n\t<TabItem label=\"Two\">second</TabItem>\n</Tabs>\n", []string{"<summary>One</summary>", "first <em>a</em>", "<summary>Two</summary>", "!TabItem"}},
		"an unknown one, indented":   {"<Quotes title=\"All\">\n  <Quote\n    name=\"Ann\"\n    cite=\"x\"\n  >\n    It **is** good.\n  </Quote>\n</Quotes>\n", []string{"<strong>All</strong>", "<strong>Ann</strong>", "It <strong>is</strong> good.", "!Quote", "!<pre>"}},
		"an unknown one, not so":     {"<Layout title=\"Top\">\n\n## One\n\n</Layout>\n\n## Two\n", []string{"<strong>Top</strong>", "<h2 id=one>One", "<h2 id=two>Two", "!Layout"}},
		"one that says nothing":      {"<List labels={{ copied: 'x > y' }} />\n\nA <Types /> b\n", []string{"<pre><code>&lt;List labels={{ copied: 'x &gt; y' }} /&gt;", "A <code>&lt;Types /&gt;</code> b"}},
		"one that begins in a tab":   {"- #. a\n  \n\t<X a={1} />\n", []string{"&lt;X a={1} /&gt;"}},
		"a picture":                  {"<Image src=\"a.png\" alt=\"Tea\" />\n", []string{"\x00"}},
		"no code by its indentation": {"Text.\n\n    Indented *text*.\n", []string{"<p>Indented <em>text</em>."}},
		"a fence that is far in":     {"3.  Do:\n\n        ```js title=\"x.js\"\n        a(\n          b\n\n        )\n        ```\n\n        then *c*\n", []string{"x.js</figcaption>", "a(\n  b\n\n)\n</code>", "<em>c</em>"}},
		"a tag that does not end":    {"a <B c={ d\n\n<E f=\"g\n\n*h*\n", []string{"a &lt;B c={ d", "<em>h</em>"}},
		"comparison":                 {"a <b and c> d, 1 < 2\n", []string{"1 &lt; 2"}},
	} {
		body := filled(t, markdown.Parse("documents/a.mdx.md", []byte(c.text)))
		for _, want := range c.want {
			if absent, not := strings.CutPrefix(want, "!"); strings.Contains(body, strings.TrimPrefix(want, "!")) == not {
				t.Errorf("%s: %q, absent: %t:\n%s", name, absent, not, body)
			}
		}
	}
}

// What other systems put into a page is an embed, or a link when it is code alone.
func TestIncludesOfOtherSystemsAreEmbeds(t *testing.T) {
	for text, want := range map[string]Placeholder{
		"{{#include a/b.md}}\n":                        {Kind: Embed, Target: "a/b.md"},
		"{{#include b.md:2:10}}\n":                     {Kind: Embed, Target: "b.md"},
		"--8<-- \"b.md\"\n":                            {Kind: Embed, Target: "b.md"},
		"<!--@include: ./b.md{3,}-->\n":                {Kind: Embed, Target: "b.md"},
		"{% include \"../x/b.md\" %}\n":                {Kind: Embed, Target: "../x/b.md"},
		"```{include} b.md\n:start-after: x\n```\n":    {Kind: Embed, Target: "b.md"},
		"```rust\n{{#rustdoc_include x.rs:here}}\n```": {Kind: Wiki, Target: "x.rs"},
		"```js\n--8<-- \"x.js\"\n```":                  {Kind: Wiki, Target: "x.js"},
	} {
		a := Render(markdown.Parse("documents/a.md", []byte("# A\n\n"+text+"\n\nAfter.\n")), nil, Options{})
		if len(a.Placeholders) != 1 || a.Placeholders[0].Kind != want.Kind || a.Placeholders[0].Target != want.Target || !strings.Contains(string(a.HTML), "<p>After.") || strings.ContainsAny(string(a.HTML), "{%") {
			t.Errorf("%q: %+v\n%s", text, a.Placeholders, a.HTML)
		}
	}
	for _, text := range []string{"{{#include}}", "{% include nav.html %}", "--8<-- ", "<!-- a -->", "```{include} b.md", "```js\n\\{{#include x.js}}\n```", "{{#include http://x/y}}"} {
		if a := Render(markdown.Parse("documents/a.md", []byte(text)), nil, Options{}); len(a.Placeholders) != 0 {
			t.Errorf("%q: %+v", text, a.Placeholders)
		}
	}
}

// The annotations of MkDocs are the numbers of the list below.
func TestAnnotationsOfMkDocsAreNumbers(t *testing.T) {
	for text, want := range map[string][]string{
		"``` yaml\na: b # (1)!\nc: d # (2)! (3)!\ne: \"f # (4)\"\n```\n\n1.  one\n":        {"a: b (1)\nc: d (2) (3)\ne: \"f # (4)\"\n"},
		"``` html\n<a> <!-- (1)! -->\n// (12)!\n```\n\n1.  one\n":                          {"&lt;a&gt; (1)\n(12)\n"},
		"```\nf(a)! (b)! x()!\n```\n\n1. one\n":                                            {"f(a)! (b)! x()!"},
		"``` yaml\na: b # (1)!\n```\n\nText.\n":                                            {"a: b # (1)!"},
		"Text (1) here.\n{ .annotate }\n\n1.  one\n\n!!! note annotate \"T (1)\"\n    a\n": {"<p>Text (1) here.\n", "!annotate", "T (1)"},
		"- a\n{ .card }\n\nb\n{ #id style=\"margin: 0; x: 1\" }\n":                         {"!{", "!card"},
		"- :material-x: - one\n- :tada: - two :octicons-y-16: - c\n":                       {"<li>one\n", "🎉 - two  - c"},
		"a ^^new **one**^^ b^^c^^ ^d^\n":                                                   {"a <ins>new <strong>one</strong></ins> b^^c^^ <sup>d</sup>"},
	} {
		body := filled(t, markdown.Parse("documents/a.md", []byte(text)))
		for _, want := range want {
			if absent, not := strings.CutPrefix(want, "!"); strings.Contains(body, strings.TrimPrefix(want, "!")) == not {
				t.Errorf("%q: %q, absent: %t:\n%s", text, absent, not, body)
			}
		}
	}
}

// Of elements that pages do not have, the content is shown; a name alone is a placeholder.
func TestElementsOfFormsLeaveTheirText(t *testing.T) {
	for text, want := range map[string]string{
		"Press <button data-x=\"1\">`ok`</button> now\n":                                   "<p>Press <code>ok</code> now\n",
		"<select>\n  <option value=a>One</option>\n</select>\n":                            "One",
		"<div><input class=\"x\" placeholder=\"y\" /><label for=a>L</label></div>\n":       "<div>L</div>",
		"<p><input type=checkbox checked> done</p>\n":                                      "<input type=checkbox disabled checked aria-label=done> done",
		"<my-widget size=\"2\">inside</my-widget>\n":                                       "inside",
		"copy <input> to <output> as <your-name>\n":                                        "copy &lt;input&gt; to &lt;output&gt; as &lt;your-name&gt;",
		"<div>\n<style>a { b }</style>x<svg width=1><path d=\"M1\"/></svg>y\n</div>\n":     "xy",
		"<div>:tada: <code>:tada:</code> :octicons-bug-16:</div>\n":                        "🎉 <code>:tada:</code> </div>",
		"<form action=\"https://a.example/\"><button onclick=\"x()\">Send</button></form>": "Send",
	} {
		body := filled(t, markdown.Parse("documents/a.md", []byte(text)))
		for _, never := range []string{"data-x", "placeholder=", "my-widget size", "{ b }", "onclick", "a.example", "M1", "option"} {
			if strings.Contains(body, never) {
				t.Errorf("%q: %q is shown:\n%s", text, never, body)
			}
		}
		if !strings.Contains(body, want) {
			t.Errorf("%q: %q is not in\n%s", text, want, body)
		}
	}
}

// On a page that is not MDX, a tag without attributes is text: it may be a placeholder.
func TestTagsThatMayBePlaceholdersAreText(t *testing.T) {
	body := filled(t, markdown.Parse("documents/a.md", []byte("A List<T> and <Badge text=\"New\" /> or <Link to=\"https://a.example/\">this</Link>.\n")))
	for _, want := range []string{"List&lt;T&gt;", "<small>New</small>", `<a href="https://a.example/">this</a>.`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
}

// An MDX page does not show what it imports and exports, whatever its ending; text that
// begins so stays, and so does code.
func TestModulesOfMDXAreNotShown(t *testing.T) {
	const module = "import { A } from '@x/y';\nimport B from \"./b\";\n\nexport const C = ({ d }) => (\n  <div style={{ padding: 1 }}>\n\n    {d}\n  </div>\n)\n\n"
	const rest = "import of goods is \"free\".\n\n<Own>\n\nText.\n\n</Own>\n\n<img src={require('./x.png').default} alt=\"X\" />\n\n<div style={{ a: 1 }}>\ninside\n</div>\n\n<p align=center>*x*</p>\n"
	for path, text := range map[string]string{"documents/a.mdx.md": module + rest, "documents/b.mdx.md": rest, "documents/a.md": "# T\n\n" + module + rest} {
		body := filled(t, markdown.Parse(path, []byte(text)))
		for _, never := range []string{"@x/y", "export const", "{d}", "Own", "require", "style", "padding"} {
			if strings.Contains(body, never) {
				t.Errorf("%s: %q is shown:\n%s", path, never, body)
			}
		}
		for _, want := range []string{"import of goods", "<p>Text.", "\x00", "<p>inside"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in\n%s", path, want, body)
			}
		}
	}
	for _, text := range []string{"```js\nimport a from 'b'\n```\n\n<Own>\n", "import a from here\n\n<Own>\n", "export const a = 1\n\n<Own>\n"} {
		if d := markdown.Parse("documents/a.md", []byte(text)); d.MDX {
			t.Errorf("a page of MDX: %q", text)
		}
	}
}

// Directives and roles of MyST, and tags of templates, show what they say.
func TestDirectivesAndTagsShowWhatTheySay(t *testing.T) {
	for text, want := range map[string][]string{
		":::{admonition} A *title*\n:class: tip big\n\nInside.\n:::\n":                                          {"callout tip", "A <em>title</em>", "<p>Inside.", "!:class"},
		"```{warning}\n:class: x\nHot.\n```\n":                                                                  {"callout warning", "Hot.", "!:class"},
		"````{tab-set}\n```{tab-item} One\n:sync: a\nfirst\n```\n```{tab-item} Two\nsecond\n```\n````\n":        {"<summary>One</summary>", "first", "<summary>Two</summary>", "!:sync", "!tab-"},
		"````{grid} 1 2\n:gutter: 2\n```{card} Title\nText\n```\n````\n":                                        {"<strong>Title</strong>", "Text", "!1 2", "!gutter"},
		"```{dropdown} More\ninside\n```\n":                                                                     {"<details><summary>More</summary>", "<p>inside"},
		"```{code-block} python\n:linenos:\n:caption: a.py\n\nprint(1)\n```\n":                                  {"a.py</figcaption>", "<pre><code>print(1)", "!linenos"},
		"```{figure} pic.png\n:alt: Tea\n\nA caption\n```\n":                                                    {"\x00", "<figcaption>A caption"},
		"```{math}\n:label: eq\na = b\n```\n":                                                                   {"<math", "!label"},
		"```{toctree}\n:maxdepth: 2\n\nguide\nOther <x/y>\nglob*\n```\n":                                        {"<li>\x00guide</a>", "<li>\x00Other</a>", "!maxdepth", "!glob"},
		"```{glossary}\ntea\n  A drink\n```\n":                                                                  {"<dt>tea\n<dd>A drink"},
		"See {ref}`the guide <x>`, {doc}`a/b`, {kbd}`Ctrl`, H{sub}`2`O, {py:func}`os.x` and ${a}`b`, {a b}`c`.": {"See the guide, \x00a/b</a>, <kbd>Ctrl</kbd>, H<sub>2</sub>O, <code>os.x</code> and ${a}<code>b</code>, {a b}<code>c</code>."},
		"{% comment %} one\ntwo {% endcomment %}\n{% comment %}\nhidden\n{% endcomment %}\n\nshown\n":           {"<p>shown", "!hidden"},
		"| a | b |\n|---|---|\n| 1 | 2 |\n{: .wide }\n":                                                         {"<td>1<td>2", "!{:", "!<tr><td><td>"},
		"---\nlayout: home\nhero:\n  name: Kettle\n  text: Hot <br> <i>a</i> <script>x</script> <b>\n  actions:\n    - text: Start\n      link: javascript:x\n    - text: Go\n      link: https://a.example/\nfeatures:\n  - title: Fast\n    details: Boils\n---\n": {"<strong>Kettle</strong>", "Hot <br> <i>a</i>  <b></b>", "<li>Start\n", `<a href="https://a.example/">Go</a>`, "<strong>Fast</strong><br>\nBoils", "!javascript"},
		"---\nhero: 1\nfeatures: [a, [b]]\n---\nText.\n":                                   {"<p>Text."},
		"{% comment %}\nopen\n":                                                            {"open"},
		"{% embed url=\"https://a.example/x\" %}\nCaption\n{% endembed %}\n\nText.\n":      {`<a href="https://a.example/x">`, "<p>Caption", "<p>Text.", "!embed"},
		"{% embed url=\"javascript:x\" %}\n":                                               {"javascript:x", "!href"},
		"{{< figure src=\"a.png\" alt=\"Tea\" >}}\n\n{{< toc >}}\n\n{{< youtube abc >}}\n": {"\x00", "youtube.com/watch?v=abc", "!toc", "!figure"},
		"A \\\\( \\frac{a}{b} \\\\) b\n\n\\\\[ x^2 \\\\]\n\n\\(c\\) \\\\(d\n":              {"<mfrac>", "display=block", "(c)", "\\(d"},
		"1. TOC\n{:toc}\n\n# A\n\n## B\n\n- TOC\n{:x}\n":                                   {"<nav class=contents>", "<a href=#b>B</a>"},
	} {
		body := filled(t, markdown.Parse("documents/a.md", []byte(text)))
		for _, want := range want {
			if absent, not := strings.CutPrefix(want, "!"); strings.Contains(body, strings.TrimPrefix(want, "!")) == not {
				t.Errorf("%q: %q, absent: %t:\n%s", text, absent, not, body)
			}
		}
	}
}

// Wikis of GitHub link to other sites; labels of MyST are places to point at.
func TestLinksOfWikisAndLabels(t *testing.T) {
	body := filled(t, markdown.Parse("documents/a.md", []byte("[[Site|https://a.example/x#y]] [[https://b.example/|Other]] [[Js|javascript:alert(1)]]\n\n(top-of)=\n## Head\n\n(not a)= label\n\n```js [a.js]\nx\n```\n")))
	for _, want := range []string{`<a href="https://a.example/x#y">Site</a>`, `<a href="https://b.example/">Other</a>`, `<a id=top-of></a>`, "(not a)= label", "a.js</figcaption>"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not in\n%s", want, body)
		}
	}
	if strings.Contains(body, "javascript:alert(1)\"") {
		t.Errorf("a link that may not be:\n%s", body)
	}
}
