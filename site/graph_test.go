package site

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestBacklinksHaveTheSentenceThatLinks(t *testing.T) {
	m := generate(t, Options{}, both())
	m.has("packs/kettle/documents/care.html", `<li><a href=main.html>The kettle</a><p>One litre, see care and Care of the kettle or the short one.`)
	m.has("packs/kettle/documents/main.html", `and <a href="../graph.html?documents/main">`)
	m.has("packs/shore/wiki/concepts/zonation.html", `<li><a href=../index.html>Index</a>`)
	m.hasNot("packs/shore/wiki/concepts/zonation.html", `<a href=../index.html>Index</a><p>`) // a line of its own
}

// graphOf reads the files that say who links to whom.
func graphOf(t *testing.T, m made, pack string) (g packGraph, pages map[string]graphRecord) {
	t.Helper()
	oktest.Check(t, json.Unmarshal([]byte(m.text("packs/"+pack+"/graph/index.json")), &g))
	pages = map[string]graphRecord{}
	for i := range g.Files {
		oktest.Check(t, json.Unmarshal([]byte(m.text(fmt.Sprintf("packs/%s/graph/%d.json", pack, i))), &pages))
	}
	return g, pages
}

func TestGraphHasEveryLinkInBothDirections(t *testing.T) {
	m := generate(t, Options{}, both())
	g, pages := graphOf(t, m, "kettle")
	main := pages["documents/main"]
	if main.Title != "The kettle" || strings.Join(main.To, " ") != "documents/care" || len(main.From) != 3 {
		t.Errorf("the record of main is %+v", main)
	}
	if len(g.Nodes) != 4 || len(g.Edges) != 3 {
		t.Errorf("the graph is %+v", g)
	}
	m.has("packs/kettle/graph.html", `<td><a href=documents/main.html>The kettle</a><td class=n>3<td class=n>1`)
}

// No file of the graph grows with the pack beyond a limit, and that of the pack is by
// folder where there are too many pages.
func TestGraphIsBounded(t *testing.T) {
	f := files{"KNOWLEDGE.md": entry("crowd", "wiki-first", "")}
	for i := range 700 {
		f[fmt.Sprintf("wiki/f%02d/p%04d.md", i%30, i)] = fmt.Sprintf("# Page %04d\n\nAs [the first](../f00/p0000.md) and [the next](../f%02d/p%04d.md) say.\n", i, (i+1)%700%30, (i+1)%700)
	}
	m := generate(t, Options{}, map[string]files{"crowd": f})
	g, pages := graphOf(t, m, "crowd")
	if len(g.Nodes) != 30 || g.Nodes[0].Title != "wiki/f00/" || g.Nodes[0].Size != 24 || len(g.Edges) == 0 {
		t.Errorf("the graph has %d nodes, the first is %+v", len(g.Nodes), g.Nodes[0])
	}
	hub := pages["wiki/f00/p0000"]
	if len(hub.From) != graphLinks || hub.More != 699-graphLinks || len(pages) != 700 || g.Files != 16 {
		t.Errorf("%d files, the hub has %d links and %d more", g.Files, len(hub.From), hub.More)
	}
	if said := hub.From[0][1]; said != "As the first and the next say." {
		t.Errorf("the first link says %q", said)
	}
}
