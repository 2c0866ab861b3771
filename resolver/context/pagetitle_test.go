package context

import "testing"

// A page without a title in its text is found by the title in its front matter, in YAML and
// in TOML; a page with a title of its own is not.
func TestTheTitleInFrontMatterLeadsToItsPage(t *testing.T) {
	const query = "microsoft directory tenants"
	for _, c := range []struct {
		rule, front, body string
		want              string
	}{
		{"in YAML", "---\ntitle: Microsoft directory tenants\n---\n", "Take note of the id.\n", "compiled/splits/ad/ad.md"},
		{"in TOML", "+++\ntitle = \"Microsoft directory tenants\"\n+++\n", "Take note of the id.\n", "compiled/splits/ad/ad.md"},
		{"above the first section", "---\ntitle: Microsoft directory tenants\n---\n", "Take note of the id.\n\n## Groups\n\nNone.\n", "compiled/splits/ad/overview.md"},
		{"beside a title in the text", "---\ntitle: Microsoft directory tenants\n---\n", "# Ids\n\nTake note of the id.\n", ""},
	} {
		files := compiled(t, tree{
			"KNOWLEDGE.md":       head("kettle", "document-first", ""),
			"documents/ad.md":    c.front + c.body,
			"documents/other.md": "# Other\n\n## Size\n\nSmall.\n",
		})
		if got := first(t, query, files); got != c.want {
			t.Errorf("%s: the query selects %q, want %q", c.rule, got, c.want)
		}
	}
}
