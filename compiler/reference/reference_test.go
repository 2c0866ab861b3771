package reference

import (
	"path"
	"slices"
	"strings"
	"testing"
)

func tableOf(files ...string) *Table {
	has := func(f string) bool { return slices.Contains(files, f) }
	hasDir := func(d string) bool {
		return slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, d+"/") })
	}
	return NewTable(has, hasDir, func() []string { return files })
}

func TestLinksAreResolvedAsTheirSystemsDo(t *testing.T) {
	table := tableOf(
		"documents/README.md", "documents/guide/index.md", "documents/guide/install.md", "documents/guide/Setup.md",
		"documents/book/README.md", "documents/book/ch01.md", "documents/img/a b.png", "documents/src/content/de/start.mdx",
		"documents/src/content/de/page.md", "assets/x.png", "documents/mdx/index.mdx.md", "documents/mdx/cards.mdx.md",
		"documents/01-app/2. routing/03_pages.md", "documents/01-app/2. routing/index.md", "documents/posts/2021-news.md",
	)
	for _, tt := range []struct {
		from, dest, want string
		way              Way
	}{
		{"documents/README.md", "guide/install.md", "documents/guide/install.md", Exact},
		{"documents/README.md", "guide", "documents/guide/index.md", Index},
		{"documents/README.md", "img", "documents/img", Folder},
		{"documents/README.md", "book/", "documents/book/README.md", Index},
		{"documents/README.md", "guide/install", "documents/guide/install.md", Short},
		{"documents/README.md", "guide/install/", "documents/guide/install.md", Short},
		{"documents/README.md", "guide/install.html", "documents/guide/install.md", Ending},
		{"documents/README.md", "book/index.html", "documents/book/README.md", Ending},
		{"documents/README.md", "Guide/INSTALL.md", "documents/guide/install.md", Case},
		{"documents/guide/install.md", "setup.md", "documents/guide/Setup.md", Case},
		{"documents/guide/install.md", "../setup/", "documents/guide/Setup.md", Short},
		{"documents/guide/install.md", "/guide/install.md", "documents/guide/install.md", Short},
		{"documents/src/content/de/page.md", "/de/start/", "documents/src/content/de/start.mdx", Short},
		{"documents/README.md", "/mdx/cards/", "documents/mdx/cards.mdx.md", Short},
		{"documents/README.md", "mdx", "documents/mdx/index.mdx.md", Index},
		{"documents/README.md", "mdx/Cards", "documents/mdx/cards.mdx.md", Short},
		{"documents/README.md", "mdx/cards.html", "documents/mdx/cards.mdx.md", Ending},
		{"documents/README.md", "mdx/cards.mdx", "documents/mdx/cards.mdx.md", Short},
		{"documents/README.md", "/assets/x.png", "assets/x.png", Short},
		{"documents/README.md", "/docs/guide/install", "documents/guide/install.md", Short},
		{"documents/README.md", "/docs/docs/guide/install.md#x", "", None},
		{"documents/README.md", "/documentation/docs/guide/install.md", "documents/guide/install.md", Short},
		{"documents/README.md", "/app/routing/pages", "documents/01-app/2. routing/03_pages.md", Short},
		{"documents/README.md", "/docs/app/routing", "documents/01-app/2. routing/index.md", Short},
		{"documents/01-app/2. routing/index.md", "./pages", "documents/01-app/2. routing/03_pages.md", Short},
		{"documents/01-app/2. routing/index.md", "pages.html", "documents/01-app/2. routing/03_pages.md", Short},
		{"documents/README.md", "/app/2021/2021", "", None},
		{"documents/README.md", "/docs/", "", None},
		{"documents/README.md", "/posts/news", "", None},
		{"documents/README.md", "nowhere.md", "", None},
		{"documents/README.md", "../../x.md", "", None},
		{"documents/README.md", "/nowhere", "", None},
	} {
		got := table.Resolve(tt.from, Join(tt.from, tt.dest))
		if got != (Found{tt.want, tt.way}) {
			t.Errorf("%s in %s: got %+v, want %s %d", tt.dest, tt.from, got, tt.want, tt.way)
		}
	}
}

// Obsidian writes [[Page|Text]], the wikis of GitHub [[Text|Page]].
func TestALabelMayBeThePage(t *testing.T) {
	table := tableOf("documents/Getting-Started.md", "documents/Home.md")
	names := NewNames([]Page{{Path: "documents/Getting-Started.md", Title: "Getting started"}, {Path: "documents/Home.md", Title: "Home"}})
	for _, tt := range []struct {
		name, fragment, label string
		want, of              string
		swapped               bool
	}{
		{"Home", "", "the start", "documents/Home.md", "", false},
		{"Home", "top", "Getting Started", "documents/Home.md", "top", false},
		{"Home", "", "Getting Started", "documents/Home.md", "", false},
		{"first steps", "", "Getting Started", "documents/Getting-Started.md", "", true},
		{"first steps", "", "Getting-Started#Install it", "documents/Getting-Started.md", "Install it", true},
		{"first steps", "install", "Getting-Started", "", "install", false},
		{"first steps", "", "", "", "", false},
		{"first steps", "", "#Install", "", "", false},
		{"first steps", "", "nowhere", "", "", false},
	} {
		found, of, swapped := table.Labelled(names, "documents/Home.md", tt.name, tt.fragment, tt.label)
		if found.Path != tt.want || of != tt.of || swapped != tt.swapped {
			t.Errorf("[[%s#%s|%s]]: %q %q %t", tt.name, tt.fragment, tt.label, found.Path, of, swapped)
		}
	}
}

