package hook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
)

// put writes a file, its directories made.
func put(t testing.TB, text string, elements ...string) string {
	t.Helper()
	name := filepath.Join(elements...)
	oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

func indexOf(entries ...string) string {
	return `{"version":"1","generated":"x","entries":[` + strings.Join(entries, ",") + `]}`
}

// at is the event of a prompt that was submitted in a directory.
func at(dir, prompt string) string {
	return fmt.Sprintf(`{"prompt":%q,"cwd":%q}`, prompt, dir)
}

// repository makes a repository with a built pack, a locked one and rules, and
// returns it with the home directory of a user who has memories.
func repository(t *testing.T) (root, user string) {
	t.Helper()
	// Its path is short: a pointer has room for a summary only where its path leaves some.
	user = oktest.Value(os.MkdirTemp("", "u"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(user) })
	root = t.TempDir()
	put(t, indexOf(entry("memory", "domain", "M", "/notes/m.md", `"runner"`), entry("same", "domain", "of the user", "/notes/s.md", `"twice"`)), IndexPath(user))
	put(t, "title: T\nout: site\n", root, "packgen.yaml")
	put(t, indexOf(entry("split", "domain", "P", "packs/handbook/compiled/split.md", `"runner"`), entry("same", "domain", "of the pack", "packs/handbook/compiled/same.md", `"twice"`)), root, "site", "index.json")
	lockTree(t, root, filepath.Join(user, "cache"), "compiled/l.md", "The runner.\n")
	put(t, indexOf(entry("rule", "domain", "R", ".claude/rules/r.md", `"runner"`), entry("same", "domain", "of the rules", ".claude/rules/s.md", `"twice"`)), root, ".claude", "loadout", "index.json")
	put(t, "x", root, "deep", "er", "x")
	return root, user
}

// pointers are the lines of an answer without the header.
func pointersOf(t *testing.T, out string) string {
	t.Helper()
	if out == "" {
		return ""
	}
	return strings.TrimPrefix(contextOf(t, out), header+"\n")
}

func TestTheDirectoryOfTheEventDecidesTheLayers(t *testing.T) {
	root, user := repository(t)
	cache := cacheVariable + "=" + filepath.Join(user, "cache")
	got := pointersOf(t, ask(t, Options{Home: user}, at(root, "runner"), cache))
	locked, _ := filepath.Glob(filepath.Join(user, "cache", "trees", "*", "tree", "compiled", "l.md"))
	want := "- memory — M → /notes/m.md\n- split — P → site/packs/handbook/compiled/split.md\n- rule — R → .claude/rules/r.md\n" +
		pulledBegin + "\n- locked — L → " + locked[0] + "\n" + pulledEnd
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// From below, what is not below is named in full; the strongest definition counts.
	got = pointersOf(t, ask(t, Options{Home: user}, at(filepath.Join(root, "deep", "er"), "twice"), cache))
	if want := "- same — of the rules → " + filepath.Join(root, ".claude", "rules", "s.md"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// Outside of any repository the memories answer alone, also with no directory at all.
	for _, event := range []string{at(t.TempDir(), "runner twice"), at("/nonexistent", "runner twice"), at("relative", "runner twice"), `{"prompt":"runner twice"}`, `{"prompt":"runner twice","cwd":7}`} {
		got = pointersOf(t, ask(t, Options{Home: user}, event, cache))
		if want := "- memory — M → /notes/m.md\n- same — of the user → /notes/s.md"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", event, got, want)
		}
	}
}

func TestOrganisationAndSessionAreLayersToo(t *testing.T) {
	user, dir := t.TempDir(), t.TempDir()
	org := put(t, indexOf(entry("o", "domain", "O", "/o.md", `"runner"`), entry("s", "domain", "weak", "/x.md", `"runner"`)), dir, "org.json")
	session := put(t, indexOf(entry("s", "domain", "S", "/s.md", `"runner"`)), dir, "session.json")
	got := pointersOf(t, ask(t, Options{Home: user}, at(dir, "runner"), "AI_LOADOUT_ORG="+org, "AI_LOADOUT_SESSION="+session))
	if want := "- o — O → /o.md\n- s — S → /s.md"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPathsOfARepositoryStayInIt(t *testing.T) {
	root, user := t.TempDir(), t.TempDir()
	put(t, "", root, "packgen.yaml")
	put(t, indexOf(entry("up", "domain", "U", "../../etc/passwd", `"runner"`), entry("abs", "domain", "A", "/etc/passwd", `"runner"`),
		entry("fine", "domain", "F", "packs/p/f.md", `"runner"`)), root, "public", "index.json")
	lockTree(t, root, filepath.Join(user, "cache"), "compiled/l.md", "x")
	putList(t, indexOf(entry("lup", "domain", "U", "../x", `"runner"`), entry("labs", "domain", "A", "/etc/shadow", `"runner"`)), root, filepath.Join(user, "cache"))
	got := pointersOf(t, ask(t, Options{Home: user}, at(root, "runner"), cacheVariable+"="+filepath.Join(user, "cache")))
	if want := "- fine — F → public/packs/p/f.md"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestABrokenLayerTakesNoOtherDown(t *testing.T) {
	root, user := repository(t)
	for _, broken := range []string{"{", "", "[]", `{"entries":7}`, "\x00\xff"} {
		put(t, broken, root, "site", "index.json")
		put(t, broken, root, filepath.FromSlash(LockedIndex))
		put(t, broken, root, "packgen.yaml")
		if got := pointersOf(t, ask(t, Options{Home: user}, at(root, "runner"), cacheVariable+"="+filepath.Join(user, "cache"))); got != "- memory — M → /notes/m.md\n- rule — R → .claude/rules/r.md\n"+pullAgain {
			t.Errorf("%q: got\n%s", broken, got)
		}
	}
}

func TestTheHookPrebuildsWhatLacksIt(t *testing.T) {
	root, user := repository(t)
	before := treeOf(t, root)
	event := at(root, "runner twice")
	first := ask(t, Options{Home: user}, event)
	built, err := filepath.Glob(filepath.Join(user, ".ai-loadout", "prebuilt", "*.bin"))
	if err != nil || len(built) != 3 || !exists(filepath.Join(user, ".ai-loadout", "index.bin")) {
		t.Errorf("%d prebuilt files, %v", len(built), err)
	}
	if after := treeOf(t, root); after != before {
		t.Errorf("the repository was written to:\n%s\nbefore\n%s", after, before)
	}
	var debug strings.Builder
	second := ask(t, Options{Home: user, Stderr: &debug}, event, Variable+"=debug")
	if second != first || strings.Contains(debug.String(), "prebuilt: false") || strings.Count(debug.String(), "prebuilt: true") != 4 {
		t.Errorf("the second answer is %s, the first %s, and debug mode says\n%s", second, first, debug.String())
	}
	// A layer that changed is read as it is now.
	put(t, indexOf(entry("later", "domain", "N", ".claude/rules/n.md", `"runner"`)), root, ".claude", "loadout", "index.json")
	if got := pointersOf(t, ask(t, Options{Home: user}, event)); !strings.Contains(got, "later") || strings.Contains(got, "- rule") {
		t.Errorf("after a change:\n%s", got)
	}
}

func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		fmt.Fprintln(&b, name)
		return err
	})
	oktest.Check(t, err)
	return b.String()
}

