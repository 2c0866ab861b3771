package adopt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/oktest"
)

// look writes files into a folder and looks at it.
func look(t *testing.T, files map[string]string) *Folder {
	t.Helper()
	return lookBy(t, files, Options{})
}

func lookBy(t *testing.T, files map[string]string, o Options) *Folder {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "handbook")
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(at), 0o777))
		var err error
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			err = os.Symlink(to, at)
		} else {
			err = os.WriteFile(at, []byte(text), 0o666)
		}
		oktest.Check(t, err)
	}
	return oktest.Value(Look(context.Background(), dir, o))(t)
}

func TestOrderIsThatOfTheFolder(t *testing.T) {
	pages := map[string]string{"a.md": "# A\n", "b.md": "# B\n", "c/index.md": "# C\n", "c/d.md": "# D\n", "e.md": "# E\n"}
	for _, tt := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"names", nil, "a b e c/index c/d"},
		{"SUMMARY.md", map[string]string{"SUMMARY.md": "# Summary\n\n- [E](e.md)\n  - [D](c/d.md#x)\n- [A](./a.md)\n"}, "e c/d a b c/index"},
		{"_sidebar.md", map[string]string{"_sidebar.md": "* [B](/b)\n* [C](c/)\n"}, "b a e c/index c/d"},
		{"mkdocs.yml", map[string]string{"mkdocs.yml": "site_name: X\ndocs_dir: .\nnav:\n  - e.md\n  - Part:\n      - Dee: c/d.md\n      - !ENV b.md\nx: !!python/name:y z\n"}, "e c/d b a c/index"},
		{"the places that pages give", map[string]string{"a.md": "---\nsidebar_position: 9\n---\n# A\n", "b.md": "---\nweight: 2\n---\n", "e.md": "---\nnav_order: 1\n---\n"}, "e b a c/index c/d"},
		{"the places that pages give", map[string]string{"10-x.md": "", "2-y.md": ""}, "2-y 10-x a b e c/index c/d"},
		{"the places that pages give", map[string]string{"a.md": "---\nsidebar:\n  order: 9\n---\n# A\n", "b.md": "---\nsidebar: {order: 2}\n---\n", "e.md": "---\nsidebar: {order: .nan}\n---\n"}, "b a e c/index c/d"},
		{"the places that folders give", map[string]string{"c/_category_.json": `{"position": 0, "label": "See"}`}, "c/index c/d a b e"},
		{"the places that pages give", map[string]string{"meta.json": `{"pages": ["e", "b", "c", "a"]}`}, "e b c/index c/d a"},
		{"the places that pages give", map[string]string{"_meta.json": `{"e": "E", "b": {"title": "x", "y": [1]}, "c": "C", "a": 1}`}, "e b c/index c/d a"},
		{"the places that folders give", map[string]string{"c/_category_.yml": "position: 0\nlabel: See\n"}, "c/index c/d a b e"},
		{"the places that pages give", map[string]string{"_meta.js": "export default {\n  e: 'E',\n  \"b\": {\n    title: \"Bee\"\n  },\n  c: { title: 'See' },\n}\n"}, "e b c/index c/d a"},
		{"the places that pages give", map[string]string{".pages": "title: Top\nnav:\n  - e.md\n  - See: c\n  - b.md\n  - ...\n"}, "e c/index c/d b a"},
		{"the places that pages give", map[string]string{"e.md": "---\nsidebar: {order: 1, label: Eee}\n---\n# E\n", "b.md": "---\nsidebar:\n  order: 2\n---\n# B\n"}, "e b a c/index c/d"},
	} {
		files := map[string]string{}
		for name, text := range pages {
			files[name] = text
		}
		for name, text := range tt.files {
			files[name] = text
		}
		f := look(t, files)
		var got []string
		for _, p := range f.Pages {
			got = append(got, strings.TrimSuffix(p.Path, ".md"))
		}
		if strings.Join(got, " ") != tt.want || f.Order != tt.name {
			t.Errorf("%s: got %q by %q, want %q", tt.name, strings.Join(got, " "), f.Order, tt.want)
		}
	}
}

func TestTheMapCallsThingsAsTheFolderDoes(t *testing.T) {
	pages := map[string]string{"a.md": "# A\n", "s.md": "---\nsidebar: {label: Side}\n---\n# S\n", "_meta.ts": "export default {\n  a: 'Ay',\n}\n"}
	for i := range maxMap {
		pages[fmt.Sprintf("c/%d.md", i)] = "# C\n"
	}
	pages["c/_category_.yml"] = "label: See\n"
	guide := string(look(t, pages).Guide("x"))
	for _, want := range []string{"- Ay: `documents/a.md`\n", "- Side: `documents/s.md`\n", "- See (60 pages): `documents/c/`\n"} {
		if !strings.Contains(guide, want) {
			t.Errorf("%q is not in\n%s", want, guide)
		}
	}
}

