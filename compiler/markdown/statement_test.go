package markdown

import (
	"strings"
	"testing"
)

// Which list items need a source: statements alone.
func TestOnlyStatementsNeedASource(t *testing.T) {
	for text, want := range map[string]bool{
		// Steps, in whatever language, with what is below them.
		"1. Log the cashier out.\n2. Count notes, then coins.":          false,
		"1. Öffne die Lade.\n2. Zähle die Scheine.":                     false,
		"1) Open the printer:\n\n   - The roll is on the left.\n":       false,
		"1. Restart the till\n2. The lamp is green now.":                false,
		"1. The drawer is counted at closing.\n2. Two people count it.": true,
		"1. The till restarts by itself.":                               true,

		// Orders.
		"- Hold the side key for ten seconds.":             false,
		"- If the lamp is red, hold the side key.":         false,
		"- To restart, hold the side key.":                 false,
		"- Never open the printer with a knife.":           false,
		"- Do not cut the roll.":                           false,
		"- Please then **check** that the lamp is on.":     false,
		"- Make sure that the lamp is on.":                 false,
		"- Step 2: Open the lid.":                          false,
		"- For banking details, add the bank. It is asked": false,

		// Questions, commands, names, links of a template language, what introduces others.
		"- Who is on call?":                               false,
		"- `make build -j 2`":                             false,
		"- Paper and ink":                                 false,
		"- Diagnosis":                                     false,
		"- [Help]({% page \"/help\" %})":                  false,
		"- {% slack_channel \"help\" %}":                  false,
		"- Take it to the office:\n\n  ```sh\n  x\n  ```": false,

		// Statements.
		"- The drawer is counted at closing.":           true,
		"- Log files are kept for a week":               true,
		"- Use of force is forbidden":                   true,
		"- Descale it monthly, says the law.":           true,
		"- It limits the lower edge of the mussel band": true,
		"- The status page shows outages":               true,
		"- Capacity 1.0 litre":                          true,
		"- Warranty: two years for the body":            true,
		"- steel":                                       true,
		"- Die Lade wird am Abend gezählt.":             true,
		"- レジは閉店時に数える。":                                 true,
		"The kettle is sold in:\n\n- Matte black\n":     true,
		"- Finishes:\n  - Matte black\n":                true,
	} {
		doc := Parse("documents/a.md", []byte(text+"\n"))
		got := false
		for _, u := range doc.Units {
			got = got || u.Statement
		}
		if got != want {
			t.Errorf("%q: statement %v, want %v", text, got, want)
		}
	}
}

// An item of any length is looked at once.
func TestStatementsOfAnyLength(t *testing.T) {
	doc := Parse("documents/a.md", []byte("- "+strings.Repeat("to, ", 100_000)+"\n- "+strings.Repeat("step ", 100_000)+"\n"))
	if len(doc.Units) != 2 {
		t.Errorf("%d units", len(doc.Units))
	}
}
