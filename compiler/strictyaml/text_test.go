package strictyaml

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// What Text writes is read as the same text, and stays plain where it can.
func TestTextIsReadAsItself(t *testing.T) {
	for text, want := range map[string]string{
		"tea-shop": "tea-shop", "docs/a.md": "docs/a.md", "123": `"123"`, "true": `"true"`, "null": `"null"`, "2026-01-01": `"2026-01-01"`, "": `""`, "---": `"---"`,
		"a: b": `"a: b"`, `say "no" \ #1`: `"say \"no\" \\ #1"`, "two\nlines": `"two\nlines"`, "<b>": `"<b>"`,
	} {
		got := Text(text)
		if got != want {
			t.Errorf("Text(%q) = %s, want %s", text, got, want)
		}
		var back any
		if err := yaml.Unmarshal([]byte(got), &back); err != nil || back != any(text) {
			t.Errorf("%s is read as %v, %v", got, back, err)
		}
	}
}
