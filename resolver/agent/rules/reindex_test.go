package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

const later = "2027-01-01T00:00:00.000Z"

func reindex(t *testing.T, root *os.Root, dir string) *Reindexed {
	t.Helper()
	return oktest.Value(Reindex(root, dir, ReindexOptions{Generated: later, Main: "CLAUDE.md"}))(t)
}

func edit(t *testing.T, dir, name, old, new string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q: %v", name, old, err)
	}
	oktest.Check(t, os.WriteFile(name, []byte(strings.ReplaceAll(string(data), old, new)), 0o666))
}

// What a split wrote is what its rule files say: an index that is made again from
// them is the same, byte for byte, and so is the instruction file.
func TestTheIndexOfASplitIsThatOfItsFiles(t *testing.T) {
	made := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 11))
		text := strings.ToValidUTF8(strings.ReplaceAll(randomFile(rng), "\x00", ""), "")
		report := analyze("CLAUDE.md", text, options{})
		if len(report.Proposals) == 0 {
			continue
		}
		root, dir := repository(t, map[string]string{"CLAUDE.md": text})
		out := oktest.Value(report.Compose(report.Proposals, ComposeOptions{Generated: stamp, Lazy: rng.IntN(2) == 0}))(t)
		if _, err := report.Split(root, out); err != nil {
			t.Fatal(err)
		}
		before := oktest.Read(t, dir)
		r := reindex(t, root, DefaultDir)
		if len(r.Changes)+len(r.Issues) > 0 || r.Main.Path != "" || r.Entries != len(report.Proposals) {
			t.Fatalf("seed %d: changes %v, issues %+v, %d entries, file %q\n%s", seed, r.Changes, r.Issues, r.Entries, r.Main.Path, text)
		}
		oktest.Check(t, r.Write(root))
		if after := oktest.Read(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Fatalf("seed %d: files have changed", seed)
		}
		made++
	}
	if made < 50 {
		t.Errorf("only %d splits were compared", made)
	}
}

// every drift that a check knows is gone once the index was made again, and a
// second time there is nothing to do.
func TestReindexEndsEveryDrift(t *testing.T) {
	for _, newline := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll("# Project\n\nBe kind.\n\n"+section("CI runners", 20)+"\n"+section("Release train", 16), "\n", newline)
		root, dir := repository(t, map[string]string{"CLAUDE.md": text})
		report := analyze("CLAUDE.md", text, options{})
		out, err := report.Compose(report.Proposals, ComposeOptions{Generated: stamp})
		if err == nil {
			_, err = report.Split(root, out)
		}
		oktest.Check(t, err)
		edit(t, dir, ".claude/rules/ci-runners.md", "keywords: [", "keywords: [robot | arm, ")
		edit(t, dir, ".claude/rules/ci-runners.md", "priority: domain", "priority: core")
		edit(t, dir, ".claude/rules/ci-runners.md", "id: ci-runners", "id: robots")
		edit(t, dir, ".claude/rules/release-train.md", "## Release train", "## Release train\n\nAnother first line.")
		edit(t, dir, ".claude/rules/index.json", `"version"`, `"mine": [1, 2], "version"`)
		edit(t, dir, ".claude/rules/index.json", `"id": "ci-runners"`, `"note": {"b": 1}, "id": "ci-runners"`)
		r := reindex(t, root, DefaultDir)
		var got []string
		for _, c := range r.Changes {
			got = append(got, c.Path+" "+c.String())
		}
		want := []string{
			".claude/rules/ci-runners.md changed: id, keywords, priority",
			".claude/rules/release-train.md changed: summary, tokens_est, lines",
		}
		if !slices.Equal(got, want) || len(r.Issues) > 0 {
			t.Errorf("changes %q, want %q; issues %+v", got, want, r.Issues)
		}
		oktest.Check(t, r.Write(root))
		issues, err := validateRules(root, DefaultDir)
		if err != nil || slices.ContainsFunc(issues, func(i Issue) bool { return strings.HasPrefix(i.Code, "DRIFT") }) {
			t.Errorf("%+v, %v", issues, err)
		}
		files := oktest.Read(t, dir)
		if main := files["CLAUDE.md"]; !strings.Contains(main, `| CI runners | robot \| arm, `) || !strings.Contains(main, "| core | `.claude/rules/ci-runners.md` |") ||
			newline == "\r\n" && strings.Count(main, "\n") != strings.Count(main, "\r\n") {
			t.Errorf("the instruction file is %q", main)
		}
		ix, err := indexjson.Read([]byte(files[".claude/rules/index.json"]))
		if err != nil || ix.Head.Get("mine") != "[1,2]" || ix.Entries[0].JSON().Get("note") != `{"b":1}` || ix.Generated != later {
			t.Errorf("what nobody knows is lost: %s, %v", files[".claude/rules/index.json"], err)
		}
		if again := reindex(t, root, DefaultDir); len(again.Changes) > 0 || again.Main.Path != "" || string(again.Index.Data) != files[".claude/rules/index.json"] {
			t.Errorf("a second time: %v, %q", again.Changes, again.Main.Path)
		}
	}
}

func TestReindexRefusesWhatItCannotRead(t *testing.T) {
	rule := "---\nid: a\nkeywords: [ci]\npatterns: []\npriority: domain\n---\n\n## A ci\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		issue string
		err   bool
	}{
		{"no front matter", map[string]string{"r/a.md": "text", "r/index.json": `{"entries":[{"id":"a","path":"r/a.md","keywords":["ci"],"patterns":[]}],"budget":{}}`}, "MISSING_FRONTMATTER", false},
		{"a path out of the repository", map[string]string{"r/a.md": rule, "r/index.json": `{"entries":[{"id":"a","path":"r/a.md"},{"id":"x","path":"../../x.md"}],"budget":{}}`}, "MISSING_REF", false},
		{"two files of one id", map[string]string{"r/a.md": rule, "r/b.md": rule}, "DUPLICATE_ID", false},
		{"no JSON", map[string]string{"r/a.md": rule, "r/index.json": "{"}, "", true},
		{"no index", map[string]string{"r/a.md": rule, "r/index.json": `{"name":"x"}`}, "", true},
		{"of somebody else", map[string]string{"r/a.md": rule, "r/index.json": `{"entries":[{"id":"x","path":"docs/x.md"}]}`}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root, _ := repository(t, tt.files)
			r, err := Reindex(root, "r", ReindexOptions{Generated: stamp})
			switch {
			case tt.err != (err != nil):
				t.Errorf("error %v", err)
			case err == nil && (len(r.Issues) == 0 || r.Issues[0].Code != tt.issue || r.Issues[0].Severity != loadout.SeverityError):
				t.Errorf("issues %+v", r.Issues)
			}
		})
	}
}

// Two at once: what changed since it was read is not written over.
func TestReindexWritesOverNoOtherChange(t *testing.T) {
	rule := "---\nid: a\nkeywords: [ci]\npatterns: []\npriority: domain\n---\n\n## A ci\n"
	root, dir := repository(t, map[string]string{"r/a.md": rule})
	r := oktest.Value(Reindex(root, "r", ReindexOptions{Generated: stamp}))(t)
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "r", "index.json"), []byte("{}"), 0o666))
	if err := r.Write(root); err == nil || !strings.HasPrefix(err.Error(), "split r/index.json: ") {
		t.Errorf("error %v", err)
	}
	if files := oktest.Read(t, dir); files["r/index.json"] != "{}" || len(files) != 2 {
		t.Errorf("files %v", keys(files))
	}
}
