package memory

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// storeOf writes a store and returns its directory.
func storeOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		oktest.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	return dir
}

// What a topic file says counts without an id, and words come from the description where a name
// has none.
func TestWhatATopicFileSaysCountsWithoutAnID(t *testing.T) {
	for name, c := range map[string]struct{ line, topic, keywords, priority string }{
		"keywords and priority": {"- [Release](a.md) — cut", "---\nname: Release\nkeywords: [bootloader, rollout]\npriority: core\n---\n", "bootloader rollout", "core"},
		"priority alone":        {"- [Release](a.md) — cut on Mondays", "---\npriority: manual\n---\n# Train\n", "release train cut mondays", "manual"},
		"keywords alone":        {"Release — cut → a.md", "---\nkeywords:\n  - rollout\n---\n", "rollout", "domain"},
		"a text with commas":    {"- [Release](a.md) — cut", "---\nkeywords: bootloader, Rollout\npriority: CORE # always\n---\n", "bootloader rollout", "core"},
		"quoted words":          {"- [Release](a.md) — cut", "---\nkeywords: [\"bootloader\", 'rollout']\n---\n", "bootloader rollout", "domain"},
		"quoted items":          {"- [Release](a.md) — cut", "---\nkeywords:\n- \"rollout\"\npriority: \"manual\"\n---\n", "rollout", "manual"},
		"not YAML":              {"- [Release](a.md) — cut", "---\ndescription: cut: on Mondays\nkeywords: [rollout]\n---\n", "rollout", "domain"},
		"line ends of Windows":  {"- [Release](a.md) — cut", "---\r\nkeywords: [rollout]\r\n---\r\n", "rollout", "domain"},
		"no word in the name":   {"CI notes — continuous integration → a.md", "text\n", "continuous integration", "domain"},
	} {
		dir := storeOf(t, map[string]string{FileName: c.line + "\n", "a.md": c.topic})
		a := oktest.Value(Analyze(t.Context(), filepath.Join(dir, FileName), false))(t)
		e := a.Index("2026-01-01T00:00:00.000Z", false).Entries[0]
		slices.Sort(e.Keywords)
		want := strings.Fields(c.keywords)
		slices.Sort(want)
		if !slices.Equal(e.Keywords, want) || e.Priority != c.priority {
			t.Errorf("%s: %q %s, want %q %s", name, e.Keywords, e.Priority, want, c.priority)
		}
	}
}

// A memory that is listed twice is one entry and one finding, however the lines write its path.
func TestAMemoryThatIsListedTwiceIsOneFinding(t *testing.T) {
	for _, second := range []string{"- [Tabs](a.md) — indent", "- [Tabs](./a.md) — indent with tabs"} {
		dir := storeOf(t, map[string]string{FileName: "- [Tabs](a.md) — indent\n" + second + "\n", "a.md": "Indent.\n"})
		a := oktest.Value(Analyze(t.Context(), filepath.Join(dir, FileName), false))(t)
		ix := a.Index("2026-01-01T00:00:00.000Z", false)
		found := Findings(FileName, a, loadout.Validate(ix))
		if len(ix.Entries) != 1 || len(found) != 1 || found[0].ID != "duplicate-ref" || found[0].Hint == "" {
			t.Errorf("%s: %d entries, %+v", second, len(ix.Entries), found)
		}
	}
}

// A reference without its file keeps nothing else from being published; a store is named by its
// file or its directory, and the observed load comes from the log beside the index.
func TestARefreshLeavesOutWhatIsGone(t *testing.T) {
	dir := storeOf(t, map[string]string{FileName: "- [Tabs](a.md) — indent\n- [Gone](gone.md) — nothing\n", "a.md": "Indent.\n"})
	log := `{"timestamp":"2026-01-02T10:00:00.000Z","taskHash":"x","entryId":"tabs","tokensEst":60}
{"taskHash":"x","entryId":"tabs","tokensEst":40}
{"taskHash":"y","entryId":"tabs","tokensEst":"many"}
{"taskHash":"z","entryId":"another","tokensEst":900}
`
	for _, store := range []string{dir, filepath.Join(dir, FileName)} {
		dest := filepath.Join(t.TempDir(), "index.json")
		oktest.Check(t, os.WriteFile(filepath.Join(filepath.Dir(dest), layers.LogName), []byte(log), 0o666))
		r, err := Refresh(t.Context(), RefreshOptions{Store: store, Dest: dest})
		if err != nil || !r.Wrote || r.EntryCount != 1 || r.Warnings() == 0 || r.Store != dir {
			t.Fatalf("%s: %+v, %v", store, r, err)
		}
		if at := r.Published.Budget.AvgObserved; at == nil || *at != 50 {
			t.Errorf("observed %v, want 50 a task", at)
		}
	}
	lost := storeOf(t, map[string]string{FileName: "- [Gone](gone.md) — nothing\n"})
	if r, err := Refresh(t.Context(), RefreshOptions{Store: lost, Dest: filepath.Join(t.TempDir(), "index.json")}); err != nil || r.Wrote {
		t.Errorf("a store of which nothing can be read: %+v, %v", r, err)
	}
}

// Git changes line ends from one checkout to the next: the index stays what it is.
func TestOtherLineEndsMakeTheSameIndex(t *testing.T) {
	list := map[string]string{"MEMORY.md": "# Memory\n\n- [Deploy](deploy.md): how to deploy\n", "deploy.md": "---\nname: deploy\ndescription: how to deploy\n---\n\n# Deploy with make\n\nRun make.\nTwice.\n"}
	was := analyze(t, files(t, list), false).Index("", false)
	for name, text := range list {
		list[name] = strings.ReplaceAll(text, "\n", "\r\n")
	}
	now := analyze(t, files(t, list), false).Index("", false)
	was.Source, now.Source = "", ""
	if !reflect.DeepEqual(was, now) {
		t.Errorf("%+v, want %+v", now, was)
	}
}
