package hook

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What people type has other forms of the words: by default they hit, from the first
// prompt on, which still reads the index as text, as from the prebuilt one.
func TestByDefaultTheFormsOfAWordHit(t *testing.T) {
	entries := []string{
		entry("database-migration", "domain", "How the schema of the database is changed", ".claude/rules/m.md", `"migration","schema","database"`),
		entry("release", "domain", "Cutting and tagging a version", ".claude/rules/r.md", `"release","version","tag","changelog"`),
	}
	for i := range 30 {
		entries = append(entries, entry(fmt.Sprintf("other-%d", i), "domain", "What else there is", ".claude/rules/o.md", fmt.Sprintf(`"word%d"`, i)))
	}
	root, user := t.TempDir(), t.TempDir()
	put(t, "", root, "packgen.yaml")
	put(t, indexOf(entries...), root, ".claude", "rules", "index.json")
	for prompt, want := range map[string]string{
		"run migrations on both databases":    "database-migration",
		"we are releasing, tag it":            "release",
		"what else is there for me to do now": "",
	} {
		for _, turn := range []string{"first", "second"} {
			for matcher, answers := range map[string]bool{"": true, "recall": false, "no such": true} {
				var out bytes.Buffer
				Run(Options{
					Home: user, Matcher: matcher, TimeLimit: 20 * time.Second, Stdin: strings.NewReader(at(root, prompt)), Stdout: &out,
					Lookup: func(string) (string, bool) { return "", false },
				})
				text := ""
				if out.Len() > 0 {
					text = contextOf(t, out.String())
				}
				if got := strings.Contains(text, "- "+want+" — "); got != (answers && want != "") || want == "" && text != "" {
					t.Errorf("%q, the %s time, by %q: %q", prompt, turn, matcher, text)
				}
			}
		}
	}
}
