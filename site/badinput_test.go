package site

import (
	"strings"
	"testing"
)

// badInput is a pack whose titles are long, unbroken or markup, and whose tree is deep.
func badInput() map[string]files {
	deep := strings.Repeat("d/", 40)
	return map[string]files{"bad": {
		"KNOWLEDGE.md":               entry("bad", "document-first", ""),
		"documents/main.md":          "# " + strings.Repeat("A title that goes on ", 24) + "\n\nSee [deep](" + deep + "x.md).\n\n## " + strings.Repeat("y", 500) + "\n\nText.\n",
		"documents/markup.md":        "---\ndescription: \"</title><script>alert(1)</script>\"\n---\n# \\<img src=x onerror=alert(1)> \\</title>\\<script>alert(1)\\</script>\n\nSo says [main](main.md) \\<script>alert(1)\\</script>.\n",
		"documents/unbroken.md":      "# " + strings.Repeat("z", 500) + "\n\nText.\n",
		"documents/" + deep + "x.md": "# Deep\n\nText.\n",
	}}
}

// Names of other pages are cut on a page, a deep breadcrumb names its ends, and a title that
// is markup is text wherever it is shown.
func TestBadTitlesAndDeepTreesKeepPagesUsable(t *testing.T) {
	o := dated()
	o.PublishSources = true
	generate(t, Options{PublishSources: true}, badInput()).crawl()
	m := generate(t, o, badInput())
	deep := m.text("packs/bad/documents/" + strings.Repeat("d/", 40) + "x.html")
	if crumbs, _, _ := strings.Cut(deep[strings.Index(deep, "<nav class=crumbs"):], "</nav>"); strings.Count(crumbs, "<a ") != 7 || !strings.Contains(crumbs, ">…</a>") {
		t.Errorf("the breadcrumb is %s", crumbs)
	}
	for path, data := range m.files {
		text := string(data)
		switch {
		case strings.HasSuffix(path, ".html"):
			if strings.Contains(text, "<script>alert") || strings.Contains(text, "<img src=x") || strings.Count(text, "</title>") != strings.Count(text, "<title>") {
				t.Errorf("%s has markup of a title:\n%s", path, text)
			}
			if strings.HasPrefix(path, "packs/bad/documents/d/") && strings.Contains(text, strings.Repeat("A title that goes on ", 10)) {
				t.Errorf("%s has the whole title of another page", path)
			}
		case strings.HasSuffix(path, ".json") && strings.Contains(path, "/graph/"):
			if strings.Contains(text, strings.Repeat("z", 200)) {
				t.Errorf("%s has a title of 500 characters", path)
			}
		}
	}
}
