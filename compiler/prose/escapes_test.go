package prose

import (
	"strings"
	"testing"
)

func TestEscapesAreDecodedAsAReaderOfTheFormatSeesThem(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`a\x41b`, "aAb"}, {`\u00e9t\u00E9`, "été"}, {`\U0001F600`, "😀"}, {`\uD83D\uDE00`, "😀"},
		{"one \\\n   two", "one two"}, {"one \\\r\n\ttwo", "one two"},
		{`a\nb\rc\Nd\Le\Pf\vg\fh`, "a\nb\nc\nd\ne\nf\ng\nh"}, {`a\tb\ c\_d` + "\\\te", "a b c d e"},
		{`a\/b\"c\\d`, `a/b"c\d`}, {`a\0b\ac\bd\ee`, "abcde"},
		{`\\u0041`, `\u0041`}, {`\uD83D\u0041`, `\uD83DA`},
	} {
		got := Unescape([]byte(tt.text))
		if got == nil || string(got.Text) != tt.want {
			t.Errorf("%q: got %v, want %q", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{"", "plain", `\`, `a\q`, `\x4`, `\xgg`, `\u12`, `\uD83D`, `\uD83Dxx`, `\uDE00\uD83D`, `\U00110000`} {
		if got := Unescape([]byte(text)); got != nil {
			t.Errorf("%q has no escape, got %q", text, got.Text)
		}
	}
}

func TestARangeOfDecodedTextKnowsItsPlace(t *testing.T) {
	text := `say \x68\u0069 to \U0001F600!`
	w := Unescape([]byte(text))
	for part, want := range map[string]string{
		"say":  "say",
		"h":    `\x68`,
		"hi":   `\x68\u0069`,
		"to 😀": `to \U0001F600`,
		"!":    "!",
	} {
		at := strings.Index(string(w.Text), part)
		from, to := w.Original(at, at+len(part))
		if text[from:to] != want {
			t.Errorf("%q stands for %q, want %q", part, text[from:to], want)
		}
	}
	if from, to := w.Original(5, 5); from != to {
		t.Errorf("an empty range stands for %d to %d", from, to)
	}
}

func TestFrontMatterEndsAtItsClosingLine(t *testing.T) {
	for text, want := range map[string]int{
		"":                      0,
		"# Title\n":             0,
		"---\na: 1\n---\nText":  13,
		"---\na: 1\n---":        12,
		"---\na: 1\n":           0,
		" ---\na: 1\n---\nText": 0,
	} {
		if got := FrontMatterEnd([]byte(text)); got != want {
			t.Errorf("%q: the front matter ends at %d, want %d", text, got, want)
		}
	}
}

func TestATextEndsInAWord(t *testing.T) {
	for text, want := range map[string]bool{"word": true, "7": true, "a_": true, "été": true, "end.": false, "a ": false, "请": false, "“": false} {
		if got := EndsInWord([]byte(text)); got != want {
			t.Errorf("%q ends in a word: %v", text, got)
		}
	}
}

func TestEveryQuotationMarkHasItsClosingOne(t *testing.T) {
	for text, want := range map[string]string{
		`he said "X" to`:   "quoted",
		"he said “X” to":   "quoted",
		"he said ‘X’ to":   "quoted",
		"er sagt „X“ zu":   "quoted",
		"il dit «X» à":     "quoted",
		"彼は「X」と":           "quoted",
		"彼は『X』と":           "quoted",
		"he said ”X“ to":   "",
		"the 5' X 6' pole": "",
	} {
		at := strings.Index(text, "X")
		got := ""
		if ReadQuoting([]byte(text)).Quoted(at, at+1) {
			got = "quoted"
		}
		if got != want {
			t.Errorf("%s: X is %q, want %q", text, got, want)
		}
	}
}
