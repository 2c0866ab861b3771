package site

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// ordered is a pack whose author gave its pages an order.
func ordered() map[string]files {
	return map[string]files{"kettle": {
		"KNOWLEDGE.md":                     entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/a.md\n") + "\n## Context map\n\n- Care: `documents/z/care.md`\n- Other: `documents/m.md#x`\n",
		"documents/a.md":                   "# A\n",
		"documents/m.md":                   "# M\n",
		"documents/second.md":              "---\nsidebar_position: 2\n---\n# Second\n",
		"documents/first.md":               "---\norder: 1.5\n---\n# First\n",
		"documents/b/index.md":             "---\nnav_order: 0\nsidebar_label: Bees\n---\n# All of the bees\n",
		"documents/b/x.md":                 "# X\n",
		"documents/z/care.md":              "# Care\n\n[the folder](./) [and x](../b/)\n",
		"documents/z/README.md":            "# About care\n\nSee [care](care.md#care) and ![[care]].\n",
		"documents/z/deep/er/low & <b>.md": "# `<script>alert(1)</script>`\n",
	}}
}

func TestPagesAreInTheAuthorsOrder(t *testing.T) {
	m := generate(t, Options{}, ordered())
	const want = `[["Documents","documents",[` +
		`["z","z",[["Care","care.html"],["About care","README.html"],["deep","deep",[["er","er",[["<script>alert(1)</script>","low & <b>.html"]]]]]]],` +
		`["M","m.html"],["Bees","b",[["X","x.html"]]],["First","first.html"],["Second","second.html"],["A","a.html"]]]]` + "\n"
	if got := m.text("packs/kettle/tree/index.json"); got != want {
		t.Errorf("the tree is\n%s, want\n%s", got, want)
	}
	m.has("packs/kettle/documents/first.html", `<a rel="prev" href="b/x.html">X</a><a rel="next" href="second.html">Second</a>`)
	m.has("packs/kettle/documents/b/x.html", `<a rel="prev" href="index.html">All of the bees</a>`)
	m.crawl()
}

// The page of a folder is at the address of the folder, in whatever letter case its name is.
func TestAFolderWithACapitalIndexHasItsPage(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":              entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/a.md\n"),
		"documents/a.md":            "# A\n\n[up](Sub/) [named](Sub/Index.md#inside) [all](LOUD/) [[Sub/Index]]\n",
		"documents/Sub/Index.md":    "# Start here\n\n## Inside\n\nWelcome inside. [a](../a.md)\n",
		"documents/Sub/x.md":        "# X\n\n[home](./)\n",
		"documents/LOUD/INDEX.md":   "# Loud\n",
		"documents/other/iNDEX.md":  "# Odd\n",
		"documents/read/README.md":  "# Read\n\nRead me.\n",
		"documents/plain/index.md":  "# Plain\n",
		"documents/plain/README.md": "# About plain\n",
	}})
	m.has("packs/kettle/documents/Sub/index.html", "Welcome inside.")
	for _, link := range []string{"<a href=Sub/index.html>up", "<a href=Sub/index.html#inside>named", "<a href=LOUD/index.html>all"} {
		m.has("packs/kettle/documents/a.html", link)
	}
	m.has("packs/kettle/documents/read/index.html", "Read me.")
	m.has("packs/kettle/documents/other/iNDEX.html", "Odd")
	m.crawl()
}

func TestEachFolderHasAPage(t *testing.T) {
	m := generate(t, Options{}, ordered())
	m.has("packs/kettle/documents/z/index.html", "<h1 id=about-care>About care</h1>")
	m.has("packs/kettle/documents/z/index.html", "<a href=care.html#care>care</a>")
	m.has("packs/kettle/documents/z/index.html", "<a href=deep/index.html>deep/</a>")
	m.has("packs/kettle/documents/z/deep/index.html", "<h1>deep</h1>")
	m.has("packs/kettle/documents/z/deep/er/low & <b>.html", `<a href=../../../../index.html>kettle</a><a href=../../../../documents.html>documents</a><a href=../../index.html>z</a><a href=../index.html>deep</a><a href=index.html>er</a></nav>`)
	m.has("packs/kettle/documents/b/index.html", "All of the bees</h1>")
	m.has("packs/kettle/documents/z/care.html", "<a href=README.html>the folder</a> <a href=../b/index.html>and x</a>")
	m.hasNot("packs/kettle/documents/z/deep/er/index.html", "<script>alert")
}

func TestNoFileOfTheTreeGrowsWithAFolder(t *testing.T) {
	m := generate(t, Options{}, crowd(2*treeItems+5))
	name, found := "index", 0
	for name != "" && found < 3*treeItems {
		var items []json.RawMessage
		text := m.text("packs/crowd/tree/" + name + ".json")
		if err := json.Unmarshal([]byte(text), &items); err != nil || len(items) > treeItems+1 {
			t.Fatalf("%s has %d items: %v", name, len(items), err)
		}
		if name == "index" {
			var root []json.RawMessage
			oktest.Check(t, json.Unmarshal(items[0], &root))
			oktest.Check(t, json.Unmarshal(root[2], &items))
		}
		name = ""
		for _, item := range items {
			if item[0] == '"' {
				_ = json.Unmarshal(item, &name) // it is a string
				continue
			}
			found++
		}
	}
	if found != 2*treeItems+5 {
		t.Errorf("the tree has %d pages", found)
	}
}

func TestADeepTreeAndALongTitle(t *testing.T) {
	deep := "documents/" + strings.Repeat("d/", 40)
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":   entry("kettle", "document-first", "metadata:\n  primaryDocument: "+deep+"a.md\n"),
		deep + "a.md":    "# " + strings.Repeat("title ", 80) + "\n",
		"documents/b.md": "# B\n",
	}})
	m.has("packs/kettle/"+deep+"a.html", "title title")
	if got := strings.Count(m.text("packs/kettle/tree/index.json"), fmt.Sprintf("%q,", "d")); got != 80 {
		t.Errorf("the tree has %d names of folders, want 80", got)
	}
	m.crawl()
}
