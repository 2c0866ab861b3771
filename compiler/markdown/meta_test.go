package markdown

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
)

func TestFrontMatterOfOtherSystemsNeverStopsAPage(t *testing.T) {
	for _, tt := range []struct{ name, meta, status, title string }{
		{"a status of another system", "status: deprecated\ntitle: T", "", "T"},
		{"a status that is a list", "status: [ ]\ntitle: T", "", "T"},
		{"a draft of Hugo", "draft: true\ntitle: T", "draft", "T"},
		{"unpublished, as Jekyll has it", "published: false", "draft", ""},
		{"a status of ours before a draft", "draft: true\nstatus: ready", "ready", ""},
		{"a colon in a title", "title: One: two\nother: x", "", "One: two"},
		{"a template", "title: {{title}}\ndate: {{date}}\nlabel: 'x'", "", ""},
		{"a key twice", "title: T\ntags: a\ntags: b", "", "T"},
		{"a list", "- a\n- b", "", ""},
		{"aliases of YAML", "a: &x 1\nb: *x\ntitle: T", "", "T"},
		{"a long block", "title: T\nx: " + strings.Repeat("y", 70<<10), "", ""},
	} {
		d := Parse("documents/a.md", []byte("---\n"+tt.meta+"\n---\n# Body\n"))
		if d.Status != tt.status || len(d.Headings) != 1 {
			t.Errorf("%s: status %q, %d headings", tt.name, d.Status, len(d.Headings))
		}
		if got := d.MetaString("title"); tt.title != "" && got != tt.title {
			t.Errorf("%s: title %q, want %q", tt.name, got, tt.title)
		}
		for _, x := range d.Diagnostics {
			want := diag.Warning
			if strings.HasPrefix(tt.meta, "status:") || strings.HasPrefix(x.Message, "unknown status") {
				want = diag.Info
			}
			if x.ID != ForeignID || x.Severity != want {
				t.Errorf("%s: %s %s: %s", tt.name, x.Severity, x.ID, x.Message)
			}
		}
	}
}

func TestPlaceholdersOfTemplatesAreNoFinding(t *testing.T) {
	for meta, want := range map[string]int{
		"date: {{date}}\ntitle: T": 0, "title: T\ndate: {% now %}": 0,
		"date: {{date}}\na: b: c": 1, "a: b: c\ndate: {{date}}": 1, "a: [x": 1,
	} {
		d := Parse("documents/a.md", []byte("---\n"+meta+"\n---\n# Body\n"))
		if len(d.Diagnostics) != want || len(d.Headings) != 1 {
			t.Errorf("%q: %v", meta, d.Diagnostics)
		}
	}
}

func TestRedirectsAreThePathsAPageHad(t *testing.T) {
	d := Parse("documents/a.md", []byte("---\nredirect_from:\n  - /old/page.html\n  - /docs/x/\naliases: [Other name, /y/z, ../../etc/x, 'https://e.org/x', /.git/x]\nslug: /s/t\npermalink: /:year/x\n---\n"))
	if diff := cmp.Diff([]string{"documents/old/page", "documents/docs/x/index", "documents/y/z", "documents/etc/x", "documents/s/t"}, d.Redirects()); diff != "" {
		t.Error(diff)
	}
}

func TestAPathOfThePackIsARedirectFromThere(t *testing.T) {
	d := Parse("documents/a.md", []byte("---\nredirect_from: [documents/old.md, wiki/b/old.md, documents/a.md, /wiki/c, documents/, documents/../../x]\n---\n"))
	if diff := cmp.Diff([]string{"documents/old", "wiki/b/old", "documents/wiki/c", "documents/index", "documents/x"}, d.Redirects()); diff != "" {
		t.Error(diff)
	}
}

func TestListsOfFrontMatterMayBeTexts(t *testing.T) {
	d := Parse("documents/a.md", []byte("---\ntags: a, b c\ntag: [d, 12]\n---\n"))
	if diff := cmp.Diff([]string{"a", "b c", "d", "12"}, d.MetaList(true, "tags", "tag")); diff != "" {
		t.Error(diff)
	}
}