func TestTheNearestProjectCounts(t *testing.T) {
	root := t.TempDir()
	put(t, "{}", root, ".claude", "loadout", "index.json")
	put(t, "{}", root, "sub", ".claude", "loadout", "index.json")
	put(t, "", root, "sub", "deep", "x")
	put(t, "", root, ".git", "HEAD")
	sub := filepath.Join(root, "sub")
	if r, p := repositoryOf(filepath.Join(sub, "deep")); r != root || p != sub {
		t.Errorf("%s and %s", r, p)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(sub, "deep"), link); err != nil {
		t.Skip(err)
	}
	if r, p := repositoryOf(link); r != root || p != sub {
		t.Errorf("through a link: %s and %s", r, p)
	}
}

func TestOutOfTheConfiguration(t *testing.T) {
	for config, want := range map[string]string{
		"": "public", "title: x\n": "public", "out: docs\n": "docs", "out: 'docs'  # here\n": "docs", `out: "a b"`: "a b", "site:\n  out: no\n": "public", "out: /tmp/x\n": "/tmp/x", "out:\n": "public",
		"\ufeffout: docs\n": "docs", "\"out\": docs\n": "docs", "'out' : docs\r\n": "docs", "out : docs\n": "docs", "x-out: docs\n": "public", "# out: docs\n": "public",
	} {
		root := t.TempDir()
		put(t, config, root, "packgen.yaml")
		if !filepath.IsAbs(want) {
			want = filepath.Join(root, want)
		}
		if got := outOf(root); got != want {
			t.Errorf("%q: %s, want %s", config, got, want)
		}
	}
}

func FuzzPathsStayBelow(f *testing.F) {
	f.Add("a/b.md")
	f.Add("../x")
	f.Add("/etc/passwd")
	f.Fuzz(func(t *testing.T, path string) {
		l := layer{base: "/base", confined: true, cwd: "/base/sub"}
		got, ok := l.pathOf(&loadout.Entry{Path: path})
		if !ok {
			return
		}
		full := filepath.FromSlash(got)
		if !filepath.IsAbs(full) {
			full = filepath.Join(l.cwd, full)
		}
		if rel, err := filepath.Rel("/base", full); err != nil || !filepath.IsLocal(rel) {
			t.Errorf("%q leads to %s", path, full)
		}
	})
}

