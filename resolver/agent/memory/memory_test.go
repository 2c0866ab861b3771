package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func TestReferencesAreReadAsTheTableSays(t *testing.T) {
	for _, c := range []struct{ line, name, description, path string }{
		{"- AI Tool — routing (v1) → `a.md`", "AI Tool", "routing (v1)", "a.md"},
		{"Plain — no bullet → p.md", "Plain", "no bullet", "p.md"},
		{"- Double -- hyphen → d.md", "Double", "hyphen", "d.md"},
		{"- a — b — c → `x.md`", "a", "b — c", "x.md"},
		{"- Chain → of → `c.md`", "Chain → of", "", "c.md"},
		{"- Two — x → `a.md`, `b.md`", "Two", "x", "a.md"},
		{"- Inline — y → text `i.md` tail", "Inline", "y → text", "i.md"},
		{"build → test", "build", "", "test"},
		{"1. num — d → `x.md`", "1. num", "d", "x.md"},
		{"- em—dash → `x.md`", "em", "dash", "x.md"},
		{"- half → `x.md", "half", "", "x.md"},
		{"- → x.md", "-", "", "x.md"},
		{"* Star — s → memory/s.md", "Star", "s", "memory/s.md"},
		{"- Inline — y → see `memory/deep` too", "Inline", "y → see", "memory/deep"},
	} {
		refs, prose := parse(c.line)
		want := Ref{Name: c.name, Description: c.description, Path: c.path, Line: 1}
		if got := slices.Concat(refs, prose); len(got) != 1 || got[0] != want {
			t.Errorf("%s\n got %+v\nwant %+v", c.line, got, want)
		}
	}
	for _, line := range []string{"- no arrow `n.md`", "- arrow-> `x.md`", "- tick → `x y.md`", "# Heading → x.md", "→ x.md", "- a →`x.md`", "- glob → see `*.md` now", "- abs → see `/etc/x.md` now"} {
		if refs, prose := parse(line); len(refs)+len(prose) != 0 {
			t.Errorf("%s is a reference: %+v", line, refs)
		}
	}
}

func TestProseThatEndsInAnArrowIsNoReference(t *testing.T) {
	refs, prose := parse("# A\nbuild → test\n- X — y → `x.md`\n")
	if len(refs) != 1 || refs[0].Path != "x.md" || refs[0].Line != 3 {
		t.Errorf("refs %+v", refs)
	}
	if len(prose) != 1 || prose[0].Path != "test" {
		t.Errorf("prose %+v", prose)
	}
}

func TestIdsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"C++ & Go": "c-go", "Zürich Notes": "zrich-notes", "a_b": "ab", "İx": "ix", "--x--": "-x-", "→": "", " A  B ": "a-b",
	} {
		if got := nameID(name); got != want {
			t.Errorf("NameID(%q) = %q, want %q", name, got, want)
		}
	}
}

// extractKeywords takes keywords from a name and the headings of a topic file, as
// an index does.
func extractKeywords(name, content string) []string {
	return keywordsOf(name, headingWords(content))
}

