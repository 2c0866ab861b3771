package javascript

import (
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/token"
)

func TestCutEndsBetweenCharacters(t *testing.T) {
	for _, c := range []struct {
		text  string
		units int
		want  string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"", 5, ""},
		{"a😀b", 2, "a"}, {"a😀b", 3, "a😀"}, {"ééé", 2, "éé"},
	} {
		if got := Cut(c.text, c.units); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.text, c.units, got, c.want)
		}
	}
}

func TestLineHoldsNothingThatSteers(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "a\nb\r\nc": "a b  c", "x\x1b[31m": "x [31m", "a\u2028b\u0085c": "a b c",
		"a\u202eb": "a b", "a\u200bb": "ab", "caf\xc3": "caf ", "é 😀 →": "é 😀 →",
		"tea\U000E0049\U000E0067": "tea", "👩\u200d👧": "👩\u200d👧", "می\u200cخواهم": "می\u200cخواهم", "a\u200db": "ab", "😀\ufe00\ufe01\U000E0120": "😀\ufe00",
	} {
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCodeFences(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string // + inside, - outside
	}{
		{[]string{"a", "```go", "b", "```", "c"}, "-+++-"},
		{[]string{"```not`fence", "a"}, "--"},
		{[]string{"````md", "```", "b", "````", "c"}, "++++-"},
		{[]string{"~~~", "```", "~~~", "a"}, "+++-"},
		{[]string{"   ```", "a", "    ```", "```", "b"}, "++++-"},
	} {
		var fence codeFence
		got := ""
		for _, line := range c.lines {
			if fence.Inside(line) {
				got += "+"
			} else {
				got += "-"
			}
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got, c.want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("a summary 😀", 5)
	f.Fuzz(func(t *testing.T, text string, units int) {
		if !utf8.ValidString(text) || units > 1000 {
			return
		}
		got := Shorten(text, units)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		if n := token.Units(got); n > max(units, 0) {
			t.Fatalf("%d units, at most %d", n, units)
		}
	})
}
