package editor

import (
	"strings"
	"testing"
)

// A link to what has moved is written as it was before, in its own way; one that still leads
// there stays.
func TestLinksFollowWhatMoves(t *testing.T) {
	pages := map[string]string{
		"sub/b.md": "# Bee\n\n## Part\n\nSee [c](c.md), [home](../a.md), ![](p.png) and [me](b.md#part).\n", "sub/c.md": "# Cee\n", "sub/index.md": "# Sub\n", "sub/p.png": "png",
		"sub/my page.md": "# Mine\n", "01-old.md": "# Ordered\n", "x/deep/y.md": "# Why\n\n[b](../../sub/b.md) [[../../sub/b]]\n",
	}
	for _, tt := range []struct{ from, to, link, want string }{
		// A page moves to another folder.
		{"sub/b.md", "b.md", "[b](sub/b.md#part)", "[b](b.md#part)"},
		{"sub/b.md", "b.md", "[sub/b.md](sub/b.md)", "[sub/b.md](b.md)"},
		{"sub/b.md", "b.md", "sub/b.md [b](<sub/b.md> \"sub/b.md\")", "sub/b.md [b](<b.md> \"sub/b.md\")"},
		{"sub/b.md", "b.md", "[b](./sub/b.md?x#part)", "[b](./b.md?x#part)"},
		{"sub/b.md", "b.md", "[b](/sub/b.md)", "[b](/b.md)"},
		{"sub/b.md", "b.md", "[b](/documents/sub/b.md)", "[b](/documents/b.md)"},
		{"sub/b.md", "b.md", "[b](sub/b)", "[b](b)"},
		{"sub/b.md", "b.md", "[b](sub/b.html#part)", "[b](b.html#part)"},
		{"sub/b.md", "b.md", "[use][ref], [ref] and sub/b.md\n\n[ref]: sub/b.md#part", "[use][ref], [ref] and sub/b.md\n\n[ref]: b.md#part"},
		{"sub/b.md", "b.md", "<a href=\"sub/b.md\">sub/b.md</a>", "<a href=\"b.md\">sub/b.md</a>"},
		{"sub/b.md", "b.md", "[[b]] [[Bee#Part]] [[b|sub/b]]", "[[b]] [[Bee#Part]] [[b|sub/b]]"},
		{"sub/b.md", "b.md", "[[sub/b]] [[sub/b#Part]] ![[sub/b#Part|b]]", "[[b]] [[b#Part]] ![[b#Part|b]]"},
		{"sub/b.md", "b.md", "[[documents/sub/b]] [[sub/b.md]]", "[[documents/b]] [[b.md]]"},
		{"sub/b.md", "b.md", "| a |\n| - |\n| [[sub/b\\|b]] |", "| a |\n| - |\n| [[b\\|b]] |"},
		{"sub/b.md", "b.md", "[[Read this|sub/b]]", "[[Read this|b]]"},
		{"sub/b.md", "b.md", "`[[sub/b]]` \\[[sub/b]]", "`[[sub/b]]` \\[[sub/b]]"},
		{"sub/b.md", "x/deep/b.md", "[b](sub/b.md) [[sub/b]] [[b]]", "[b](x/deep/b.md) [[x/deep/b]] [[b]]"},
		{"sub/b.md", "sub/bee hive.md", "[b](sub/b.md) [[b]] [[sub/b#Part]] [[Bee]]", "[b](sub/bee%20hive.md) [[bee hive]] [[sub/bee hive#Part]] [[Bee]]"},
		{"sub/my page.md", "mine.md", "[m](sub/my%20page.md) [m](<sub/my page.md>) [[sub/my page]]", "[m](mine.md) [m](<mine.md>) [[mine]]"},
		{"01-old.md", "02-old.md", "[o](01-old.md) [[01-old]]", "[o](02-old.md) [[02-old]]"},
		// A page takes a name that a link to another one has.
		{"sub/b.md", "x/c.md", "[[c]] [[sub/c]]", "[[c]] [[sub/c]]"},
		{"x/deep/y.md", "c.md", "[[c]]", "[[sub/c]]"},
		// A picture moves.
		{"sub/p.png", "img/q.png", "![](sub/p.png) ![[p.png]] ![[sub/p.png]]", "![](img/q.png) ![[q.png]] ![[img/q.png]]"},
		// A folder has another name.
		{"sub", "new", "[b](sub/b.md#part) [[sub/b#Part]] [[b]] ![](sub/p.png)", "[b](new/b.md#part) [[new/b#Part]] [[b]] ![](new/p.png)"},
		{"sub", "new", "[s](sub/) [s](sub) [s](/sub/) [s](sub/index.md) [[documents/sub/c]]", "[s](new/) [s](new) [s](/new/) [s](new/index.md) [[documents/new/c]]"},
		{"sub", "x/deep/sub", "[b](sub/b.md) [[sub/b]] [x](x/deep/y.md)", "[b](x/deep/sub/b.md) [[sub/b]] [x](x/deep/y.md)"},
		{"x", "z", "[b](sub/b.md) [y](x/deep/)", "[b](sub/b.md) [y](z/deep/)"},
	} {
		files := map[string]string{"packs/kb/KNOWLEDGE.md": "---\nname: kb\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: document-first\nmetadata:\n  primaryDocument: documents/a.md\n---\n# KB\n\n- Bees: `documents/sub/b.md`\n- All: `documents/sub/**`\n"}
		for name, text := range pages {
			files["packs/kb/documents/"+name] = text
		}
		files["packs/kb/documents/a.md"] = "# A\n\n" + tt.link + "\n"
		c := start(t, files)
		move := []map[string]string{{"oldUri": c.uri("packs/kb/documents/" + tt.from), "newUri": c.uri("packs/kb/documents/" + tt.to)}}
		var e workspaceEdit
		if fault := c.call("workspace/willRenameFiles", map[string]any{"files": move}, &e); fault != nil {
			t.Fatal(fault)
		}
		after := edited(c, e, files)
		text, ok := after["packs/kb/documents/a.md"]
		if got := strings.TrimSuffix(strings.TrimPrefix(text, "# A\n\n"), "\n"); ok && got != tt.want || !ok && tt.want != tt.link {
			t.Errorf("%s to %s: %q is now %q, not %q", tt.from, tt.to, tt.link, got, tt.want)
		}
		guide := after["packs/kb/KNOWLEDGE.md"]
		switch tt.from + " " + tt.to {
		case "sub/b.md b.md":
			if b := after["packs/kb/documents/sub/b.md"]; !strings.Contains(b, "[c](sub/c.md), [home](a.md), ![](sub/p.png) and [me](b.md#part)") {
				t.Errorf("the links of the page itself: %q", b)
			}
			if y := after["packs/kb/documents/x/deep/y.md"]; !strings.Contains(y, "[b](../../b.md) [[../../b]]") {
				t.Errorf("from another folder: %q", y)
			}
		case "sub new":
			if _, ok := after["packs/kb/documents/sub/b.md"]; ok || !strings.Contains(guide, "`documents/new/b.md`\n- All: `documents/new/**`") {
				t.Errorf("%v", after)
			}
		}
	}
}

// Files that move together are looked at together.
func TestFilesThatMoveTogetherKeepTheirLinks(t *testing.T) {
	files := kettle()
	c := start(t, files)
	var list []map[string]string
	for _, name := range []string{"kettle", "safety"} {
		list = append(list, map[string]string{"oldUri": c.uri("packs/kettle/documents/" + name + ".md"), "newUri": c.uri("packs/kettle/documents/use/" + name + ".md")})
	}
	var e workspaceEdit
	c.call("workspace/willRenameFiles", map[string]any{"files": list}, &e)
	after := edited(c, e, files)
	for name := range after {
		if strings.Contains(name, "/documents/") {
			t.Errorf("%s is edited: %q", name, after[name])
		}
	}
	if !strings.Contains(after["packs/kettle/KNOWLEDGE.md"], "primaryDocument: documents/use/kettle.md") {
		t.Errorf("%v", after)
	}
}
