package markdown

import (
	"slices"
	"testing"
)

func TestDefinitionsAreOfLinksAndFootnotes(t *testing.T) {
	t.Parallel()
	text := "see [x][B] and [^n]\n\n" +
		"- item\n\n  [c]: d\n\n> [q]: z\n\nabc\n[no]: yes\n\n" +
		"[^N]: The note\n    goes on [b].\n\n    more\n\nafter\n\n" +
		"[b  \t B]: docs/a.md \"T\"\n[h]:\n  <https://example.org>\n  'x'\n\n[H]: second\n\n```\n[code]: x\n```\n\n[^last]: end\n"
	d := Parse("x.md", []byte(text))
	var got []string
	for _, def := range d.Definitions() {
		got = append(got, def.Label, text[def.Start:def.End])
	}
	want := []string{
		"c", "[c]: d", "q", "[q]: z", "^n", "[^N]: The note\n    goes on [b].\n\n    more",
		"b b", "[b  \t B]: docs/a.md \"T\"", "h", "[h]:\n  <https://example.org>\n  'x'", "^last", "[^last]: end",
	}
	if !slices.Equal(got, want) {
		t.Errorf("definitions are\n%q, want\n%q", got, want)
	}
}
