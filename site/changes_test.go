package site

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
)

// dated are the options of a site that shows dates: of pages of kettle by their names, of
// those of shore none.
func dated() Options {
	return Options{
		BaseURL: "https://example.org/kb/", Edit: "https://example.org/edit/{path}?raw",
		Locate: func(p *pack.Pack, name string) string {
			if p.Meta.Name == "shore" {
				return "../elsewhere/" + name
			}
			return "packs/" + p.Meta.Name + "/" + name
		},
		Changed: func(p *pack.Pack, name string) time.Time {
			at, err := time.Parse(time.RFC3339, map[string]string{
				"documents/main.md": "2026-02-03T23:30:00-05:00", "documents/care.md": "2026-05-06T07:08:09Z", "documents/my notes #1.md": "2025-01-01T00:00:00Z",
			}[name])
			if err != nil || p.Meta.Name != "kettle" {
				return time.Time{}
			}
			return at
		},
	}
}

func TestDatesAreShownWhereTheyAreKnown(t *testing.T) {
	m := generate(t, dated(), both())
	m.has("packs/kettle/documents/main.html", "<span>changed <time>2026-02-04</time></span>") // in UTC
	m.hasNot("packs/kettle/documents/deep/down/low.html", "changed")
	m.hasNot("packs/shore/wiki/index.html", "<time>")
	m.has("sitemap.xml", "documents/my%20notes%20%231.html</loc><lastmod>2025-01-01</lastmod>")
	m.has("sitemap.xml", "/packs/kettle/</loc><lastmod>2026-05-06</lastmod>")
	m.has("sitemap.xml", "low.html</loc></url>")

	o := dated()
	o.Changed, o.Edit = nil, ""
	plain := generate(t, o, both())
	for path := range plain.files {
		if strings.HasSuffix(path, ".html") || path == "sitemap.xml" {
			plain.hasNot(path, "<time>")
			plain.hasNot(path, "lastmod")
			plain.hasNot(path, "Edit this page")
			plain.hasNot(path, "atom+xml")
		}
	}
	if _, ok := plain.files["feed.xml"]; ok {
		t.Error("a site without dates has a feed")
	}
}

func TestFeedNamesThePagesThatWereChangedLast(t *testing.T) {
	packs := both()
	packs["kettle"]["documents/care.md"] = "---\ndescription: Rinse & <dry>.\n---\n# Care \\</title>\n\nText.\n"
	m := generate(t, dated(), packs)
	var got atomFeed
	oktest.Check(t, xml.Unmarshal([]byte(m.text("feed.xml")), &got))
	if len(got.Entries) != 3 || got.Updated != "2026-05-06T07:08:09Z" {
		t.Fatalf("the feed is %+v", got)
	}
	first := got.Entries[0]
	if first.ID != "https://example.org/kb/packs/kettle/documents/care.html" || first.Title != "Care </title>" || first.Summary != "Rinse & <dry>." {
		t.Errorf("the first entry is %+v", first)
	}
	if last := got.Entries[2]; last.Updated != "2025-01-01T00:00:00Z" || last.Link.Href != "https://example.org/kb/packs/kettle/documents/my%20notes%20%231.html" {
		t.Errorf("the last entry is %+v", last)
	}
	m.has("index.html", `<link rel="alternate" type="application/atom+xml" href="feed.xml">`)
	m.has("packs/kettle/index.html", `type="application/atom+xml" href="../../feed.xml"`)
}

func TestEditLinksLeadToTheFile(t *testing.T) {
	m := generate(t, dated(), both())
	m.has("packs/kettle/documents/my notes #1.html", `<a href="https://example.org/edit/packs/kettle/documents/my%20notes%20%231.md?raw">Edit this page</a>`)
	m.hasNot("packs/shore/wiki/index.html", "Edit this page") // outside of the repository
	m.hasNot("packs/kettle/index.html", "elsewhere")
}
