package markdown

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// Each "secret" is hidden, each "shown" is not.
var hiddenTexts = []struct{ name, text, visible string }{
	{"Obsidian, in a line", "Shown %% secret word %% shown.\n", "Shown shown.\n"},
	{"Obsidian, between blocks", "Shown.\n\n%%\nsecret\n\nsecret\n%%\n\nShown.\n", "Shown.\n\nShown.\n"},
	{"Obsidian, over blank lines", "Shown.\n\n%% secret\n\nsecret %%\n\nShown.\n", "Shown.\n\nShown.\n"},
	{"Obsidian, text behind it", "%% secret\n\nsecret\n%% shown\n", "%% secret\n\nsecret\n%% shown\n"[len("%% secret\n\nsecret\n%% "):]},
	{"HTML, in a line", "Shown <!-- secret --> shown.\n", "Shown shown.\n"},
	{"HTML, at the end of a line", "Shown. <!-- secret -->\nShown.\n", "Shown.\nShown.\n"},
	{"HTML, with text behind it", "<!-- secret --> Shown.\n", "Shown.\n"},
	{"HTML, of several lines, with text behind it", "<!-- secret\nsecret --> Shown.\n", "Shown.\n"},
	{"HTML, over a blank line, with text behind it", "Shown\n<!-- secret\n\nsecret --> shown.\n", "Shown\n\nshown.\n"},
	{"HTML, a block", "Shown.\n\n<!-- secret -->\n\nShown.\n", "Shown.\n\nShown.\n"},
	{"HTML, between lines", "Shown\n<!-- secret -->\n---\n", "Shown\n\n---\n"},
	{"HTML, never closed", "Shown.\n\n<!-- secret\n\nsecret\n", "Shown.\n"},
	{"HTML, an instruction", "<?php secret ?> Shown.\n", "Shown.\n"},
	{"HTML, inside of an element", "<div>\n<!-- secret\n\nsecret -->\nshown\n</div>\n", "<div>\nshown\n</div>\n"},
	{"what would be a list", "<!-- secret --> - shown\n", "<!-- --> - shown\n"},
	{"what would be a heading", "<!-- secret --> # shown\n", "<!-- --> # shown\n"},
	{"a comment that parts two lists", "- a\n\n<!-- -->\n\n- b\n", "- a\n\n<!-- -->\n\n- b\n"},
	{"a list", "- <!-- secret --> shown\n- shown %% secret x %%\n", "- shown\n- shown\n"},
	{"a list that ends before the comment", "- shown <!-- secret -->\n- <!-- secret\nsecret\n-->\n- shown\n", "- shown\n-\n- shown\n"},
	{"a table", "| a <!-- secret --> | b |\n| - | - |\n| c %% secret x %% | d |\n", "| a | b |\n| - | - |\n| c | d |\n"},
	{"a quote", "> shown <!-- secret -->\n> shown\n", "> shown\n> shown\n"},
	{"the text of a link", "[shown <!-- secret --> shown](a.md)\n", "[shown shown](a.md)\n"},
	{"a heading", "## Shown %% secret x %%\n", "## Shown\n"},
	{"MDX", "Shown {/* secret */} shown.\n\n{/* secret\n\nsecret */}\n\nShown.\n", "Shown shown.\n\nShown.\n"},
	{"the id of a heading", "## Shown {/* #shown */}\n", "## Shown {/* #shown */}\n"},
	{"Jekyll", "Shown {% comment %}secret{% endcomment %} shown.\n\n{%- comment -%}\nsecret\n{%- endcomment -%}\n\nShown.\n", "Shown shown.\n\nShown.\n"},
	{"Jekyll, in the tag", "Shown {% # secret %} shown.\n", "Shown shown.\n"},
	{"kramdown", "Shown {::comment}secret{:/comment} shown.\n\n{::comment}\nsecret\n\nsecret\n{:/}\n\nShown.\n", "Shown shown.\n\nShown.\n"},
	{"MyST", "(shown)=\n# Shown\n\n% secret\n% secret\n\nShown\n% secret\nshown 5 % shown.\n", "(shown)=\n# Shown\n\nShown\n\nshown 5 % shown.\n"},
	{"a sign at the start of a line, of another system", "Shown\n% shown\n", ""},
	{"a script", "# Shown\n\n<script setup>\nsecret\n\nsecret\n</script>\n\nShown.\n\n<style>\n.secret {}\n</style>\n", "# Shown\n\nShown.\n"},
	{"a style that is never closed", "Shown.\n\n<style>\n", ""},
	{"Hugo", "Shown {{/* secret */}} shown.\n\n{{< comment >}}\nsecret\n{{< /comment >}}\n\nShown.\n", "Shown shown.\n\nShown.\n"},
	{"definitions", "Shown.\n\n[//]: # (secret)\n\n[shown]: a.md \"t\"\n\nShown [shown].\n", "Shown.\n\n[shown]: a.md \"t\"\n\nShown [shown].\n"},
	{"code", "`%% shown x %%` `<!-- shown -->`\n\n```\n<!-- shown -->\n%% shown x %%\n```\n\n    <!-- shown -->\n", ""},
	{"formulas and signs", "$%% shown x %%$ 100%% shown and 50%% shown.\n", ""},
	{"front matter", "---\n# secret\ntitle: shown # secret\nnote: \"a # shown\"\nlong: |\n  # shown\n---\nShown.\n", "---\n# secret\ntitle: shown # secret\nnote: \"a # shown\"\nlong: |\n  # shown\n---\nShown.\n"},
	{"front matter without a text of lines", "---\n# secret\ntitle: shown # secret\nnote: \"a # shown\"\n---\nShown.\n", "---\ntitle: shown\nnote: \"a # shown\"\n---\nShown.\n"},
	{"Jinja", "Shown {# secret #} shown {#shown} and {b#}.\n\n{#\nsecret\n\nsecret\n#}\n\n{#- secret -#}\n\nShown {#secret#}.\n\n## Shown {#shown}\n\n`{# shown #}`\n", "Shown shown {#shown} and {b#}.\n\nShown .\n\n## Shown {#shown}\n\n`{# shown #}`\n"},
	{"a template", "Shown.\n\n<template>\nsecret\n\n## secret\n</template>\n\nShown <template>secret <b>secret</b></template>.\n", "Shown.\n\nShown .\n"},
	{"a template of a component", "<Tabs>\n<template #one>\n\nshown\n\n</template>\n<template v-slot:two>shown</template>\n</Tabs>\n", ""},
	{"an element that is hidden", "Shown.\n\n<div hidden>\n\n## secret\n\n<div>secret</div>\n\nsecret\n</div>\n\nShown.\n", "Shown.\n\nShown.\n"},
	{"an element in a line", "Shown <span hidden>secret *secret*</span> shown.\n\nShown\n<span HIDDEN=''>secret\nsecret</span> shown.\n", "Shown shown.\n\nShown\nshown.\n"},
	{"an element that displays none", "Shown <b style=\"color: red; Display : none !important\">secret</b> shown.\n\n<p style='display:none'>secret</p>\nshown\n", "Shown shown.\n\nshown\n"},
	{"an element of MDX", "Shown <b hidden={true}>secret</b> <b hidden={false}>shown</b> <Tab hidden>shown</Tab>.\n", "Shown <b hidden={false}>shown</b> <Tab hidden>shown</Tab>.\n"},
	{"a style of MDX", "<div style={{display: 'none'}}>secret</div>\n\n<div\n  style={{\n    color: \"red\", 'display': `none`,\n  }}\n>\n\nsecret\n\n</div>\n\nShown <b style={{display: \"none\"}}>secret</b> shown.\n\n<div style={{display: 'block'}}>shown</div>\n", "Shown shown.\n\n<div style={{display: 'block'}}>shown</div>\n"},
	{"an expression in braces", "<p hidden={'hidden'}>secret</p>\n\n<p hidden={''}>shown</p>\n\n<p hidden={closed}>shown</p>\n\n<p hidden='until-found'>secret</p>\n\nShown.\n", "<p hidden={''}>shown</p>\n\n<p hidden={closed}>shown</p>\n\nShown.\n"},
	{"a style of Vue", "<p :style=\"{display: 'none'}\">secret</p>\n\n<p style=\"visibility:hidden\">secret</p>\n\nShown.\n", "Shown.\n"},
	{"an element in an element", "<div>\nshown <i hidden>secret</i> shown\n<p hidden>\nsecret\n\nsecret\n</p>\n\nshown\n</div>\n", "<div>\nshown shown\n\nshown\n</div>\n"},
	{"an element that is never closed", "Shown.\n\n<p hidden>secret\n\nshown\n\n<div hidden>secret\n\nsecret\n", "Shown.\n\nshown\n"},
	{"an element in a list", "- shown <i hidden>secret</i>\n- shown\n\n  <div hidden>\n\n  secret\n\n  </div>\n\n- shown\n", "- shown\n- shown\n\n- shown\n"},
	{"an element in code", "Use `<div hidden>` for shown text.\n\nEnd with `</div>`, shown.\n\n```html\n<div hidden>shown</div>\n<template>shown</template>\n```\n", ""},
	{"a field", "Shown <input type=hidden value=x> shown <img hidden alt=secret src=a.png> shown.\n", "Shown <input type=hidden value=x> shown shown.\n"},
	{"texts of front matter", "---\ntitle: shown <!-- secret --> shown\nsummary: \"%% secret x %% shown\"\nquestions:\n  - shown <!-- secret -->?\nnote: |\n  shown\n  shown <!-- secret\n  secret --> shown\ncode: '`<!-- shown -->` 100%% and %%shown%%'\n---\nShown.\n", "---\ntitle: shown shown\nsummary: \"shown\"\nquestions:\n  - shown ?\nnote: |\n  shown\n  shown shown\ncode: '`<!-- shown -->` 100%% and %%shown%%'\n---\nShown.\n"},
	{"an item of front matter", "---\nkeywords: [shown, \"<!-- secret -->\"]\npatterns: [\"<!-- shown -->\"]\n---\nShown.\n", "---\nkeywords: [shown]\npatterns: [\"<!-- shown -->\"]\n---\nShown.\n"},
	{"TOML, a text", "+++\ntitle = \"shown <!-- secret -->\"\n+++\nShown.\n", "+++\ntitle = \"shown\"\n+++\nShown.\n"},
	{"TOML", "+++\n# secret\ntitle = \"shown\"\n+++\nShown.\n", "+++\ntitle = \"shown\"\n+++\nShown.\n"},
}

