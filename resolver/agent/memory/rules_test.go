package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// Headings are not references, and lines count from 1 (loadout section 19.1).
func TestHeadingsOfAMemory(t *testing.T) {
	refs, _ := parse("- Early → `e.md`\n  ## A → b.md\n\n- In → `i.md`\n#NoSpace → n.md\n####### Seven → s.md\n###### Six → x.md\nlast")
	var got []int
	for _, r := range refs {
		got = append(got, r.Line)
	}
	if want := []int{1, 4, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("references at lines %d, want %d", got, want)
	}
}

// What the inline form does not take (loadout section 19.2).
func TestInlineReferencesThatAreNone(t *testing.T) {
	for _, line := range []string{
		"- glob → see `a*.md` now", "- abs → see `/etc/x.md` now", `- drive → see ` + "`C:\\x.md` now", "- drive → see `c:/x.md` now", `- share → see ` + "`\\\\host\\x.md` now",
		"- → `x.md` tail", "- ++ → `x.md` now", "- -lead → see `x.md` now", "no bullet → see `x.md` now", "- no arrow `x.md` now", "- a → see `x.txt` now", "- a → see `.md` now", "- a → see `memory/` now",
	} {
		if refs, prose := parse(line); len(refs)+len(prose) != 0 {
			t.Errorf("%s is a reference: %+v", line, refs)
		}
	}
}

// Sums and limits of an index (loadout sections 19.5 to 19.7).
func TestSumsAndLimitsOfAStore(t *testing.T) {
	exact := strings.Repeat("s", 120)
	id := strings.Repeat("i", 60)
	text := "- A — " + exact + "t → `a.md`\n- B — " + strings.Repeat("s", 119) + "😀 → `b.md`\n- " + id + " → `c.md`\n- " + id + "j → `c.md`\n- F → `f.md`\n"
	list := map[string]string{FileName: text, "a.md": "# Alpha\n", "b.md": "# Beta", "c.md": "# Gamma\nx\n", "f.md": "---\nid: " + id + "k\nkeywords: [a1]\n---\n"}
	dir := files(t, list)
	a := analyze(t, dir, false)
	ix := a.Index("x", true)
	if !ix.LazyLoad {
		t.Error("the index is not lazy")
	}
	if a.Index("x", false).LazyLoad {
		t.Error("the index is lazy without being asked")
	}
	if got := ix.Entries[0].Summary; got != exact {
		t.Errorf("summary of %d units", token.Units(got))
	}
	if got := ix.Entries[1].Summary; got != exact[:119] {
		t.Errorf("a character was cut: %q", got)
	}
	want := token.Estimate(list["a.md"]) + token.Estimate(list["b.md"]) + 2*token.Estimate(list["c.md"]) + token.Estimate(list["f.md"])
	if a.TopicTokens != want || a.InlineTokens != token.Estimate(text) || a.InlineTokens+a.TopicTokens != want+token.Estimate(text) {
		t.Errorf("%d tokens of topics, %d inline", a.TopicTokens, a.InlineTokens)
	}
	if got := []int{ix.Entries[0].Lines, ix.Entries[1].Lines, ix.Entries[2].Lines}; !slices.Equal(got, []int{2, 1, 3}) {
		t.Errorf("lines %v", got)
	}
	var long []string
	for _, i := range a.Validate() {
		if i.Code == "ID_TOO_LONG" {
			long = append(long, i.Message[:strings.Index(i.Message, ":")]+"; "+i.Hint[:12])
		}
	}
	if want := []string{"Derived id at line 4 is 61 chars (max 60); Shorten the ", "Frontmatter id at line 5 is 61 chars (max 60); Shorten the "}; !slices.Equal(long, want) {
		t.Errorf("got %q, want %q", long, want)
	}
	oktest.Check(t, os.WriteFile(filepath.Join(dir, FileName), []byte("- Same → `a.md`\n- Same → `b.md`\n"), 0o666))
	if ix := analyze(t, dir, false).Index("x", false); len(ix.Entries) != 2 || len(loadout.Validate(ix)) == 0 {
		t.Errorf("of two entries with one id: %+v, %v", ix.Entries, loadout.Validate(ix))
	}
}

