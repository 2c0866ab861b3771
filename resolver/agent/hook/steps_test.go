package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// project makes a project whose layer has these entries.
func project(t testing.TB, entries ...string) string {
	t.Helper()
	dir := t.TempDir()
	text := `{"version":"1","generated":"x","entries":[` + strings.Join(entries, ",") + `]}`
	oktest.Check(t, indexfile.Write(filepath.Join(dir, ".claude", "loadout", "index.json"), []byte(text)))
	return dir
}

// The steps of loadout section 21.3, in both ways the hook reads an index: from
// the prebuilt form of the global layer, and from whole layers.
func TestStepsOfAPrompt(t *testing.T) {
	long := strings.Repeat("p", maxPath)
	entries := []string{
		entry("a", "domain", "A", "a.md", `"alpha"`), entry("b", "domain", "B", "b.md", `"beta"`),
		entry("byhand", "manual", "M", "m.md", `"delta"`), entry("far", "domain", "F", long, `"epsilon"`), entry("half", "domain", "H", "h.md", `"zeta","x1"`),
	}
	dir := home(t, entries...)
	for name, o := range map[string]Options{
		"binary": {Home: dir},
		"layers": {Home: dir, Project: project(t, entry("other", "domain", "O", "o.md", `"omega"`))},
	} {
		for _, c := range []struct{ rule, event, env, want string }{
			{"the first name counts", `{"prompt":"alpha","user_prompt":"beta","message":"gamma"}`, "", "- a — A → a.md"},
			{"then the second", `{"prompt":0,"user_prompt":"beta","message":"gamma"}`, "", "- b — B → b.md"},
			{"a blank first name ends it", `{"prompt":" ","user_prompt":"beta"}`, "", ""},
			{"manual entries never", `{"prompt":"delta"}`, FloorVariable + "=0", ""},
			{"a path that no system has", `{"prompt":"epsilon"}`, "", ""},
			{"the floor itself is enough", `{"prompt":"zeta"}`, FloorVariable + "=0.5", "- half — H → h.md"},
			{"above the floor is needed", `{"prompt":"zeta"}`, FloorVariable + "=0.51", ""},
			{"another floor", `{"prompt":"alpha"}`, FloorVariable + "=1", "- a — A → a.md"},
			{"match order", `{"prompt":"beta alpha"}`, "", "- a — A → a.md\n- b — B → b.md"},
		} {
			got := ask(t, o, c.event, c.env)
			if got != "" {
				got = strings.TrimPrefix(contextOf(t, got), header+"\n")
			}
			if got != c.want {
				t.Errorf("%s, %s: %q, want %q", name, c.rule, got, c.want)
			}
		}
	}
}

// Layers that are merged have no entry without an id.
func TestAnEntryWithoutIdAndSummary(t *testing.T) {
	dir := home(t, entry("", "domain", "", "c.md", `"gamma"`))
	if text := contextOf(t, ask(t, Options{Home: dir}, `{"message":"gamma"}`)); !strings.HasSuffix(text, "\n- (unnamed) —  → c.md") {
		t.Errorf("%q", text)
	}
}

// What the usage log says of a prompt (loadout section 21.3, step 9).
func TestUsageNamesTheTask(t *testing.T) {
	odd := strings.Replace(entry("ci", "domain", "S", "p.md", `"runner"`), `"tokens_est":300`, `"tokens_est":"many"`, 1)
	for event, want := range map[string]string{
		`{"prompt":"runner","session_id":"0123456789abcdef","prompt_id":"x"}`: "0123456789ab session",
		`{"prompt":"runner","session_id":"","prompt_id":"fedcba9876543210"}`:  "fedcba987654 prompt",
		`{"prompt":"runner"}`: "20260101000000 timestamp",
		// A character of two units is not cut in half.
		`{"prompt":"runner","session_id":"0123456789a😀"}`: "0123456789a session",
	} {
		dir := home(t, odd)
		if ask(t, Options{Home: dir}, event) == "" {
			t.Fatalf("silent for %s", event)
		}
		data := oktest.Value(os.ReadFile(usagePath(dir)))(t)
		var line struct {
			TaskHash, TaskHashSource string
			TokensEst                float64
		}
		line.TokensEst = -1
		if err := json.Unmarshal(data, &line); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if got := line.TaskHash + " " + line.TaskHashSource; got != want || line.TokensEst != 0 {
			t.Errorf("%s: %s, %v tokens, want %s", event, got, line.TokensEst, want)
		}
	}
}

func TestAMissHasSoManyWords(t *testing.T) {
	dir := home(t, entry("ci", "domain", "S", "p", `"runner"`))
	var prompt strings.Builder
	for i := range 100 {
		fmt.Fprintf(&prompt, "word%d ", i)
	}
	ask(t, Options{Home: dir, RecordMisses: true}, `{"prompt":"`+prompt.String()+`"}`)
	data, err := os.ReadFile(missesPath(dir))
	var line struct{ Words []string }
	if err != nil || json.Unmarshal(data, &line) != nil || len(line.Words) != maxMissWords {
		t.Errorf("%d words in %s, %v", len(line.Words), data, err)
	}
}

// A large event is read whole, one beyond the limit not at all; a project's layer
// answers where there is no global one.
func TestLargeEventsAndAProjectAlone(t *testing.T) {
	alone := Options{Home: t.TempDir(), Project: project(t, entry("ci", "domain", "S", "p.md", `"runner"`))}
	for size, answered := range map[int]bool{0: true, maxEvent - 100: true, maxEvent: false} {
		event := `{"x":"` + strings.Repeat("y", size) + `","prompt":"runner"}`
		if got := ask(t, alone, event); (got != "") != answered {
			t.Errorf("an event of %d bytes gives %q", len(event), got)
		}
	}
}
