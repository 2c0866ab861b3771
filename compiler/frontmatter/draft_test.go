package frontmatter

import (
	"strings"
	"testing"
)

func TestPagesThatTheirAuthorsHoldBack(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for text, want := range map[string]bool{
		"---\ndraft: true\n---\n# A\n":                     true,
		"---\ntitle: A\ndraft:  True # for now\n---\n":     true,
		"\xEF\xBB\xBF---\r\ndraft: true\r\n---\r\n":        true,
		"---\npublished: false\n---\n":                     true,
		"---\npublish: false\n---\n":                       true,
		"---\ntitle: a: b: {\ndraft: true\n---\n":          true, // not YAML
		"+++\ntitle = \"A\"\ndraft = true\n+++\n":          true,
		"---\nlong: " + long + "\ndraft: true\n---\n":      true,
		"---\ndraft: " + long + "\n---\n":                  false,
		"---\ndraft: false\n---\n":                         false,
		"---\ndraft: true\n":                               false, // not closed: text
		"---\nhead:\n  draft: true\n---\n":                 false,
		"---\ntitle: A\n---\ndraft: true\n":                false,
		"+++\n[params]\ndraft = true\n+++\n":               false,
		"# A\n\ndraft: true\n":                             false,
		"---\ndraft: \"true\"\n---\n":                      false,
		"---\npublished: 2024-01-01\nstatus: draft\n---\n": false,
		"": false, "---": false, "---\n---\n": false, "+++": false,
	} {
		if got := IsDraft(strings.NewReader(text)); got != want {
			t.Errorf("%.60q is a draft: %t, want %t", text, got, want)
		}
	}
	if IsDraft(strings.NewReader("---\n" + strings.Repeat("a: b\n", MaxPageBytes/5) + "draft: true\n---\n")) {
		t.Error("a block above the limit is read")
	}
}