func TestHiddenTextIsLeftOut(t *testing.T) {
	for _, tt := range hiddenTexts {
		if tt.visible == "" {
			tt.visible = tt.text
		}
		got := string(Visible("documents/a.md", []byte(tt.text)))
		if got != tt.visible {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.visible)
		}
		if strings.Count(got, "shown") != strings.Count(tt.text, "shown") {
			t.Errorf("%s: what is shown is lost: %q", tt.name, got)
		}
	}
}

func TestWhatIsLeftOfATextHasItsStructure(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	parts := []string{"# T\n", "\n", "text\n", "more <!-- secret --> text\n", "- item\n", "- <!-- secret --> item\n", "<!-- secret -->\n", "<!-- secret\n\nsecret -->\n",
		"%%\nsecret\n%%\n", "> quote\n", "```\n<!-- code -->\n```\n", "| a | b |\n| - | - |\n", "{/* secret */}\n", "1. one\n", "  nested\n", "<div>\n", "</div>\n", "[//]: # (secret)\n"}
	for range 3000 {
		var b strings.Builder
		for range 1 + r.IntN(9) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		text := b.String()
		before := Parse("documents/a.md", []byte(text))
		visible := Visible("documents/a.md", []byte(text))
		after := Parse("documents/a.md", visible)
		for i := range max(len(before.Headings), len(after.Headings)) {
			if i >= len(before.Headings) || i >= len(after.Headings) || before.Headings[i].ID != after.Headings[i].ID {
				t.Fatalf("%q has other headings than %q", visible, text)
			}
		}
		if n := len(HiddenIn(after)); n > 0 {
			t.Fatalf("%d parts of %q are hidden, which is left of %q", n, visible, text)
		}
	}
}

