package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"
)

// blocksOf shows the block structure of a document, with the text of its leaves.
func blocksOf(d *Document) string {
	var b strings.Builder
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c.Type() != ast.TypeBlock {
				continue
			}
			b.WriteString(c.Kind().String())
			if call := CalloutOf(c); call != nil {
				fmt.Fprintf(&b, ":%s", call.Kind)
				if call.Fold != 0 {
					b.WriteByte(call.Fold)
				}
			}
			if c.FirstChild() == nil || c.FirstChild().Type() == ast.TypeInline {
				fmt.Fprintf(&b, "(%s) ", d.PlainText(c))
				continue
			}
			b.WriteString("{ ")
			visit(c)
			b.WriteString("} ")
		}
	}
	visit(d.Root)
	return strings.TrimSpace(b.String())
}

func TestCalloutsOfEverySystem(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"> [!NOTE]\n> Text.\n", "Blockquote:note{ Paragraph(Text.) }"},
		{"> [!warning]- A *title*\n> Text.\n>\n> More.\n", "Blockquote:warning-{ CalloutTitle(A title) Paragraph(Text.) Paragraph(More.) }"},
		{"> [!tip]\n", "Blockquote:tip()"},
		{"> [!tip] Title\n", "Blockquote:tip{ CalloutTitle(Title) }"},
		{"> [!x](y)\n", "Blockquote{ Paragraph(!x) }"},
		{"> > [!note]\n> > In.\n", "Blockquote{ Blockquote:note{ Paragraph(In.) } }"},
		{":::note\nText.\n:::\nAfter.\n", "Callout:note{ Paragraph(Text.) } Paragraph(After.)"},
		{":::note[A `title`]\nText.\n:::\n", "Callout:note{ CalloutTitle(A title) Paragraph(Text.) }"},
		{"::: tip My title\nText.\n:::\n", "Callout:tip{ CalloutTitle(My title) Paragraph(Text.) }"},
		{":::note{title=\"T\"}\nText.\n:::", "Callout:note{ CalloutTitle(T) Paragraph(Text.) }"},
		{":::{warning}\nText.\n:::\n", "Callout:warning{ Paragraph(Text.) }"},
		{"::::note\n:::tip\nIn.\n:::\nOut.\n::::\n", "Callout:note{ Callout:tip{ Paragraph(In.) } Paragraph(Out.) }"},
		{":::note\n:::tip\nIn.\n:::\nOut.\n:::\n", "Callout:note{ Callout:tip{ Paragraph(In.) } Paragraph(Out.) }"},
		{":::note\n```\n:::\n```\n:::\n", "Callout:note{ FencedCodeBlock() }"},
		{":::note\nNever closed.\n\n# H\n", "Paragraph(:::note Never closed.) Heading(H)"},
		{":::\n", "Paragraph(:::)"},
		{"!!! note\n    Text.\n\n    More.\n\nAfter.\n", "Callout:note{ Paragraph(Text.) Paragraph(More.) } Paragraph(After.)"},
		{"!!! note inline end \"The *title*\"\n\n    Text.\n", "Callout:note{ CalloutTitle(The title) Paragraph(Text.) }"},
		{"!!! note \"\"\n    Text.\n", "Callout:note{ CalloutTitle() Paragraph(Text.) }"},
		{"??? tip\n    Text.\n", "Callout:tip-{ Paragraph(Text.) }"},
		{"???+ tip\n    Text.\n", "Callout:tip+{ Paragraph(Text.) }"},
		{"=== \"C\"\n\n    ``` c\n    x\n    ```\n\n=== \"Go\"\n\n    Text.\n", "Callout:tab{ CalloutTitle(C) FencedCodeBlock() } Callout:tab{ CalloutTitle(Go) Paragraph(Text.) }"},
		{"!!! what a surprise!\n\nText.\n", "Paragraph(!!! what a surprise!) Paragraph(Text.)"},
		{"Title\n===\n", "Heading(Title)"},
		{"?> Mind the gap,\nplease.\n\nText.\n", "Callout:tip{ Paragraph(Mind the gap, please.) } Paragraph(Text.)"},
	} {
		if got := blocksOf(Parse("documents/a.md", []byte(tt.text))); got != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestBlocksOfGitHubAndItsNeighbours(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Term\n: What it is.\n: More.\n", "DefinitionList{ DefinitionTerm(Term) DefinitionDescription{ TextBlock(What it is.) } DefinitionDescription{ TextBlock(More.) } }"},
		{"A[^1] and[^b].\n\n[^b]: Second.\n[^1]: First.\n", "Paragraph(A and.) Footnote{ Paragraph(Second.) } Footnote{ Paragraph(First.) }"},
		{"$$\na_1 \\\\ b\n$$\n\nText.\n", "MathBlock() Paragraph(Text.)"},
		{"$$\nnever closed\n\nText.\n", "Paragraph($$ never closed) Paragraph(Text.)"},
		{"{: .no_toc }\n", "Paragraph()"},
		{"[[_TOC_]]\n", "Paragraph(_TOC_)"},
	} {
		if got := blocksOf(Parse("documents/a.md", []byte(tt.text))); got != tt.want {
			t.Errorf("%q\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// kindsIn lists the kinds of the inline nodes of the first block, text left out.
func kindsIn(d *Document) string {
	var list []string
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeInline && n.Kind() != ast.KindText {
			list = append(list, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(list, " ")
}

func TestInlineFormsOfGitHubAndItsNeighbours(t *testing.T) {
	for text, want := range map[string]string{
		"~~gone~~":                          "Strikethrough",
		"see https://example.org/a_b, ok":   "AutoLink",
		"www.example.org":                   "AutoLink",
		"me@example.org":                    "AutoLink",
		"[x https://e.org](y)":              "Link",
		"not@anaddress":                     "",
		"half $5 and $10":                   "",
		"$HOME/$PATH and US$5/US$6":         "",
		"the $x^2$ of":                      "Math",
		"$$x$$":                             "Math",
		"`$a` and `$b`":                     "CodeSpan CodeSpan",
		"[^nowhere]":                        "",
		"[[Page]] and [[P#h|label]]":        "WikiLink WikiLink",
		"![[pic.png|300]]":                  "WikiLink",
		"[[a]](b)":                          "Link",
		"[[a]]\n\n[a]: /u":                  "Link",
		"`[[a]]`":                           "CodeSpan",
		"[x](y){ .md-button }":              "Link Attributes",
		"![x](y){ width=\"300\" }":          "Image Attributes",
		"a {x} and {.y}":                    "",
		"[x](y){target}":                    "Link",
		"text\n{: .note }":                  "Attributes",
		"<kbd>x</kbd>":                      "RawHTML RawHTML",
		"\\$a$ \\[[b]]":                     "",
		"{{ site.name }}":                   "",
		"[x](y){: target=\"_blank\" .a #b}": "Link Attributes",
	} {
		if got := kindsIn(Parse("documents/a.md", []byte(text))); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestLinksAndIDsOfHTML(t *testing.T) {
	d := Parse("documents/a.md", []byte("# A\n\n<a name=\"x\"></a>\n<p id='y&amp;z'><a href=\"b.md#c\">b</a> <img src=p.png></p>\n\nin <a id=w href=q.md>line</a>\n\n<h2>An <b>inner</b> one</h2>\n\n> ## A\n\n> <a\n> href=\"z.md\">z</a>\n"))
	if diff := cmp.Diff([]string{"x", "y&z", "w", "a-1", "an-inner-one"}, d.Targets); diff != "" {
		t.Error(diff)
	}
	var got []string
	for _, l := range d.Links {
		line, column := d.Position(l.Offset)
		got = append(got, fmt.Sprintf("%s %d:%d %v", l.Dest, line, column, l.Image))
	}
	want := []string{"b.md#c 4:26 false", "p.png 4:49 true", "q.md 6:17 false", "z.md 13:9 false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHeadingIDsAreThoseOfGitHub(t *testing.T) {
	for text, want := range map[string]string{
		"## :tada: Party":              "tada-party",
		"## 🎉 Party":                   "-party",
		"## A\n## A\n## A":             "a a-1 a-2",
		"## C++ & Go!":                 "c--go",
		"## Title { #own }":            "own",
		"## Title {: #own .x }":        "own",
		"## Title <b>x</b> { id=own }": "own",
		"## 9.7.0 { id=\"9.7.0\" }":    "970",
		"## Title {#own}":              "own",
	} {
		var ids []string
		for _, h := range Parse("documents/a.md", []byte(text)).Headings {
			ids = append(ids, h.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestHeadingsHaveTheIDsOfTheirAttributes(t *testing.T) {
	for text, want := range map[string]string{
		"## Title {#own .x}":             "own",
		"## Title {#own data-x=\"1 2\"}": "own",
		"Title {#own .x}\n---":           "own",
		"## Title\n{: #own }":            "own",
		"Title\n---\n{:.x #own}":         "own",
		"## Title {#title .x}":           "title",
		"## Title\n{: #title }":          "", // it is the section's
		"## A {#a .x}\n## B {#a .x}":     "a",
		"## Title {#own x}":              "",
		"## Title{#own .x}":              "",
		"## `Title {#own .x}`":           "",
		"## `Title` {#own .x}":           "own",
		"## Title {#a}":                  "",
		"## Title\n\n{: #own }":          "",
		"## Title\n{: #own } text":       "",
		"## Title\n{: .x }":              "",
	} {
		d := Parse("documents/a.md", []byte(text))
		if got := strings.Join(d.Targets, " "); got != want {
			t.Errorf("%q has %q beside its sections', want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"A {#b .c}": "A", "A {#b}": "A", "A {#b c}": "A {#b c}", "A{#b .c}": "A{#b .c}", "{#b .c}": "{#b .c}", "A {#b .c} d": "A {#b .c} d", "A {#}": "A {#}"} {
		if got := WithoutAttributes(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestDeepAndCircularFormsAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"callouts in quotes":    strings.Repeat("> ", 1000) + "[!note]\n",
		"nested fences":         strings.Repeat(":::note\n", 1000) + strings.Repeat(":::\n", 1000),
		"nested indents":        nestedIndents(300),
		"open fences":           strings.Repeat(":::note\n", 50_000),
		"footnotes in a circle": "[^a] [^b]\n\n[^a]: See [^b].\n[^b]: See [^a].\n",
		"nested footnotes":      strings.Repeat("[^a]: ", 20_000),
		"definitions":           "a\n" + strings.Repeat(": ", 20_000),
		"dollars":               strings.Repeat("$a ", 20_000),
		"brackets":              strings.Repeat("[[a", 20_000),
		"braces":                strings.Repeat("`a`{ .b", 10_000),
		"words":                 strings.Repeat("http", 15_000) + strings.Repeat(" a@", 10_000),
		"open components":       strings.Repeat("<Note>\n", 50_000),
		"nested components":     strings.Repeat("<Note>\n", 1000) + strings.Repeat("</Note>\n", 1000),
		"many components":       strings.Repeat("<Note>\n  a\n</Note>\n", 20_000),
		"open tags":             strings.Repeat("<Table\n\n", 50_000) + "/>",
		"tags without ends":     strings.Repeat("<A b={c ", 50_000),
		"braces in tags":        strings.Repeat("<A b={{{{", 50_000) + "\n\n" + strings.Repeat("<A {\n", 50_000),
		"quotes in tags":        strings.Repeat("<A b=\"\n\n", 50_000),
		"many tags":             strings.Repeat("<A href=\"b\" />\n", 20_000),
		"deep components":       deepComponents(200),
		"open comments":         strings.Repeat("{/* ", 16_000) + "\n\n" + strings.Repeat("{/* a\n", 10_000),
		"open hints":            strings.Repeat("{% hint %}\n", 50_000),
		"nested hints":          strings.Repeat("{% hint %}\n", 1000) + strings.Repeat("{% endhint %}\n", 1000),
		"many hints":            strings.Repeat("{{< note >}}\na\n{{< /note >}}\n", 20_000),
		"crossed hints":         strings.Repeat("{% hint %}\n{{< note >}}\n{% endhint %}\n{{< /note >}}\n", 5_000),
		"notes in fences":       strings.Repeat("```{note}\n", 1000) + strings.Repeat("```\n", 1000),
		"comments":              strings.Repeat("%% a ", 30_000) + strings.Repeat("%%\n\n", 20_001),
		"comment marks":         strings.Repeat("a%% b ", 30_000),
		"marks":                 strings.Repeat("==a ", 20_000) + strings.Repeat("b== ", 20_000),
		"keys":                  strings.Repeat("++a", 20_000),
		"block ids":             strings.Repeat("a ^abc\n", 20_000),
		"links of templates":    strings.Repeat("[a]({{ site.x }}", 20_000),
		"TOML":                  "+++\n" + strings.Repeat("a = [\"b\", ", 50_000),
		"tags":                  strings.Repeat("<a b='", 10_000),
	} {
		t.Run(name, func(t *testing.T) { checkDocument(t, Parse("documents/a.md", []byte(text))) })
	}
}

func nestedIndents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("    ", i) + "!!! note\n")
	}
	return b.String()
}

// deepComponents is a component in another one, each indented further.
func deepComponents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "<Steps>\n")
	}
	for i := range n {
		b.WriteString(strings.Repeat("  ", n-i-1) + "</Steps>\n")
	}
	return b.String()
}