func linkTo(t *testing.T, target string, elements ...string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(elements...)); err != nil {
		t.Skip(err)
	}
}

func TestNothingIsGivenThatLiesOutsideOfTheRepository(t *testing.T) {
	link := func(to ...string) func(root, priv string) error {
		return func(root, priv string) error {
			name := filepath.Join(append([]string{root}, to...)...)
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.Symlink(filepath.Join(append([]string{priv}, to...)...), name))
		}
	}
	config := func(text string) func(root, priv string) error {
		return func(root, priv string) error {
			return os.WriteFile(filepath.Join(root, "packgen.yaml"), []byte(strings.ReplaceAll(text, "PRIV", priv)), 0o666)
		}
	}
	for name, change := range map[string]func(root, priv string) error{
		"a relative out": config("out: ../priv/public\n"), "an absolute out": config("out: PRIV/public\n"), "a quoted out": config("out: \"../priv/public\" # x\n"),
		"the output": link("public"), "the index of the output": link("public", "index.json"),
		"the project": link(".claude"), "a layer": link(".claude", "loadout"), "an index": link(".claude", "loadout", "index.json"), "the rules": link(".claude", "rules", "index.json"),
	} {
		dir := t.TempDir()
		root, priv := filepath.Join(dir, "root"), filepath.Join(dir, "priv")
		user := t.TempDir()
		for _, index := range []string{"public", ".claude/loadout", ".claude/rules"} {
			put(t, indexOf(entry("secret", "domain", "S", "s.md", `"runner"`)), priv, index, "index.json")
			put(t, "The secret of the runner.\n", priv, index, "s.md")
		}
		put(t, "title: T\n", root, "packgen.yaml")
		if err := change(root, priv); err != nil {
			t.Skip(err)
		}
		for _, inject := range []int{0, 500} {
			if out := ask(t, Options{Home: user, Inject: inject}, at(root, "fix the runner")); out != "" {
				t.Errorf("%s: %s", name, out)
			}
		}
	}
}

func TestTheOutputMayLieWhereTheUserAllows(t *testing.T) {
	dir, user := t.TempDir(), t.TempDir()
	root := filepath.Join(dir, "root")
	put(t, "out: ../site\n", root, "packgen.yaml")
	put(t, indexOf(entry("own", "domain", "S", "s.md", `"runner"`)), dir, "site", "index.json")
	if out := ask(t, Options{Home: user}, at(root, "fix the runner"), regularfile.AllowVariable+"="+filepath.Join(dir, "site")); !strings.Contains(out, "own") {
		t.Errorf("%q", out)
	}
}

// The user's own files may lie anywhere, and links that stay in the repository are followed.
func TestLinksOfTheUserAreFollowed(t *testing.T) {
	dir, user := t.TempDir(), t.TempDir()
	root := filepath.Join(dir, "root")
	put(t, "title: T\n", root, "packgen.yaml")
	put(t, indexOf(entry("memory", "domain", "M", "/m.md", `"runner"`)), dir, "dotfiles", "index.json")
	put(t, indexOf(entry("built", "domain", "B", "b.md", `"runner"`)), root, "site", "index.json")
	if err := errors.Join(os.Symlink(filepath.Join(dir, "dotfiles"), filepath.Join(user, ".ai-loadout")), os.Symlink("site", filepath.Join(root, "public"))); err != nil {
		t.Skip(err)
	}
	if out := ask(t, Options{Home: user}, at(root, "fix the runner")); !strings.Contains(out, "memory") || !strings.Contains(out, "built") {
		t.Errorf("%q", out)
	}
}

func TestALockThatLiesOutsideOfTheRepositoryIsNotRead(t *testing.T) {
	for _, links := range [][]string{{"packgen.lock"}, {".packgen/locked"}, {".packgen"}, {"packgen.lock", ".packgen/locked/index.json"}} {
		priv, user := repository(t)
		root := t.TempDir()
		put(t, "title: T\n", root, "packgen.yaml")
		for _, name := range []string{"packgen.lock", LockedIndex} {
			text := oktest.Value(os.ReadFile(filepath.Join(priv, name)))(t)
			put(t, string(text), root, name)
		}
		if out := ask(t, Options{Home: user}, at(root, "fix the runner"), cacheVariable+"="+filepath.Join(user, "cache")); !strings.Contains(out, "locked") {
			t.Fatalf("without a link: %q", out)
		}
		for _, name := range links {
			oktest.Check(t, os.RemoveAll(filepath.Join(root, name)))
			if err := os.Symlink(filepath.Join(priv, name), filepath.Join(root, name)); err != nil {
				t.Skip(err)
			}
		}
		if out := ask(t, Options{Home: user}, at(root, "fix the runner"), cacheVariable+"="+filepath.Join(user, "cache")); strings.Contains(out, "locked") {
			t.Errorf("%v: %s", links, out)
		}
	}
}