func TestMarksOfCommentsCostNoMoreThanTheirSize(t *testing.T) {
	for name, text := range map[string]string{
		"openers of HTML": strings.Repeat("<!--\n", 40_000), "in one paragraph": strings.Repeat("<!-- a\n", 20_000) + "--> x",
		"in a list": strings.Repeat("- <!-- a\n", 20_000) + "--> x", "blank lines": strings.Repeat("<div>\n<!--\n\n", 20_000),
		"percent signs": strings.Repeat("%% a\n", 40_000), "with fences": strings.Repeat("%% a\n```\n\n", 20_000), "tags": strings.Repeat("{% comment %}\n", 20_000),
		"braces": strings.Repeat("{/* a\n\n", 20_000), "Hugo": strings.Repeat("{{/*\n", 20_000) + "*/}}", "closers": strings.Repeat("<!-- a -->\n", 20_000),
	} {
		d := Parse("documents/a.md", []byte(text))
		if h := HiddenIn(d); len(h.Append(nil, d.Text, 0, len(d.Text))) > len(d.Text)+len(h)*len("<!-- -->") {
			t.Errorf("%s: longer than it was", name)
		}
	}
}

// Anchors name lines of a source: they stay where they are.
func TestASourceKeepsItsLinesWithoutWhatItHides(t *testing.T) {
	const text = "---\ntitle: Shown\n# secret\nowner: shown # secret\n---\n\nShown. <!-- secret\nsecret --> Shown.\n\n%%\nsecret\n%%\n\nShown.\n"
	const want = "---\ntitle: Shown\nowner: shown\n\n---\n\nShown. \n Shown.\n\n\n\n\n\nShown.\n"
	if got := string(Visible("sources/x.md", []byte(text))); got != want {
		t.Errorf("got %q", got)
	}
	if got := string(Visible("sources/x.md", []byte("Shown.\n\n`<!-- shown -->`\n"))); got != "Shown.\n\n`<!-- shown -->`\n" {
		t.Errorf("got %q", got)
	}
}

