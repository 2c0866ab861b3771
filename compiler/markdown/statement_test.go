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

		// Orders in other languages.
		"- Öffnen Sie die Lade.":                    false,
		"- Öffne die Lade mit dem Schlüssel.":       false,
		"- Bei rotem Licht die Taste lange halten.": false,
		"- Wenn die Lampe rot ist, öffne die Lade.": false,
		"- Ouvrez le tiroir avec la clé.":           false,
		"- Ouvrir le tiroir avec la clé.":           false,
		"- Ne coupez pas le rouleau.":               false,
		"- Abra el cajón con la llave.":             false,
		"- No abra la caja durante el recuento.":    false,
		"- Abra a gaveta com a chave.":              false,
		"- Clique em Guardar para terminar.":        false,
		"- Откройте ящик ключом.":                   false,
		"- 引き出しを開けてください。":                           false,
		"- 请打开抽屉。":                                  false,

		// Orders by what follows their verb, by their neighbours and by what introduces them.
		"- Frobnicate the drawer every night":                                            false,
		"- For local travel choose the voucher.":                                         false,
		"- Count the notes.\n- Lock the drawer.\n- Lights out at night":                  false,
		"Include the following:\n\n- Photo: a headshot that is new\n- Tills and drawers": false,
		"- Instead of pulling the drawer, press the key.":                                false,
		"- **Related:** [Keys - new](k.md), [Drawers](d.md).":                            false,
		"- Drawer: Open it with the key.":                                                false,

		// Names, fragments, examples and what only points somewhere.
		"- src/\n  - pages\n  - assets":            false,
		"- src/":                                   false,
		"- …":                                      false,
		"- 404.md":                                 false,
		"- 新着":                                     false,
		"- Formats: wiki/entities/":                false,
		"- GitHub: https://github.com/o/r":         false,
		"- Related: [Drawers](drawers.md)":         false,
		"- Example: the drawer is open":            false,
		"- “The drawer is open again”":             false,
		"- src\n  - pages\n    - index.md a page":  false,
		"- What the drawer is made of":             false,
		"- Whether the drawer would be better":     false,
		"- A clerk who is no longer there":         false,
		"- Tills (which are of steel)":             false,
		"- Privacy Act of 1974":                    false,
		"- OWASP Top 10":                           false,
		"- Opening the drawer every 2 days":        false,
		"There are two finishes:\n\n- Matte black": false,

		// Orders after a label, an adverb or a few words, aims, and what another page has.
		"- Monthly count. Ask the clerk for a date.":                     false,
		"- Ideally, also test the lamp.":                                 false,
		"- If the town, the state or both are new, make a note.":         false,
		"- For tips on the drawer check out the guide of the shop.":      false,
		"- For keys, coins and notes of the drawer, see Counting.":       false,
		"- One by one, count the notes":                                  false,
		"- To help clerks with the count every night.":                   false,
		"- [Tills](tills.md): a guide for clerks":                        false,
		"- [Tills](http://a.example), [keys](http://b.example), ":        false,
		"```md\n- milk\n```\n\n- milk":                                   false,
		"- ...unless the drawer is open":                                 false,
		"- :lamp:{ .red } `--lamp-red`":                                  false,
		"Check that the clerk knows:\n\n- Their first All Hands meeting": false,
		"## Example of a count\n\n- The drawer holds 20 notes.":          false,

		// Statements that look like them.
		"- Default: `true`":                                       true,
		"- `open` opens the drawer":                               true,
		"- `open` --- Opens the drawer":                           true,
		"- Monthly count. It is done by two clerks.":              true,
		"- To open the drawer, you can use either key.":           true,
		"- [Tills](tills.md): the clerk counts it, which is slow": true,
		"- [Tills](tills.md) are counted at night.":               true,
		"1. Some tills use keys, and open the drawer.":            true,

		// Statements.
		"- The drawer is counted at closing.":                  true,
		"- Log files are kept for a week":                      true,
		"- Use of force is forbidden":                          true,
		"- Descale it monthly, says the law.":                  true,
		"- It limits the lower edge of the mussel band":        true,
		"- The status page shows outages":                      true,
		"- Capacity 1.0 litre":                                 true,
		"- Warranty: two years for the body":                   true,
		"- steel":                                              true,
		"- Die Lade wird am Abend gezählt.":                    true,
		"- Die Lampen leuchten.":                               true,
		"- Der Drucker startet neu.":                           true,
		"- Le tiroir est compté chaque soir.":                  true,
		"- El cajón se cuenta cada noche.":                     true,
		"- A gaveta é contada à noite.":                        true,
		"- What packgen knows of the run is in a file.":        true,
		"- PR - Pull Request. When a clerk asks for a change.": true,
		"- Cooking. It is forbidden.":                          true,
		"- The clerk needs to sign":                            true,
		"- Opening the drawer takes two keys.":                 true,
		"- The drawer is red when it is open":                  true,
		"- レジは閉店時に数える。":                                        true,
		"The kettle is sold in:\n\n- Matte black\n":            true,
		"- Finishes:\n  - Matte black\n":                       true,
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
