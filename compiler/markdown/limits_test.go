package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// Each text is far beyond a limit; a parser without it would need minutes or
// gigabytes for most of them, so that the test binary would time out.
func TestHostileTextStaysTextAndIsReported(t *testing.T) {
	repeat := strings.Repeat
	for _, tt := range []struct {
		name, text string
		line       int
	}{
		{"one line of 10 MB", repeat("a b ", 2_500_000), 1},
		{"one heading of 10 MB", "# " + repeat("a", 10_000_000), 1},
		{"nested quotes", "x\n\n" + repeat(">", 10_000) + " a\n", 3},
		{"many lines of nested quotes", repeat(repeat("> ", 1000)+"a\n", 200), 1},
		{"nested lists", repeat("- ", 10_000) + "a\n", 1},
		{"open links", repeat("[a](", 500_000), 1},
		{"emphasis", repeat("*a_ ", 15_000), 1},
		{"table of many columns", "|" + repeat("a|", 20_000) + "\n|" + repeat("-|", 20_000) + "\n" + repeat("a\n", 20_000), 1},
		{"link definitions", repeat("[a]: b\n", 200_000), 1},
		{"headings", "# A\n\n" + repeat("## a\n\nB\n===\n\n", maxHeadings), 327681},
		{"a long item", "- " + repeat("[a] ", 100_000), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Parse("d.md", []byte(tt.text))
			if len(d.Diagnostics) == 0 {
				t.Fatal("no diagnostic")
			}
			for _, x := range d.Diagnostics {
				if x.ID != "markdown-limit" {
					t.Errorf("unexpected diagnostic %+v", x)
				}
			}
			if line := d.Diagnostics[0].Line; line != tt.line {
				t.Errorf("reported on line %d, want %d", line, tt.line)
			}
			checkDocument(t, d)
		})
	}
}

func TestLongTextIsKeptWhole(t *testing.T) {
	text := strings.Repeat("*word* [source: sources/a]\n", 4000)
	d := Parse("d.md", []byte("- "+text))
	if len(d.Units) != 1 || len(d.Anchors) != 0 {
		t.Fatalf("got %d units and %d anchors, want 1 and none", len(d.Units), len(d.Anchors))
	}
	if want := strings.TrimSpace(strings.ReplaceAll(text, "\n", " ")); d.Units[0].Text != want {
		t.Errorf("the plain text has %d bytes, want the %d written", len(d.Units[0].Text), len(want))
	}
}

func TestManyHeadingsOfOneName(t *testing.T) {
	const n = maxHeadings
	d := Parse("d.md", []byte(strings.Repeat("## A\n", n)))
	if len(d.Headings) != n {
		t.Fatalf("got %d headings, want %d", len(d.Headings), n)
	}
	if got, want := d.Headings[n-1].ID, fmt.Sprintf("a-%d", n-1); got != want {
		t.Errorf("last id = %q, want %q", got, want)
	}
}
