package relink

import (
	"strings"
	"testing"
)

// upTo gives the lines of a text from one to another.
func upTo(from, next int) (list []int) {
	for n := from; n < next; n++ {
		list = append(list, n)
	}
	return list
}

// Moved lines lead where they led, and refer to what they referred to.
func TestMovedLinesLeadWhereTheyLed(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"# P", // 0
		"[train](#release-train) [h] [other](#other)", // 1
		"",                 // 2
		"## Release train", // 3
		"[a](docs/a.md#x) ![i](<docs/i i.png>) [b][B]",                                     // 4
		"[^n] [out](../out.md) [s](./src/) `[h](docs/a.md)` [gone](docs/gone.md)",          // 5
		`<a href="docs/a.md">x</a> [own](#release-train) [top](#p) [who](CLAUDE.md#other)`, // 6
		"[web](https://example.org/docs/a.md) [m](mailto:a@b.c) [abs](/docs/a.md) [q](?x)", // 7
		"## Other", // 8
		"text [a\\_b](docs/a\\_b.md) [amp](docs/a&amp;b.md)", // 9
		"",                         // 10
		"[^n]: The note [b]",       // 11
		"    [here](docs/here.md)", // 12
		"",                         // 13
		`[b]: docs/b.md "T"`,       // 14
		"[h]: https://example.org", // 15
		"[unused]: docs/unused.md", // 16
	}, "\n")
	rule := ".claude/skills/release/SKILL.md"
	home := func(line int) string {
		if line >= 3 && line < 8 {
			return rule
		}
		return "CLAUDE.md"
	}
	for name, newline := range map[string]string{"lf": "\n", "crlf": "\r\n", "bom": "\n"} {
		given := strings.ReplaceAll(text, "\n", newline)
		if name == "bom" {
			given = "\ufeff" + given
		}
		file := Of("CLAUDE.md", given)
		part, needed := file.Part(rule, upTo(3, 8), home)
		want := strings.Join([]string{
			"## Release train",
			"[a](../../../docs/a.md#x) ![i](<../../../docs/i%20i.png>) [b][B]",
			"[^n] [out](../../../../out.md) [s](../../../src/) `[h](docs/a.md)` [gone](../../../docs/gone.md)",
			`<a href="../../../docs/a.md">x</a> [own](#release-train) [top](../../../CLAUDE.md#p) [who](../../../CLAUDE.md#other)`,
			"[web](https://example.org/docs/a.md) [m](mailto:a@b.c) [abs](/docs/a.md) [q](?x)",
		}, newline)
		if got := strings.TrimSuffix(strings.Join(part, "\n"), "\r"); got != want {
			t.Errorf("%s: the part is\n%q, want\n%q", name, got, want)
		}
		want = "[^n]: The note [b]\n    [here](../../../docs/here.md)\n[b]: ../../../docs/b.md \"T\"\n[h]: https://example.org"
		if got := strings.Join(needed, "\n"); got != want {
			t.Errorf("%s: it needs\n%q, want\n%q", name, got, want)
		}
		part, needed = file.Part("CLAUDE.md", append(upTo(0, 3), upTo(8, 11)...), home)
		want = "# P\n[train](" + rule + "#release-train) [h] [other](#other)\n\n## Other\ntext [a\\_b](docs/a\\_b.md) [amp](docs/a&amp;b.md)\n"
		if got := strings.TrimPrefix(strings.ReplaceAll(strings.Join(part, "\n"), "\r", ""), "\ufeff"); got != want {
			t.Errorf("%s: the rest is\n%q, want\n%q", name, got, want)
		}
		if got := strings.Join(needed, "\n"); got != "[h]: https://example.org" {
			t.Errorf("%s: the rest needs %q", name, got)
		}
		part, _ = file.Part("other/x.md", []int{9}, home)
		if got := strings.TrimSuffix(part[0], "\r"); got != "text [a\\_b](../docs/a_b.md) [amp](../docs/a&b.md)" {
			t.Errorf("%s: escapes give %q", name, got)
		}
	}
}

func TestATextOfOtherLinesIsNotRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\rb\n", "\xff\n", "a\x00"} {
		if Of("CLAUDE.md", text) != nil {
			t.Errorf("%q is read", text)
		}
	}
}

func TestTextsThatDifferInLinksAreTheSame(t *testing.T) {
	t.Parallel()
	a := "x [a](b.md) <img src=\"c.png\">\n\n[d]: e.md\n"
	if !Same(a, "x [a](../b.md) <img src=\"../c.png\">\n\n[d]: ../e.md\n") || Same(a, "y [a](b.md) <img src=\"c.png\">\n\n[d]: e.md\n") {
		t.Error("two texts with other links are not the same, or two texts are")
	}
}