func TestWikiLinksAreResolvedByName(t *testing.T) {
	table := tableOf("documents/Notes/A note.md", "documents/Files/Pic.PNG", "documents/b.md", "documents/x/b.md", "documents/v1.2.md")
	names := NewNames([]Page{
		{"documents/b.md", "The title", nil}, {"documents/Notes/A note.md", "A note", []string{"Alias"}},
		{"documents/x/b.md", "Other", nil},
	})
	for name, want := range map[string]string{
		"A note": "documents/Notes/A note.md", "a note": "documents/Notes/A note.md", "alias": "documents/Notes/A note.md",
		"The title": "documents/b.md", "b": "documents/b.md", "x/b": "documents/x/b.md", "pic.png": "documents/Files/Pic.PNG",
		"v1.2": "documents/v1.2.md", "Files/pic.png": "documents/Files/Pic.PNG", "none": "", "../../etc": "",
	} {
		if got := table.Named(names, "documents/x/c.md", name); got.Path != want {
			t.Errorf("[[%s]] is %q, want %q", name, got.Path, want)
		}
	}
}

func TestFragmentsOfOtherSystemsAreFound(t *testing.T) {
	ids := NewIDs([]string{"c--go", "-party", "title-1", "own_id", "großes"})
	for fragment, want := range map[string]string{
		"c--go": "c--go", "c-go": "c--go", "C--Go": "c--go", "party": "-party", "️-party": "-party",
		"title_1": "title-1", "own-id": "own_id", "Großes": "großes", "": "", "top": "", "^block": "", "A#Title 1": "title-1",
		"user-content-own_id": "own_id", "user-content-C--Go": "c--go", "L10": "", "L10-L20": "", "L3C1-L5C2": "",
	} {
		if got, ok := ids.Find(fragment); got != want || !ok {
			t.Errorf("#%s is %q, %t; want %q", fragment, got, ok, want)
		}
	}
	for _, fragment := range []string{"nowhere", "user-content-", "user-content-nowhere", "L", "Lx", "L1-", "L1-2-3", "l10"} {
		if _, ok := ids.Find(fragment); ok {
			t.Errorf("#%s is found", fragment)
		}
	}
}

// Obsidian completes a link to a heading with a blank for each sign that a link cannot have.
func TestBlanksForSignsOfAHeadingAreFound(t *testing.T) {
	ids := NewIDs([]string{"tcpip-model", "2026-09-09-1413", "wifi-24-vs-50", "cc", "foo-bar", "a-b", "ab"})
	for fragment, want := range map[string]string{
		"TCP IP Model": "tcpip-model", "2026-09-09 14 13": "2026-09-09-1413", "wifi 2 4 vs 5 0": "wifi-24-vs-50", "C C": "cc", "A#TCP IP Model": "tcpip-model", "a b": "a-b",
	} {
		if got, ok := ids.Find(fragment); got != want || !ok {
			t.Errorf("#%s is %q, %t; want %q", fragment, got, ok, want)
		}
	}
	for _, fragment := range []string{"foobar", "tcp ip", "tcpipmodel", "TCP IP Models", "fo-ob-ar"} {
		if got, ok := ids.Find(fragment); ok {
			t.Errorf("#%s is found as %q", fragment, got)
		}
	}
}

func TestResolveStaysInThePack(t *testing.T) {
	table := tableOf("documents/a.md")
	for _, dest := range []string{"../../../etc/passwd", "..", "/../../etc/passwd", "../documents/a.md/../../..", "\x00"} {
		if got := table.Resolve("documents/a.md", Join("documents/a.md", dest)); got.Way != None && !strings.HasPrefix(path.Clean(got.Path), "documents") {
			t.Errorf("%q leads to %q", dest, got.Path)
		}
	}
}

// A name is found in either Unicode form, and an exact name before one that is alike.
func TestNamesInBothUnicodeForms(t *testing.T) {
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	files := []string{"documents/" + decomposed + ".md", "documents/" + composed + "x.png", "documents/a.md", "documents/Tea.md", "documents/tea-2.md"}
	table := NewTable(func(name string) bool { return slices.Contains(files, name) }, func(string) bool { return false }, func() []string { return files })
	table.Listed(func(name string) string { return map[string]string{"documents/tea.md": "documents/tea-2.md"}[name] })
	for target, want := range map[string]Found{
		composed + ".md":           {files[0], Short},
		composed:                   {files[0], Short},
		composed + ".html":         {files[0], Ending},
		decomposed + "x.png":       {files[1], Short},
		"/" + decomposed + "x.png": {files[1], Short},
		strings.ToUpper(composed):  {files[0], Short},
		"Tea.md":                   {"documents/Tea.md", Exact},
		"tea.md":                   {"documents/tea-2.md", Exact},
		"tea":                      {"documents/tea-2.md", Short},
		"TEA.md":                   {"documents/Tea.md", Case},
	} {
		if got := table.Resolve("documents/a.md", Join("documents/a.md", target)); got != want {
			t.Errorf("Resolve(%q) = %v, want %v", target, got, want)
		}
	}
	for name, want := range map[string]string{composed: files[0], decomposed + "x.png": files[1], "tea": "documents/tea-2.md", "Tea": "documents/Tea.md"} {
		if got := table.Named(nil, "documents/a.md", name); got.Path != want {
			t.Errorf("Named(%q) = %v, want %s", name, got, want)
		}
	}
}