// A text of marks that hide is read in linear time, whatever it closes.
func TestHiddenElementsAreFoundInLinearTime(t *testing.T) {
	for _, part := range []string{"<b hidden>\n", "x <b hidden>\n", "x <b hidden>\n\n", "<p hidden>\n\n", "<div hidden>\n\n</p>", "<template>", "<div><i hidden>\n", "> <b hidden> `x\n\n", "{# ", "{#\n\n", "x {# #\n", "<b hidden><!--"} {
		for _, end := range []string{"", "</b>", "</div>\n"} {
			text := []byte(strings.Repeat(part, 300_000/len(part)) + end)
			start := time.Now()
			Visible("documents/a.md", text)
			if took := time.Since(start); took > 10*time.Second {
				t.Errorf("%q with %q at the end takes %v", part, end, took)
			} else if testing.Verbose() {
				t.Logf("%q %q: %v", part, end, took)
			}
		}
	}
	head := "---\ntitle: \"" + strings.Repeat("`<!-- ", 50_000) + strings.Repeat("%% ", 50_000) + "-->\"\n---\nShown.\n"
	start := time.Now()
	if Visible("documents/a.md", []byte(head)); time.Since(start) > 10*time.Second {
		t.Errorf("front matter takes %v", time.Since(start))
	}
}
