package frontmatter

import (
	"strings"
	"testing"
)

func TestPagesThatTheirAuthorsHoldBack(t *testing.T) {
	long := strings.Repeat("x", 3000)
	for text, want := range map[string]bool{
		"---\ndraft: true\n---\n# A\n":                      true,
		"---\ntitle: A\ndraft:  True # for now\n---\n":      true,
		"\xEF\xBB\xBF---\r\ndraft: true\r\n---\r\n":         true,
		"---\npublished: false\n---\n":                      true,
		"---\npublish: false\n---\n":                        true,
		"---\ntitle: a: b: {\ndraft: true\n---\n":           true, // not YAML
		"+++\ntitle = \"A\"\ndraft = true\n+++\n":           true,
		"---\nlong: " + long + "\ndraft: true\n---\n":       true,
		"---\ndraft: " + long + "\n---\n":                   false,
		"---\ndraft: false\n---\n":                          false,
		"---\ndraft: true\n":                                true, // not closed
		"---\ndraft: true\n\n# A\n":                         true,
		"---\n\ndraft: true\n":                              false, // a rule, and text
		"+++\ndraft = true\n\n# A\n":                        true,
		"---\nhead:\n  draft: true\n---\n":                  false,
		"---\ntitle: A\n---\ndraft: true\n":                 false,
		"+++\n[params]\ndraft = true\n+++\n":                false,
		"# A\n\ndraft: true\n":                              false,
		"---\ndraft: \"true\"\n---\n":                       true,
		"---\nDraft: TRUE\n---\n":                           true,
		"---\n\"draft\" : yes\n---\n":                       true,
		"---\ndraft: 'on' # until May\n---\n":               true,
		"---\ndraft: 1\n---\n":                              true,
		"---\ndraft: no\n---\n":                             false,
		"---\npublished: \"False\"\n---\n":                  true,
		"---\npublish: off\n---\n":                          true,
		"---\nPublish: NO\n---\n":                           true,
		"---\npublish: yes\n---\n":                          false,
		"---\npublished: 2024-01-01\n---\n":                 false,
		"---\npublished: 2024-01-01\nstatus: draft\n---\n":  true,
		"---\nstatus: WIP\n---\n":                           true,
		"---\nstatus: Work in progress\n---\n":              true,
		"---\nstatus: Draft - review in May\n---\n":         true,
		"---\nstatus: [draft, ops]\n---\n":                  true,
		"---\nstatus:\n  - Draft\n---\n":                    true,
		"---\nstatus: accepted\n---\n":                      false,
		"---\nstatus: final draft\n---\n":                   true,
		"---\nstatus: in-progress\n---\n":                   false, // of a project
		"---\ntags:\n  - draft\n---\n":                      false,
		"---\n  title: A\n  draft: true\n---\n":             true, // all keys are indented
		"---\ntext: |\n  a\n  draft: true\n---\n":           false,
		"---\n{title: A, Draft: true}\n---\n":               true,
		"---\n{\"draft\": false}\n---\n":                    false,
		"---\rdraft: true\r---\r":                           true,
		"+++\nDraft = 'true'\n+++\n":                        true,
		"---\n# Notes\n\ndraft stands here.\n\n---\nmore\n": false,
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
