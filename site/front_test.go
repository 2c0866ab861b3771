package site

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

// The start page of a site of one pack is the page of the pack, without its breadcrumb.
func TestSiteOfOnePackOpensOnThePack(t *testing.T) {
	kettle := files{
		"KNOWLEDGE.md": entry("kettle", "hybrid", ""), "documents/main.md": "# Main\n\nWords, and [a fact](../wiki/fact.md).\n",
		"wiki/fact.md": "# Fact\n\n- Steel. [source: sources/s.md#L1]\n", "sources/s.md": "one\n",
	}
	m := generate(t, Options{Front: true, BaseURL: "https://example.org/some/where/"}, map[string]files{"kettle": kettle})
	front, page := m.text("index.html"), m.text("packs/kettle/index.html")
	if strings.Contains(front, "http-equiv=refresh") {
		t.Error("the start page leads on")
	}
	if own := `<link rel=canonical href="https://example.org/some/where/packs/kettle/">`; !strings.Contains(front, own) || !strings.Contains(page, own) {
		t.Errorf("the two name other addresses:\n%s\n%s", front[:900], page[:900])
	}
	if strings.Contains(front, "Breadcrumb") || !strings.Contains(page, "Breadcrumb") {
		t.Error("the start page has a breadcrumb, or that of the pack has none")
	}
	if a, b := linksFrom(front, ""), linksFrom(page, "packs/kettle"); len(a) < 20 || a != b {
		t.Errorf("the two link to other files:\n%s\n%s", a, b)
	}
	if got := m.text("sitemap.xml"); strings.Contains(got, "<loc>https://example.org/some/where/</loc>") || strings.Count(got, "<loc>https://example.org/some/where/packs/kettle/</loc>") != 1 {
		t.Errorf("the sitemap has the page twice, or not:\n%s", got)
	}
	generate(t, Options{Front: true}, map[string]files{"kettle": kettle}).crawl()

	two := generate(t, Options{Front: true, BaseURL: "https://example.org/some/where/"}, map[string]files{"kettle": kettle, "pot": {"KNOWLEDGE.md": entry("pot", "hybrid", ""), "documents/main.md": "# Pot\n"}})
	if got := two.text("index.html"); !strings.Contains(got, "packs/kettle/index.html") || !strings.Contains(got, "packs/pot/index.html") || strings.Contains(got, "http-equiv=refresh") {
		t.Errorf("the start page of two packs is no list of them:\n%s", got)
	}
	if got := two.text("sitemap.xml"); !strings.Contains(got, "<loc>https://example.org/some/where/</loc>") {
		t.Errorf("the sitemap lacks the start page:\n%s", got)
	}
}

// linksFrom lists the addresses that the content of a page in a folder has, from the root.
func linksFrom(page, folder string) string {
	_, content, _ := strings.Cut(page, "packhead")
	var list []string
	for _, found := range regexp.MustCompile(`href="?([^" >]*)`).FindAllStringSubmatch(content, -1) {
		if !strings.HasPrefix(found[1], "#") {
			list = append(list, path.Join(folder, found[1]))
		}
	}
	return strings.Join(list, "\n")
}
