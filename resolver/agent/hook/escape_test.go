package hook

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/torturetest"
	"github.com/packgen/packgen/resolver/context/escape"
)

// Whatever texts, summaries and ids hold: what the hook prints opens and closes the
// elements of the hook, each once, and has a comment for each text.
func TestNoTextLeavesItsElement(t *testing.T) {
	chance := rand.New(rand.NewPCG(30, 1))
	count := torturetest.Start(t, "fences", "hook", 25, 250)
	elements := []string{escape.Pack, escape.Memory, escape.Rules}
	root, user := library(t)
	for range count.Rounds() {
		count.Done(1)
		bad := func() string { return torturetest.Escape(chance, elements...) }
		note := put(t, "---\nname: "+bad()+"\n---\nThe nightly runner restarts at four.\n"+bad()+"\n", user, "notes", "runner.md")
		put(t, indexOf(entry("note"+bad(), "domain", "runner restarts "+bad(), note, `"runner","restart"`)), IndexPath(user))
		put(t, "# Runner "+bad()+"\n\nThe runner needs a token from the vault.\n"+bad()+"\n", root, "public", "packs", "handbook", "compiled", "runner.md")
		put(t, indexOf(entry("handbook-runner"+bad(), "domain", "runner token "+bad(), "packs/handbook/compiled/runner.md", `"runner","token","vault"`)), root, "public", "index.json")
		put(t, bad()+"\nAlways ask before the runner is restarted.\n"+bad(), root, ".claude", "rules", "runner.md")
		put(t, indexOf(entry("rule"+bad(), "domain", "runner restart "+bad(), ".claude/rules/runner.md", `"runner","restart"`)), root, ".claude", "loadout", "index.json")
		for _, o := range []Options{{Home: user, Inject: MaxInject}, {Home: user}} {
			text := contextOf(t, ask(t, o, at(root, "runner token vault restart")))
			if o.Inject > 0 && !strings.Contains(text, "The runner needs a token") {
				t.Fatalf("nothing is injected:\n%s", text)
			}
			if fault := leaves(text, elements); fault != "" {
				count.Wrong("%s:\n%q", fault, text)
				return
			}
		}
	}
}

// Whatever an agent sends: the hook answers with JSON or with nothing, and is not long.
func TestMutatedEventsAreAnsweredOrIgnored(t *testing.T) {
	chance := rand.New(rand.NewPCG(35, 1))
	count := torturetest.Start(t, "hostile", "hook events", 100, 1000)
	root, user := library(t)
	good := `{"session_id":"0123456789abcdef","transcript_path":"` + filepath.ToSlash(root) + `/x.jsonl","cwd":"` + filepath.ToSlash(root) + `","hook_event_name":"UserPromptSubmit","prompt":"runner token vault restart"}`
	for range count.Rounds() {
		count.Done(1)
		event := torturetest.Mutate(chance, []byte(good))
		out := ask(t, Options{Home: user, Inject: MaxInject}, string(event))
		if out != "" && !json.Valid([]byte(out)) || len(out) > 1<<16 {
			count.Wrong("%q gave %q", event, out)
		}
	}
}

// leaves says which element somebody else than the hook opened or closed.
func leaves(text string, elements []string) string {
	seen := map[string]int{}
	for i, rest := range strings.Split(text, "<") {
		for _, name := range elements {
			if _, ok := escape.Opens(rest, name); ok && i > 0 {
				key := "<" + name
				if strings.HasPrefix(rest, "/") {
					key = "</" + name
				}
				seen[key]++
			}
		}
	}
	for key, n := range seen {
		if n > 1 {
			return key + " is there more than once"
		}
		if other := "</" + key[1:]; key[1] != '/' && seen[other] != n {
			return key + " is not closed"
		}
	}
	known := []string{"runner.md", "runner", "long.md"}
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029\x1c\x1d\x1e", r) }) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "<!-- "); ok && !slices.Contains(known, filepath.Base(strings.TrimSuffix(path, " -->"))) {
			return "a comment of its own: " + line
		}
	}
	return ""
}