// What cannot be looked into is skipped, and hidden directories are not (loadout
// section 19.5).
func TestOrphansBelowOddDirectories(t *testing.T) {
	dir := files(t, map[string]string{
		FileName: "- A → `a.md`\n", "a.md": "", ".hidden/h.md": "", "deep/MEMORY.md": "", "deep/a.md": "hidden by its base name", "x.MD": "", "shut/s.md": "", "zebra.md": "",
	})
	shut := filepath.Join(dir, "shut")
	oktest.Check(t, os.Chmod(shut, 0))
	t.Cleanup(func() { _ = os.Chmod(shut, 0o777) })
	want := []string{".hidden/h.md", "deep/MEMORY.md", "shut/s.md", "zebra.md"}
	if _, err := os.ReadDir(shut); err != nil {
		want = slices.Delete(want, 2, 3)
	}
	if got := analyze(t, dir, false).OrphanFiles; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Warnings do not stop a refresh; the published index is checked again, and all
// but paths and source is that of the store (loadout section 22).
func TestWarningsDoNotStopARefresh(t *testing.T) {
	dir := files(t, map[string]string{FileName: "- A tool — x → `a.md`\n- A kit — y → `a.md`\n- B — z → `deep/b.md`\n- C → `c.md`\n", "a.md": "# Alpha\n", "deep/b.md": "# Beta\n", "c.md": "---\nid: Odd_Id\nkeywords: [c1]\n---\n", "lost.md": ""})
	dest := filepath.Join(filepath.Dir(dir), "index.json")
	o := RefreshOptions{Store: dir, Dest: dest, At: time.Unix(0, 0)}
	var before []byte
	for round := range 3 {
		r, err := Refresh(t.Context(), o)
		if err != nil || !r.Wrote || r.Warnings() != 3 || r.Errors() != 0 || r.PathsRewritten != 4 || len(r.DestIssues) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if had, err := os.ReadFile(dest + ".bak"); round > 0 && (err != nil || string(had) != string(before)) {
			t.Errorf("round %d: the backup is not the index as it was: %v", round, err)
		}
		if before, err = os.ReadFile(dest); err != nil {
			t.Fatal(err)
		}
		own := oktest.Value(os.ReadFile(filepath.Join(dir, "index.json")))(t)
		published := strings.ReplaceAll(strings.ReplaceAll(string(before), `"path": "`+dir+`/`, `"path": "`), dir, "")
		if relative := strings.ReplaceAll(string(own), dir, ""); published != relative {
			t.Errorf("the store has\n%s\nand the published index\n%s", relative, published)
		}
		o.At = o.At.Add(time.Hour)
	}
}

// A refresh that never ends keeps another one waiting for a while, not forever.
func TestAnotherRefreshIsNamed(t *testing.T) {
	dir := files(t, map[string]string{FileName: "- A tool — x → `a.md`\n", "a.md": "# Alpha\n"})
	dest := filepath.Join(filepath.Dir(dir), "index.json")
	unlock := oktest.Value(atomicfile.Lock(t.Context(), dest))(t)
	o := RefreshOptions{Store: dir, Dest: dest}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if r, err := Refresh(ctx, o); !errors.Is(err, ErrBusy) || r.Wrote {
		t.Errorf("%+v, %v", r, err)
	}
	unlock()
	if r, err := Refresh(t.Context(), o); err != nil || !r.Wrote {
		t.Errorf("%+v, %v", r, err)
	}
}

// A note beside MEMORY.md that describes itself is a memory; below it a description is
// that of a skill or a pack, as in a repository with a MEMORY.md at its root.
func TestOnlyNotesBesideTheListAreMemoriesUnlisted(t *testing.T) {
	const described = "---\nname: x\ndescription: what it is\n---\nText.\n"
	dir := files(t, map[string]string{
		FileName: "# Memory\n", "note.md": described, "packs/p/KNOWLEDGE.md": described, ".claude/skills/x/SKILL.md": described,
	})
	a := analyze(t, dir, false)
	var got []string
	for _, e := range a.Index("x", false).Entries {
		got = append(got, e.Path)
	}
	if want := []string{"note.md"}; !slices.Equal(got, want) || len(a.OrphanFiles) != 2 {
		t.Errorf("memories %q, want %q; others %q", got, want, a.OrphanFiles)
	}
}

// A secret in what a store says of its topics is not in the index.
func TestSecretsStayOutOfTheIndex(t *testing.T) {
	const password = "herbst" + "laub77"
	said := "amqp://till:" + password + "@mq.corp.io"
	dir := files(t, map[string]string{
		FileName: "- Queue — " + said + " → `a.md`\n- [Broker](b.md): the broker\n- [Till](c.md)\n",
		"a.md":   "# Alpha\n", "b.md": "# Beta\n", "c.md": "---\nname: till\ndescription: the till asks " + said + "\n---\n# Gamma\n",
	})
	ix := analyze(t, dir, false).Index("x", true)
	if text := fmt.Sprintf("%+v", ix); len(ix.Entries) != 3 || strings.Contains(text, password) {
		t.Errorf("the index has %d entries and says %s", len(ix.Entries), text)
	}
}

// A comment of a MEMORY.md switches a rule off there: for the next line or for the file, in what
// is checked, written and published.
func TestCommentsSwitchOffWhatIsFoundInAStore(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		oktest.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	put("kettle.md", "# Kettle\n")
	put("spare.md", "# Spare\n")
	const lines = "- Kettle — how it boils → `kettle.md`\n- Steam — what it does → `steam.md`\n"
	for comments, want := range map[string]string{
		"": "missing-topic-file 2, orphan-topic-file 0",
		"<!-- packgen-disable missing-topic-file, orphan-topic-file: they come -->\n":                     "",
		"<!-- packgen-disable-next-line missing-topic-file: it comes -->\n- Steam — twice → `steam.md`\n": "duplicate-ref 2, missing-topic-file 4, orphan-topic-file 0",
		"<!-- packgen-disable orphan-topic-file -->\n":                                                    "missing-topic-file 3, suppression-invalid 1, orphan-topic-file 0",
	} {
		put("MEMORY.md", comments+lines)
		a := oktest.Value(Analyze(context.Background(), filepath.Join(dir, "MEMORY.md"), false))(t)
		var got []string
		for _, d := range Findings("MEMORY.md", a, nil) {
			got = append(got, fmt.Sprintf("%s %d", d.ID, d.Line))
		}
		slices.Sort(got)
		list := strings.Split(want, ", ")
		slices.Sort(list)
		if strings.Join(got, ", ") != strings.Join(list, ", ") {
			t.Errorf("%q: got %q, want %q", comments, got, want)
		}
	}
}

// What the front matter of a topic file says without an effect is a warning at the line that
// refers to it; keys count in any case, and after the mark that editors of Windows put first.
func TestFrontMatterOfTopicsIsReadInAnyCase(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"MEMORY.md": "- [Tea](tea.md)\n- [Pot](pot.md)\n", "tea.md": "---\npriority: croe\n---\n", "pot.md": "\ufeff---\r\nDescription: For brewing.\r\nPriority: Core\r\n---\r\n",
	} {
		oktest.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	a := oktest.Value(Analyze(context.Background(), filepath.Join(dir, "MEMORY.md"), false))(t)
	found := Findings("MEMORY.md", a, nil)
	if len(found) != 1 || found[0].Line != 1 || found[0].ID != "invalid-priority" || found[0].Hint != `did you mean "core"?` {
		t.Errorf("found %+v", found)
	}
	if e := a.Index("", false).Entries[1]; e.Priority != loadout.PriorityCore || e.Summary != "For brewing." {
		t.Errorf("entry %+v", e)
	}
}