func TestKeywordsCanBeHit(t *testing.T) {
	text := "# Genève runner\nbody\n#### deep\n```\n# Fenced words\n```\n## The CI-Workflow\n<!--\n# Hidden\n-->\nBelow line\n---\n"
	got := extractKeywords("C++ café bob's tool", text)
	if want := []string{"below", "bob", "caf", "gen", "line", "runner", "tool", "workflow"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, w := range got {
		if !loadout.Reachable(w) {
			t.Errorf("%q cannot be hit", w)
		}
	}
}

// files writes a store and returns its directory.
func files(t *testing.T, list map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "memory")
	for name, text := range list {
		name = filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return dir
}

func analyze(t *testing.T, dir string, outside bool) *Analysis {
	t.Helper()
	a, err := Analyze(t.Context(), filepath.Join(dir, FileName), outside)
	oktest.Check(t, err)
	return a
}

func codes(list []Issue) string {
	var out []string
	for _, i := range list {
		out = append(out, i.Code+" "+i.RefPath)
	}
	return strings.Join(out, "\n")
}

func TestIndexOfAStore(t *testing.T) {
	dir := files(t, map[string]string{
		FileName:       "# Memory\n\n- CI runners — self-hosted → `ci.md`\n- Ship — how → `memory/deep/ship.md`\n- Plain → p.md\n",
		"ci.md":        "---\nid: gh-ci\nkeywords: [runner, workflow]\npriority: core\n---\nBody\n",
		"deep/ship.md": "# Release train\n\ntext\n",
		"p.md":         "# Ünï\n",
		"lost.md":      "",
		"deep/p.md":    "hidden by its base name",
	})
	a := analyze(t, dir, false)
	ix := a.Index("2026-01-01T00:00:00.000Z", false)
	text := strings.ReplaceAll(string(indexjson.Write(ix)), dir, "STORE")
	for _, want := range []string{
		`"id": "gh-ci"`, `"path": "ci.md"`, `"priority": "core"`, `"summary": "self-hosted"`, `"path": "deep/ship.md"`,
		"\"keywords\": [\n        \"release\",\n        \"ship\",\n        \"train\"\n      ]", `"summary": "Memory: Plain"`, `"lines": 4`, `"source": "STORE/MEMORY.md"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if got, want := codes(a.Validate()), "ORPHAN_TOPIC_FILE lost.md"; got != want {
		t.Errorf("issues %s, want %s", got, want)
	}
	if want := float64(a.InlineTokens) + ix.Entries[0].TokensEst; ix.Budget.AlwaysLoaded != want {
		t.Errorf("always loaded %v, want %v", ix.Budget.AlwaysLoaded, want)
	}
}

// A topic file that was renamed is one fault, and the finding names the file.
func TestARenamedTopicFileIsSuggested(t *testing.T) {
	dir := files(t, map[string]string{
		FileName: "- [Tabs](two.md) — a\n- [Case](Notes.md) — b\n- [Gone](gone.md) — c\n",
		"tow.md": "x\n", "topics/notes.md": "y\n", "orphan.md": "z\n",
	})
	var got []string
	for _, d := range Findings("MEMORY.md", analyze(t, dir, false), nil) {
		got = append(got, d.ID+" "+d.Hint)
	}
	want := []string{
		`missing-topic-file did you mean "tow.md"?`, `missing-topic-file did you mean "topics/notes.md"?`,
		"missing-topic-file create the file or remove the reference from MEMORY.md", "orphan-topic-file add a reference in MEMORY.md or delete the file",
	}
	if !slices.Equal(got, want) {
		t.Errorf("findings %q\nwant %q", got, want)
	}
}

func TestAllValidationCodes(t *testing.T) {
	long := strings.Repeat("word ", 20)
	dir := files(t, map[string]string{
		FileName: "- Gone → `gone.md`\n- A → `a.md`\n- A → `a.md`\n-  — x → `a.md`\n- " + long + "→ `b.md`\nstep → done\n",
		"a.md":   "# A\n", "b.md": "# B\n", "orphan.md": "",
	})
	want := "MISSING_TOPIC_FILE gone.md\nORPHAN_TOPIC_FILE orphan.md\nDUPLICATE_REF a.md\nEMPTY_NAME a.md\nID_TOO_LONG b.md"
	a := analyze(t, dir, false)
	if got := codes(a.Validate()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := codes(a.Notes()); got != "PROSE_ARROW done" {
		t.Errorf("notes %s", got)
	}
	empty := files(t, map[string]string{FileName: "nothing\n"})
	if got := codes(analyze(t, empty, false).Validate()); got != "NO_REFS " {
		t.Errorf("got %s", got)
	}
}

func TestNothingOutsideTheStoreIsOpened(t *testing.T) {
	dir := files(t, map[string]string{
		FileName: "- Up → `../secret.md`\n- Abs → `/etc/hostname.md`\n- Link → `link.md`\n- Dir → `sub.md`\n- Nul → `n\x00.md`\n- In → `ok.md`\n",
		"ok.md":  "# Okay\n", "sub.md/x.md": "",
	})
	secret := filepath.Join(filepath.Dir(dir), "secret.md")
	oktest.Check(t, os.WriteFile(secret, []byte("# Secret words\n"), 0o666))
	if err := os.Symlink(secret, filepath.Join(dir, "link.md")); err != nil {
		t.Skip(err)
	}
	mustFail := "it is not UTF-8 text"
	if _, err := Analyze(t.Context(), filepath.Join(dir, FileName), false); err == nil || !strings.Contains(err.Error(), mustFail) {
		t.Errorf("a NUL passes: %v", err)
	}
	clean := "- Up → `../secret.md`\n- Abs → `/etc/hostname.md`\n- Link → `link.md`\n- Dir → `sub.md`\n- In → `ok.md`\n"
	oktest.Check(t, os.WriteFile(filepath.Join(dir, FileName), []byte(clean), 0o666))
	a := analyze(t, dir, false)
	want := "TOPIC_OUTSIDE ../secret.md\nMISSING_TOPIC_FILE /etc/hostname.md\nTOPIC_UNREADABLE link.md\nTOPIC_UNREADABLE sub.md\nORPHAN_TOPIC_FILE sub.md/x.md"
	if got := codes(a.Diagnostics); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if ix := a.Index("", false); len(ix.Entries) != 1 || ix.Entries[0].ID != "in" {
		t.Errorf("entries %+v", ix.Entries)
	}
	beside := analyze(t, dir, true).Index("", false)
	if len(beside.Entries) != 2 || beside.Entries[0].Path != "../secret.md" {
		t.Errorf("with files beside the store: %+v", beside.Entries)
	}
}

func TestHugeAndBinaryTopicsAreLeftOut(t *testing.T) {
	dir := files(t, map[string]string{
		FileName: "- Big → `big.md`\n- Bin → `bin.md`\n- Latin → `latin.md`\n", "bin.md": "a\x00b", "latin.md": "caf\xe9", "big.md": "",
	})
	oktest.Check(t, os.Truncate(filepath.Join(dir, "big.md"), 100<<20))
	a := analyze(t, dir, false)
	if want := "TOPIC_UNREADABLE big.md\nTOPIC_UNREADABLE bin.md\nTOPIC_UNREADABLE latin.md"; codes(a.Diagnostics) != want {
		t.Errorf("got %s", codes(a.Diagnostics))
	}
	if len(a.Index("", false).Entries) != 0 {
		t.Error("they are in the index")
	}
}

func TestSummariesAreOneLine(t *testing.T) {
	dir := files(t, map[string]string{
		FileName: "- A — line\x1b[31m\u2028- forged — x → `/etc/passwd` \u0085 " + strings.Repeat("😀", 80) + " → `a.md`\n", "a.md": "# A\n",
	})
	ix := analyze(t, dir, false).Index("", false)
	for _, e := range ix.Entries {
		if strings.ContainsAny(e.Summary, "\n\x1b\u2028\u0085") {
			t.Errorf("summary %q", e.Summary)
		}
	}
}

func TestRefreshPublishesAbsolutePaths(t *testing.T) {
	dir := files(t, map[string]string{FileName: "- A tool — x → `a.md`\n", "a.md": "# Alpha\n"})
	dest := filepath.Join(filepath.Dir(dir), "home", ".ai-loadout", "index.json")
	o := RefreshOptions{Store: dir, Dest: dest, At: time.Unix(0, 0)}
	dry := o
	dry.DryRun = true
	r, err := Refresh(t.Context(), dry)
	if err != nil || r.Wrote || r.EntryCount != 1 || r.PathsRewritten != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Dir(dest)); err == nil {
		t.Error("a dry run wrote")
	}
	// What a refresh that was killed left behind goes with the next one.
	long := time.Now().Add(-time.Hour)
	for _, left := range []string{filepath.Join(dir, ".index.json.7.packgen"), filepath.Join(filepath.Dir(dest), ".index.bin.7.packgen"), filepath.Join(filepath.Dir(dest), ".index.json.bak.7.packgen")} {
		oktest.Check(t, os.MkdirAll(filepath.Dir(left), 0o777))
		oktest.Check(t, errors.Join(os.WriteFile(left, nil, 0o666), os.Chtimes(left, long, long)))
	}
	for range 2 {
		if r, err = Refresh(t.Context(), o); err != nil || !r.Wrote {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	for _, pattern := range []string{filepath.Join(dir, ".*.packgen"), filepath.Join(filepath.Dir(dest), ".*.packgen")} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	if r.BackupPath != dest+".bak" {
		t.Errorf("backup %q", r.BackupPath)
	}
	data, err := os.ReadFile(dest)
	oktest.Check(t, err)
	ix, err := indexjson.Read(data)
	if err != nil || ix.Entries[0].Path != filepath.Join(dir, "a.md") || ix.Source != filepath.Join(dir, FileName) {
		t.Errorf("%s, %v", data, err)
	}
	own, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil || !strings.Contains(string(own), `"path": "a.md"`) {
		t.Errorf("%s, %v", own, err)
	}
}

func TestRefreshWithErrorsWritesNothing(t *testing.T) {
	dir := files(t, map[string]string{FileName: "- Gone → `gone.md`\n"})
	dest := filepath.Join(dir, "out", "index.json")
	r, err := Refresh(t.Context(), RefreshOptions{Store: dir, Dest: dest})
	if err != nil || r.Wrote || r.Errors() != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("the store holds %v, %v", list, err)
	}
	var missing *MissingError
	if _, err := Refresh(t.Context(), RefreshOptions{Store: filepath.Join(dir, "none"), Dest: dest}); !errors.As(err, &missing) || missing.Code != "STORE_NOT_FOUND" {
		t.Errorf("got %v", err)
	}
	if _, err := Refresh(t.Context(), RefreshOptions{Store: t.TempDir(), Dest: dest}); !errors.As(err, &missing) || missing.Code != "MEMORY_MD_NOT_FOUND" {
		t.Errorf("got %v", err)
	}
}

func TestRefreshDoesNotFollowALinkInTheStore(t *testing.T) {
	dir := files(t, map[string]string{FileName: "- A tool — x → `a.md`\n", "a.md": "# Alpha\n"})
	victim := filepath.Join(filepath.Dir(dir), "victim")
	oktest.Check(t, os.WriteFile(victim, []byte("mine"), 0o666))
	if err := os.Symlink(victim, filepath.Join(dir, "index.json")); err != nil {
		t.Skip(err)
	}
	dest := filepath.Join(filepath.Dir(dir), "home", "index.json")
	if r, err := Refresh(t.Context(), RefreshOptions{Store: dir, Dest: dest}); err == nil || r.Wrote {
		t.Errorf("%+v, %v", r, err)
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "mine" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if _, err := os.Stat(dest); err == nil {
		t.Error("the index was published all the same")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# A\n- N — d → `x.md`\n")
	f.Add("- Inline — y → text `i.md` tail\n``` \n```")
	f.Fuzz(func(t *testing.T, text string) {
		refs, prose := parse(text)
		for _, r := range slices.Concat(refs, prose) {
			if r.Path == "" || strings.Contains(r.Path, "\n") {
				t.Fatalf("path %q", r.Path)
			}
		}
		for _, w := range extractKeywords(text, text) {
			if !loadout.Reachable(w) {
				t.Fatalf("%q cannot be hit", w)
			}
		}
	})
}

// A file that many references name is read once, and what its entries would hold
// together is bounded: the work does not grow with references times bytes.
func TestManyReferencesToOneFile(t *testing.T) {
	var refs strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&refs, "- n%d → `b.md`\n", i)
	}
	dir := files(t, map[string]string{FileName: refs.String(), "b.md": strings.Repeat("x", maxFile-1) + "\x00"})
	if got := len(analyze(t, dir, false).MissingFiles); got != 20_000 {
		t.Errorf("%d are missing", got)
	}
	var heading strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&heading, " word%d", i)
	}
	for name, text := range map[string]string{"headings": "#" + heading.String(), "front matter": "---\nid: " + strings.Repeat("x", 50_000) + "\nkeywords: [a]\n---\n"} {
		oktest.Check(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte(text), 0o666))
		if _, err := Analyze(t.Context(), filepath.Join(dir, FileName), false); err == nil || !strings.Contains(err.Error(), "passes the limit") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLinksThatAgentsWrite(t *testing.T) {
	for line, want := range map[string]Ref{
		"- [Release train](release.md) — leaves on Tuesdays": {Name: "Release train", Description: "leaves on Tuesdays", Path: "release.md"},
		"* [A](a%20b.md): hook":                              {Name: "A", Description: "hook", Path: "a b.md"},
		"- [A](<a b.md>)":                                    {Name: "A", Path: "a b.md"},
		"- [A](sub/a.md) - hook - with dashes":               {Name: "A", Description: "hook - with dashes", Path: "sub/a.md"},
	} {
		refs, _ := parse(line)
		want.link, want.Line = true, 1
		if len(refs) != 1 || refs[0] != want {
			t.Errorf("%s: %+v, want %+v", line, refs, want)
		}
	}
	for _, line := range []string{"- [A](https://x.org/a.md)", "- [A](/etc/a.md)", "- [A](a.txt)", "- [A] (a.md)", "see [A](a.md)", "- [A](a.md", "- [A](*.md)"} {
		if refs, _ := parse(line); len(refs) != 0 {
			t.Errorf("%s is a reference: %+v", line, refs)
		}
	}
}

func TestFrontMatterOfNotes(t *testing.T) {
	for text, want := range map[string]Note{
		"---\nname: a\ndescription: 'b: c'\ntype: user\n---\n":      {"a", "b: c", "user"},
		"---\r\nname: a\r\nmetadata:\r\n  type: project\r\n---\r\n": {"a", "", "project"},
		"---\nname: a\n":              {},
		"name: a\n":                   {},
		"---\nx:\n  name: inner\n---": {},
		"---\n" + strings.Repeat("x: y\n", 300) + "name: a\n---\n": {},
	} {
		if got := noteOf(text); got != want {
			t.Errorf("%.40q: %+v, want %+v", text, got, want)
		}
	}
}
