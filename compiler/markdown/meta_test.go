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
		{"a draft whatever its status", "draft: true\nstatus: ready", "draft", ""},
		{"a draft in other letters", "status: Draft", "draft", ""},
		{"a word that means draft", "status: WIP", "draft", ""},
		{"a text", "draft: \"yes\"", "draft", ""},
		{"a title of digits", "title: 2024", "", "2024"},
		{"a colon in a title", "title: One: two\nother: x", "", "One: two"},
		{"a template", "title: {{title}}\ndate: {{date}}\nlabel: 'x'", "", ""},
		{"a key twice", "title: T\ntags: a\ntags: b", "", "T"},
		{"a list", "- a\n- b", "", ""},
		{"aliases of YAML", "a: &x 1\nb: *x\ntitle: T", "", "T"},
		{"a long block", "title: T\nx: " + strings.Repeat("y", 70<<10), "", ""},
	} {
		d := Parse("documents/a.md", []byte("---\n"+tt.meta+"\n---\n# Body\n"))
		if string(d.Status) != tt.status || len(d.Headings) != 1 {
			t.Errorf("%s: status %q, %d headings", tt.name, d.Status, len(d.Headings))
		}
		if got := d.MetaString("title"); tt.title != "" && got != tt.title {
			t.Errorf("%s: title %q, want %q", tt.name, got, tt.title)
		}
		for _, x := range d.Diagnostics {
			want := diag.Warning
			if strings.HasPrefix(x.Message, "the status is") {
				want = diag.Info
			}
			if x.ID != ForeignID || x.Severity != want || IsForeign(x) != strings.HasPrefix(x.Message, `the status "`) {
				t.Errorf("%s: %s %s: %s", tt.name, x.Severity, x.ID, x.Message)
			}
		}
	}
}

func TestKeysAreReadInAnyCaseAndMisspeltOnesAreReported(t *testing.T) {
	for meta, want := range map[string]string{
		"Title: T": "", "TITLE: T": "", "title: T\nTitle: U": "", "Title: U\ntitle: T": "", "title: T\nquestion: why\nauthor: me\ntags: [a]": "",
		"title: T\nkeyword: [a]":              `front matter has the key "keyword", which has no effect: did you mean "keywords"?`,
		"title: T\nDescripton: D":             `front matter has the key "Descripton", which has no effect: did you mean "description"?`,
		"title: T\nkeywords: [a]\nkeyword: b": "",
	} {
		d := Parse("documents/a.md", []byte("---\n"+meta+"\n---\n# Body\n"))
		var got []string
		for _, x := range d.Diagnostics {
			got = append(got, x.Message+": "+x.Hint)
			if !IsForeign(x) || x.Line != 3 {
				t.Errorf("%q: %+v", meta, x)
			}
		}
		if strings.Join(got, "; ") != want || d.MetaString("title") != "T" {
			t.Errorf("%q: title %q, found %q, want %q", meta, d.MetaString("title"), got, want)
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

func TestAnUnknownStatusNamesTheNearestKnownOne(t *testing.T) {
	for status, want := range map[string]string{
		"Ready": `"Ready" is not known; did you mean ready?`, "disputd": `"disputd" is not known; did you mean disputed?`, "needs_review": `"needs_review" is not known; did you mean needs-review?`,
		"wip": `"wip" is not known; the page counts as a draft`, "Draft": `"Draft" is not known; the page counts as a draft`, "accepted": `"accepted" is not known`,
	} {
		d := Parse("documents/a.md", []byte("---\nstatus: "+status+"\n---\n# Body\n"))
		if len(d.Diagnostics) != 1 || d.Diagnostics[0].Message != "the status "+want || d.Diagnostics[0].Severity != diag.Warning {
			t.Errorf("%s: %v", status, d.Diagnostics)
		}
	}
}

func TestFrontMatterThatIsNeverClosedIsNoText(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: A\n\n# T\n\nText.\n":                    "error",
		"---\n# by hand\ntitle: A\n...\n\n# T\n":             "error",
		"+++\ntitle = \"A\"\n\n# T\n":                        "error",
		"---\nstatus: Draft\n\n# T\n":                        "draft",
		"---\n\nNote: text below a rule.\n":                  "text",
		"---\nText below a rule: more.\n":                    "text",
		"---\n# Notes\n\nImportant text.\n\n---\n\nmore\n":   "text",
		"---\n\n## Notes\n\n---\n\nmore\n":                   "text",
		"---\n\nFirst words: a sentence.\n\n---\nmore\n":     "text",
		"---\n# A comment\ntitle: A\n\nstatus: ready\n---\n": "meta",
		"---\n# A comment\n---\nmore\n":                      "meta",
	} {
		d := Parse("documents/a.md", []byte(text))
		got := "meta"
		switch {
		case d.Unclosed() && d.Diagnostics[0].Severity == diag.Error && d.Body == len(text):
			got = "error"
		case d.Status == "draft" && d.Body == len(text) && d.Unclosed():
			got = "draft"
		case d.Body == 0:
			got = "text"
		}
		if got != want {
			t.Errorf("%q is %s, want %s: %v", text, got, want, d.Diagnostics)
		}
	}
}
