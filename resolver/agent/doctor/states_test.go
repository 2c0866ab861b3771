package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/repo"
)

// The three outcomes of each check of loadout section 23 that looks at files alone.
func TestOutcomesOfTheDoctor(t *testing.T) {
	entry := func(id, priority, keywords string) string {
		return fmt.Sprintf(`{"id":%q,"path":"/m/%s.md","keywords":[%s],"patterns":[],"priority":%q,"summary":"S","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":10,"lines":1}`, id, id, keywords, priority)
	}
	event := `{"timestamp":"2026-01-01T00:00:00.000Z","taskHash":"a","entryId":"ci","trigger":"UserPromptSubmit","mode":"lazy","score":1,"tokensEst":10}` + "\n"
	handler := `{"type":"command","command":"packgen hook"}`
	bin := t.TempDir()
	for _, name := range []string{"packgen", "packgen.exe"} {
		oktest.Check(t, os.WriteFile(filepath.Join(bin, name), nil, 0o777))
	}
	t.Setenv("PATH", bin)
	settings := func(handlers string) string {
		return `{"hooks":{"UserPromptSubmit":[{"hooks":[` + handlers + `]}]}}`
	}
	core := func(n int) []string {
		list := []string{entry("ci", "domain", `"runner"`)}
		for i := range n {
			list = append(list, entry(fmt.Sprintf("core-%d", i), "core", ""))
		}
		return list
	}
	for _, c := range []struct {
		name    string
		entries []string // of the index; nil for none
		files   map[string]string
		age     time.Duration // of the usage log
		want    string        // id status message, one a line; the message's beginning
	}{
		{name: "nothing is there", want: "store-validates fail no MEMORY.md at \nindex-parse fail no global index at \ncore-entries warn no readable\nobservability-loop warn no readable\nhook-wired warn no settings at \nusage-growing skip no hook is installed"},
		{name: "all is well", entries: core(1), files: map[string]string{"MEMORY.md": "- A → `a.md`\n- B → `b.md`\n", "a.md": "x", "b.md": "x", "settings.json": settings(handler), "usage.jsonl": event},
			want: "store-validates pass store MEMORY.md validates (0 errors, 2 refs)\nindex-parse pass global index parses + validates (2 entries)\ncore-entries pass 1 core entry present\nobservability-loop pass observed load: 10 tokens\nhook-wired pass the hook is wired: packgen hook\nusage-growing pass the usage log grows"},
		{name: "warnings", entries: append(core(2), strings.Replace(entry("long", "domain", `"kettle"`), `"S"`, `"`+strings.Repeat("s", 121)+`"`, 1)), files: map[string]string{"MEMORY.md": "no reference\n", "settings.json": settings(handler + "," + handler), "usage.jsonl": ""},
			want: "store-validates warn store MEMORY.md has 1 warning\nindex-parse warn global index has 1 warning\ncore-entries pass 2 core entries present\nobservability-loop warn no load was observed\nhook-wired warn the hook is wired 2 times\nusage-growing warn the usage log is empty"},
		{name: "no program", files: map[string]string{"settings.json": settings(strings.Replace(handler, "packgen", "/none/packgen", 1))}, want: "hook-wired fail the hook that settings.json names cannot run: there is no program /none/packgen"},
		{name: "hooks are off", files: map[string]string{"settings.json": `{"disableAllHooks":true,` + settings(handler)[1:]}, want: "hook-wired fail no hook runs: settings.json has disableAllHooks"},
		{name: "failures", entries: append(core(5), entry("ci", "domain", "")), files: map[string]string{"MEMORY.md": "- A → `gone.md`\n", "settings.json": `{"hooks":{}}`, "usage.jsonl": event}, age: 7*24*time.Hour + time.Hour,
			want: "store-validates fail store MEMORY.md has 1 error\nindex-parse fail global index has 2 errors\ncore-entries warn 5 core entries hide all others\nhook-wired fail the hook is not in the settings\nusage-growing warn the usage log is stale (last write 7 days ago)"},
		{name: "a week", entries: core(0), files: map[string]string{"usage.jsonl": event, "settings.json": "{ //\n}"}, age: 7*24*time.Hour - time.Hour,
			want: "core-entries warn no core entry\nhook-wired warn settings cannot be read\nusage-growing pass the usage log grows"},
	} {
		dir := t.TempDir()
		for at, text := range c.files {
			oktest.Check(t, os.WriteFile(filepath.Join(dir, at), []byte(text), 0o666))
		}
		if c.entries != nil {
			oktest.Check(t, indexfile.Write(filepath.Join(dir, "index.json"), []byte(`{"version":"1.0.0","generated":"2026-01-01T00:00:00.000Z","entries":[`+strings.Join(c.entries, ",")+`],"budget":{"always_loaded_est":0,"on_demand_total_est":0,"avg_task_load_est":0,"avg_task_load_observed":null}}`)))
		}
		if c.age > 0 {
			at := time.Now().Add(-c.age)
			oktest.Check(t, os.Chtimes(filepath.Join(dir, "usage.jsonl"), at, at))
		}
		at := func(name string) string { return filepath.Join(dir, name) }
		p := admit(&repo.Repo{Paths: repo.Paths{Dir: dir}}, Options{Named: true, Store: dir, Index: at("index.json"), Settings: at("settings.json")})
		checks := []Check{p.storeValidates(t.Context()), p.indexParses(), p.coreEntries(), p.observability(), p.hookWired(), p.usageGrowing()}
		for line := range strings.SplitSeq(c.want, "\n") {
			if !slices.ContainsFunc(checks, func(h Check) bool { return strings.HasPrefix(h.ID+" "+h.Status+" "+h.Message, line) }) {
				t.Errorf("%s: no %q in %+v", c.name, line, checks)
			}
		}
	}
}
