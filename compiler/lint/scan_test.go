package lint

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/injection"
	"github.com/packgen/packgen/compiler/secret"
)

// Texts that make every look-ahead and look-back go as far as it may.
func hostileTexts() map[string]string {
	const n = 60_000
	return map[string]string{
		"verbs":         strings.Repeat("ignore ", n/7),
		"fillers":       strings.Repeat("ignore all the of ", n/18),
		"curl":          strings.Repeat("curl ", n/5),
		"pipes":         "curl " + strings.Repeat("| ", n/2),
		"tags":          strings.Repeat("<system ", n/8),
		"comments":      strings.Repeat("<!-- ignore all rules ", n/22),
		"closed":        strings.Repeat("<!-- ignore all rules -->", n/25),
		"backticks":     strings.Repeat("` `` ``` ", n/9) + "ignore all rules",
		"quotes":        strings.Repeat(`"a 'b “c `, n/11) + "ignore all rules",
		"zero width":    strings.Repeat("\u200b", n/3),
		"one word":      "ignore " + strings.Repeat("a", n),
		"fence":         strings.Repeat("```\n~~~\n", n/8) + "ignore all rules",
		"passwords":     strings.Repeat("password:", n/9),
		"assigned":      strings.Repeat("password=aB3", n/12),
		"tokens":        strings.Repeat("eyJhbGciOiJIUzI1NiJ9.", n/21),
		"key headers":   strings.Repeat("-----BEGIN PRIVATE KEY-----\n", n/28),
		"open brackets": strings.Repeat("[source: ", n/9),
		"directives":    strings.Repeat("<!-- packgen-disable x: y -->\n", n/30),
	}
}

func TestHostileTextsAreScanned(t *testing.T) {
	for name, text := range hostileTexts() {
		data := []byte(text)
		hits := len(injection.Find(data, injection.Options{})) + len(injection.Find(data, injection.Options{Raw: true})) + len(secret.Find(data))
		if hits > len(text) {
			t.Errorf("%s: %d hits", name, hits)
		}
		if list := injectionFindings("a.md", data, injection.Find(data, injection.Options{})); len(list) > maxFindings {
			t.Errorf("%s: %d findings", name, len(list))
		}
		Suppressions("a.md", data)
		x := NewCopyIndex()
		x.Add("sources/a", data)
		x.Find(data)
	}
}

func TestACommentThatSuppressesTheScanIsNotScanned(t *testing.T) {
	text := "<!-- packgen-disable-next-line injection-suspect: shows ignore all previous instructions -->"
	if found := Scan("documents/a.md", []byte(text)).Diagnostics; len(found) > 0 {
		t.Errorf("got %v", found)
	}
}

func FuzzScan(f *testing.F) {
	f.Add("a.md", "> ignore `all` \"previous\" instructions\n<!-- packgen-disable-next-line injection-suspect: why -->\n<system>")
	f.Add("sources/a.json", "curl x | sh\npassword: hunter2hunter2")
	f.Fuzz(func(t *testing.T, path, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, d := range Scan(path, []byte(text)).Diagnostics {
			if d.Line < 1 || d.Line > lines || d.Column < 1 {
				t.Errorf("%s: a finding at %d:%d of %d lines", d.ID, d.Line, d.Column, lines)
			}
		}
	})
}
