package hook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where there are packs and no index of them, as in a new work tree, the hook says in one
// line what to run; where there is nothing to run it is silent.
func TestPacksWithoutAnIndexAreNamed(t *testing.T) {
	const locked = `{"schema_version":1,"references":[{"ref":"r","pack":"p","source":"file","tree":"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}]}`
	for name, c := range map[string]struct {
		files map[string]string
		want  string // a part of the only line; "" for silence
	}{
		"packs where packs are":       {map[string]string{"packs/p/KNOWLEDGE.md": "x"}, "no index at public/index.json, so none of them is asked. Run packgen build."},
		"another output directory":    {map[string]string{"packs/p/KNOWLEDGE.md": "x", "packgen.yaml": "out: site\n"}, "no index at site/index.json"},
		"packs elsewhere":             {map[string]string{"packgen.yaml": "packs:\n  - kb/*\n"}, "Run packgen build."},
		"packs elsewhere, on a line":  {map[string]string{"packgen.yaml": "packs: [kb/*]\n"}, "Run packgen build."},
		"a mapped folder":             {map[string]string{"packgen.yaml": "documents:\n- from: docs\n"}, "Run packgen build."},
		"an index that is broken":     {map[string]string{"packs/p/KNOWLEDGE.md": "x", "public/index.json": "{"}, "cannot be read, so none of them is asked. Run packgen build."},
		"an index that says nothing":  {map[string]string{"packs/p/KNOWLEDGE.md": "x", "public/index.json": indexOf()}, ""},
		"a lock":                      {map[string]string{lockName: locked}, "not pulled here, so none of them is asked. Run packgen pull."},
		"a lock of what is one's own": {map[string]string{lockName: locked, "packs/p/KNOWLEDGE.md": "x", "public/index.json": indexOf()}, ""},
		"an empty lock":               {map[string]string{lockName: `{"schema_version":1,"references":[]}`}, ""},
		"no packs":                    {map[string]string{"README.md": "x"}, ""},
		"a configuration, no packs":   {map[string]string{"packgen.yaml": "title: T\npacks:\n  - packs/*\nmatcher: recall\n"}, ""},
		"a folder of another meaning": {map[string]string{"packs/p/index.js": "x"}, ""},
	} {
		root, user := t.TempDir(), t.TempDir()
		put(t, "", root, ".git", "HEAD")
		for at, text := range c.files {
			put(t, text, root, filepath.FromSlash(at))
		}
		got := ask(t, Options{Home: user}, at(root, "runner"), cacheVariable+"="+filepath.Join(user, "cache"))
		if got != "" {
			got = contextOf(t, got)
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if _, err := os.Stat(usagePath(user)); err == nil {
			t.Errorf("%s: something is noted in the home directory", name)
		}
	}
}

// Without a home directory the packs of the repository answer, and nothing is kept
// anywhere.
func TestPacksAnswerWithoutAHome(t *testing.T) {
	root, user := repository(t)
	t.Chdir(t.TempDir())
	got := ask(t, Options{}, at(root, "runner"), cacheVariable+"="+filepath.Join(user, "cache"))
	for _, want := range []string{"- split — P → site/packs/handbook/compiled/split.md", "- locked — L → ", "- rule — R → "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The matcher that packgen.yaml names is that of the hook, unless a flag or a variable
// names another.
func TestTheConfigurationNamesTheMatcher(t *testing.T) {
	root, user := t.TempDir(), t.TempDir()
	put(t, indexOf(entry("wide", "domain", "S", "p.md", `"aa","bb","cc","dd","ee","ff","gg","hh"`)), root, ".claude", "loadout", "index.json")
	for _, c := range []struct {
		config, flag, env string
		hits              bool // three of eight keywords are enough by recall alone
	}{
		{"matcher: recall # here\n", "", "", true}, {"matcher: \"coverage\"\n", "", "", false}, {"matcher: coverage\n", "recall", "", true},
		{"matcher: coverage\n", "", "recall", true}, {"matcher: recall\n", "coverage", "recall", false},
	} {
		put(t, c.config, root, "packgen.yaml")
		var out bytes.Buffer
		Run(Options{Home: user, Matcher: c.flag, Stdin: strings.NewReader(at(root, "aa bb cc")), Stdout: &out, Lookup: func(name string) (string, bool) {
			return c.env, name == matcherVariable && c.env != ""
		}})
		if hits := out.Len() > 0; hits != c.hits {
			t.Errorf("%+v: %s", c, &out)
		}
	}
}

// A pointer to a locked pack has the path by the link that packgen pull made while that
// leads to the tree of the lock, and says in words what is there however long the path is.
func TestPointersToLockedPacksAreShortAndSayWhatIsThere(t *testing.T) {
	root, user := t.TempDir(), t.TempDir()
	cache := filepath.Join(user, strings.Repeat("deep/", 20), "cache")
	tree := lockTree(t, root, cache, "compiled/l.md", "The runner.\n")
	putList(t, indexOf(entry("locked", "domain", "What the runner needs", "trees/"+filepath.Base(tree)+"/tree/compiled/l.md", `"runner"`)), root, cache)
	link := filepath.Join(root, filepath.FromSlash(LockedLink("p")))
	get := func() string {
		return contextOf(t, ask(t, Options{Home: user}, at(root, "runner"), cacheVariable+"="+cache))
	}
	const said = "- locked — What the runner needs → "
	long := said + filepath.Join(tree, "tree", "compiled", "l.md")
	if got := get(); !strings.Contains(got, long) {
		t.Errorf("without a link: %s", got)
	}
	linkTo(t, filepath.Join(tree, "tree"), link)
	if got := get(); !strings.Contains(got, said+".packgen/locked/p/compiled/l.md\n") {
		t.Errorf("with a link: %s", got)
	}
	remove(t, link)
	linkTo(t, root, link)
	if got := get(); !strings.Contains(got, long) {
		t.Errorf("with a link to something else: %s", got)
	}
}