func TestFilesThatNoSitePublishesAreNamed(t *testing.T) {
	f := look(t, map[string]string{"a.md": "# A\n", "b.png": "b", "c.mp3": "c", "d.js": "d", "e.lock": "e", "f": "f"})
	said := strings.Join(f.Summary(), "\n")
	for _, want := range []string{"2 other files, such as pictures, for the site and the archive", "3 other files for the archive alone, since a site publishes no such files (.js, .lock, without ending)"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}

func TestWhatIsLeftOutIsNamed(t *testing.T) {
	f := look(t, map[string]string{
		"README.md": "# Hand **book**\n\n[![badge](x.svg)](y)\n\nShort.\n\nThis handbook says how the tea is made, and \"why\" it matters.\n",
		"old.rst":   "x", "old.adoc": "x", "old.IPYNB": "{}", "page.mdx": "x", "a.html": "x", "pic.png": "x", "latin.md": "caf\xe9\n", "nul.md": "\x00", "out.md": "-> ../../etc/x",
		"node_modules/x.md": "x", "pack/KNOWLEDGE.md": "x", "pack/documents/y.md": "x", ".git/x.md": "x", "AGENTS.md": "x", "deep/CLAUDE.md": "x", "deep/agents.md": "# Of agents", "key [1].md": "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\nKUpRKfFLfRYC9AIKjbJTWit+CqvjWYzvQwECAwEAAQJAIJLixBy2qpFoS4DSmoEm\n-----END RSA PRIVATE KEY-----\n",
	})
	want := []string{"AGENTS.md", "deep/CLAUDE.md", "key [1].md", "latin.md", "node_modules/**", "nul.md", "out.md", "pack/**"}
	var got []string
	for _, l := range f.Left {
		got = append(got, l.Path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{".rst": 1, ".adoc": 1, ".ipynb": 1, ".mdx": 1, ".html": 1}, f.Unread); diff != "" {
		t.Error(diff)
	}
	guide := string(f.Guide("handbook"))
	for _, want := range []string{
		"name: handbook\n", `description: "This handbook says how the tea is made, and \"why\" it matters. Use it for questions about Hand book."`,
		"primaryDocument: documents/README.md\n", "# Hand book\n", "- Hand book: `documents/README.md`\n",
	} {
		if !strings.Contains(guide, want) {
			t.Errorf("the guide does not hold %q:\n%s", want, guide)
		}
	}
	config := f.Config("packs/handbook", "../docs", true)
	var read struct {
		Documents []struct {
			Pack, From string
			MDX        bool
			Exclude    []string
		}
	}
	if err := yaml.Unmarshal([]byte(config), &read); err != nil || len(read.Documents) != 1 {
		t.Fatalf("%v\n%s", err, config)
	}
	if d := read.Documents[0]; d.From != "../docs" || !d.MDX || !slices.Contains(d.Exclude, `key \[1\].md`) || len(d.Exclude) != len(want) {
		t.Errorf("%+v", d)
	}
}

// A name or text that would fail every build is left out, so that the first one ends well.
func TestWhatWouldFailABuildIsLeftOut(t *testing.T) {
	token := "ghp_" + "R8vK2mQx7LpZ4tWc9NbY3sHd6FgJ1aUe5XkT"
	f := look(t, map[string]string{
		"a.md": "# A\n", "with blank #1 100%?.md": "# B\n", "latin\xe9.md": "# C\n", "bs\\x.md": "# D\n", "nl\nx.md": "# E\n", "dir\\x/a.md": "# F\n",
		"data.csv": "a,b\n" + token + ",1\n", "nested/data.json": `{"a": "` + token + `"}`, token + ".md": "# G\n", "sound.csv": "a,b\n", "pic.png": token,
	})
	why := map[string]string{}
	for _, l := range f.Left {
		why[l.Path] = l.Why
	}
	want := map[string]string{
		"latin\xe9.md": "its name is not UTF-8", "bs\\x.md": "its name cannot be the name of a file in a pack", "nl\nx.md": "its name cannot be the name of a file in a pack",
		"dir\\x/**": "its name cannot be the name of a file in a pack", "data.csv": "it holds a GitHub token", "nested/data.json": "it holds a GitHub token",
		"ghp_….md": "its name holds what looks like a secret",
	}
	if diff := cmp.Diff(want, why); diff != "" {
		t.Error(diff)
	}
	if said := f.Config("packs/x", "../docs", false) + strings.Join(f.Summary(), "\n"); strings.Contains(said, token[8:20]) || !strings.Contains(said, "ghp_*.md") {
		t.Errorf("a secret in a name is repeated:\n%s", said)
	}
	var pages []string
	for _, p := range f.Pages {
		pages = append(pages, p.Path)
	}
	if diff := cmp.Diff([]string{"a.md", "with blank #1 100%?.md"}, pages); diff != "" {
		t.Error(diff)
	}
}

// With MDX those files are pages, named as the pack lists them, in the order that the
// folder gives them.
func TestMDXPagesHaveTheirPlace(t *testing.T) {
	files := map[string]string{
		"index.mdx": "---\ntitle: Start\n---\n\nA page with components that says what all of this is about.\n", "b.mdx": "# B\n", "a.md": "# A\n",
		"_sidebar.md": "* [B](b)\n* [A](a.md)\n",
	}
	f := lookBy(t, files, Options{MDX: true})
	var got []string
	for _, p := range f.Pages {
		got = append(got, p.Path)
	}
	if diff := cmp.Diff([]string{"b.mdx.md", "a.md", "index.mdx.md"}, got); diff != "" || len(f.Unread) > 0 {
		t.Errorf("%v\n%s", f.Unread, diff)
	}
	if guide := string(f.Guide("x")); f.Primary != "index.mdx.md" || !strings.Contains(guide, "documents/b.mdx.md") || !strings.Contains(guide, "what all of this is about") {
		t.Errorf("%s\n%s", f.Primary, guide)
	}
	if f := look(t, files); f.Unread[".mdx"] != 2 || len(f.Pages) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestLargeFoldersHaveAShortMap(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("docs/part%d/page%d.md", i%7, i)] = "# P\n"
	}
	f := look(t, files)
	if guide := string(f.Guide("x")); strings.Count(guide, "\n- ") != 7 || !strings.Contains(guide, "- part3 (29 pages): `documents/docs/part3/`\n") {
		t.Error(guide)
	}
}

// The tokenizer that the configuration asks for is that of packs with another
// language than English alone.
func TestAFolderInSeveralScriptsNamesItsLanguages(t *testing.T) {
	for _, tt := range []struct {
		title string
		want  bool
	}{{"Чайник", true}, {"やかん", true}, {"Kettle", false}} {
		f := look(t, map[string]string{"a.md": "# Kettle\n", "b.md": "# " + tt.title + "\n"})
		guide, config := string(f.Guide("x")), f.Config("x", "docs", false)
		if strings.Contains(guide, "\nlanguage: mul") != tt.want || strings.Contains(config, "tokenizer: unicode") != tt.want {
			t.Errorf("%s:\n%s\n%s", tt.title, guide, config)
		}
	}
}

func TestNamesOfFolders(t *testing.T) {
	for dir, want := range map[string]string{
		"/x/Tea Shop!": "tea-shop", "/x/project/docs": "project-docs", "/docs": "docs", "/x/日本": "x", "/a/" + strings.Repeat("n", 80): strings.Repeat("n", 60),
	} {
		if got := NameFor(filepath.FromSlash(dir)); got != want {
			t.Errorf("%s is %q, want %q", dir, got, want)
		}
	}
}

func TestTagsOfOtherSystemsDoNotDescribeAFolder(t *testing.T) {
	text := "The kettle and the cups are in the cupboard beside the window."
	for _, tag := range []string{"{{< blocks/cover title=\"A long title of a page\" height=\"full\" >}}", "{{% param something %}} and more words to make it long", "{% include banner.html with=\"many words in it\" %}", "The version of it is {{ site.version }} as of now."} {
		f := look(t, map[string]string{"index.md": "# Tea\n\n" + tag + "\n\n" + text + "\n"})
		if f.Description != text {
			t.Errorf("%q is described by %q", tag, f.Description)
		}
	}
}

func TestPagesOfStarlightHaveTheirLabels(t *testing.T) {
	f := look(t, map[string]string{"a.md": "---\ntitle: A long title\nsidebar:\n  label: Short\n---\n", "b.md": "---\nsidebar: auto\n---\n# B {#x .y}\n"})
	if f.Pages[0].Title != "Short" || f.Pages[1].Title != "B" {
		t.Errorf("%+v", f.Pages)
	}
}
