package secret

import "testing"

// A token whose letters are escapes is one for who reads the value.
func TestEscapedTokensAreFound(t *testing.T) {
	const token = "KIAQYLPMN5HHZ3KX2WT"
	for _, text := range []string{
		`description: "key \u0041` + token + ` ok."`, `description: "key \x41` + token + ` ok."`, `description: "key \U00000041` + token + ` ok."`,
		`{"a": "\u0041\u004b\u0049` + token[2:] + `"}`, "a: \"\\x41KIA\\\n  " + token[3:] + "\"",
	} {
		hits := Find([]byte(text))
		if !HasKnown(hits) {
			t.Errorf("%s: %+v", text, hits)
			continue
		}
		if h := hits[0]; text[h.Start] != '\\' || h.End > len(text) {
			t.Errorf("%s: found at %q", text, text[h.Start:h.End])
		}
	}
	for _, text := range []string{
		"a: \"A" + token[:9] + "\\\n  " + token[9:] + "\"", "a: \"A" + token[:9] + "\\\r\n\t" + token[9:] + "\"", "a: \"A" + token[:9] + "\\\n  \\\n  " + token[9:] + "\"",
		`"\tA` + token + `"`, `"x\_A` + token + `"`, `"\"A` + token + `\""`,
		`"A` + token[:9] + `\e` + token[9:] + `"`, `"A` + token[:9] + `\0` + token[9:] + `"`,
	} {
		if hits := Find([]byte(text)); !HasKnown(hits) || text[hits[0].Start] != 'A' || hits[0].End <= len(text)-2 && text[hits[0].End-1] != 'T' {
			t.Errorf("%q: %+v", text, hits)
		}
	}
	for _, text := range []string{`"\x41\x42 and \u0041"`, `C:\xampp\users\Ucode`, `\x`, `\u00`, `\U0001`} {
		if hits := Find([]byte(text)); len(hits) > 0 {
			t.Errorf("%s: %+v", text, hits)
		}
	}
}
