package invisible

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWhatNobodySeesIsRemoved(t *testing.T) {
	for name, tt := range map[string]struct {
		text, want string
		removed    int
	}{
		"nothing":                {"Descale it.\n\tTwice.\r\n", "Descale it.\n\tTwice.\r\n", 0},
		"tags":                   {"tea\U000E0049\U000E0067\U000E006E\U000E007F!", "tea!", 4},
		"a tag alone":            {"\U000E0001x", "x", 1},
		"zero width in a word":   {"ig\u200bnore", "ignore", 1},
		"zero width at its edge": {"call \u200b\u200b1-800", "call 1-800", 2},
		"joiners in Latin":       {"ig\u200dno\u200cre", "ignore", 2},
		"a byte-order mark":      {"a\ufeffb", "ab", 1},
		"word joiner":            {"a\u2060b\u2064c", "abc", 2},
		"overrides":              {"safe \u202etxet\u202c", "safe txet", 2},
		"embeddings":             {"\u202aa\u202b \u202cb\u202d", "a b", 4},
		"overrides in Arabic":    {"سلام \u202eعليكم\u202c", "سلام عليكم", 2},
		"marks without need":     {"a\u200eb\u2066c\u2069", "abc", 3},
		"given up":               {"a\u206ab\u206f", "ab", 2},
		"annotations":            {"a\ufff9b\ufffac\ufffb", "abc", 3},
		"bytes in selectors":     {"😀\ufe00\ufe01\U000E0120\U000E0130", "😀\ufe00", 3},
		"selectors after Latin":  {"a\U000E0100\U000E0101\U000E0102", "a", 3},
		"a selector of a blank":  {"a \ufe0f", "a ", 1},
		"fillers":                {"a\u3164\u3164b\uffa0", "ab", 3},
		"a terminal's sequence":  {"a\x1b[2Jb\x08\x7f\u009bc", "a[2Jbc", 4},
		"NUL":                    {"a\x00b", "ab", 1},
		"white space":            {"a\vb\fc\u0085d\u2028e\x1cf", "a\vb\fc\u0085d\u2028e\x1cf", 0},
		"an escaped tag's end":   {"</know\u200bledge\u00ad_pack>", "</knowledge\u00ad_pack>", 1},
		"not UTF-8":              {"a\xffb\xed\xa0\x80c\xe2\x80", "a\xffb\xed\xa0\x80c\xe2\x80", 0},
		"not UTF-8 with a tag":   {"a\xff\U000E0041b", "a\xff b", 1},
		"halves of a tag":        {"\xf3\xa0\x00\x81\xbf", "\xf3\xa0 \x81\xbf", 1},

		"a family":              {"👩\u200d👩\u200d👧 \U0001F3F4\u200d☠\ufe0f", "👩\u200d👩\u200d👧 \U0001F3F4\u200d☠\ufe0f", 0},
		"a heart on fire":       {"❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "❤\ufe0f\u200d🔥 1\ufe0f\u20e3", 0},
		"a flag of tags":        {"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", 0},
		"Persian":               {"می\u200cخواهم", "می\u200cخواهم", 0},
		"Hindi":                 {"क्\u200dष", "क्\u200dष", 0},
		"Thai":                  {"ภาษา\u200bไทย", "ภาษา\u200bไทย", 0},
		"Hebrew with marks":     {"שלום\u200f (tea\u200e)", "שלום\u200f (tea\u200e)", 0},
		"a form of a character": {"葛\U000E0100城", "葛\U000E0100城", 0},
		"old Korean":            {"\u115fᅡ", "\u115fᅡ", 0},
		"soft hyphens":          {"Zu\u00adcker", "Zu\u00adcker", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, removed := Remove(tt.text)
			if got != tt.want || removed != tt.removed {
				t.Errorf("Remove(%+q) = %+q, %d; want %+q, %d", tt.text, got, removed, tt.want, tt.removed)
			}
			if again, more := Remove(got); again != got || more != 0 {
				t.Errorf("a second time: %+q", again)
			}
		})
	}
}

func TestStraysAreToldFromMessages(t *testing.T) {
	for text, stray := range map[string]bool{
		"call \u200b1-800": true, "// \ufe0f\ufe0f\ufe0fAssert": true, "x \u200b\u200b\u200b\u200b y": false, "ig\u200bnore": false,
		"x \U000E0041 y": false, "x \u202e y": false, "😀\ufe00\ufe01\ufe02": false,
	} {
		if runs := Find([]byte(text)); len(runs) != 1 || runs[0].Stray != stray {
			t.Errorf("%+q: %+v", text, runs)
		}
	}
}

func TestLineIsOneLine(t *testing.T) {
	if got := Line("a\n\u2028b\x1b\tc\U000E0041\r\n"); got != "a  b c  " {
		t.Errorf("%q", got)
	}
}

// Nothing but unseen and control characters is removed, nothing is added, and there
// is nothing to remove from what is left.
func FuzzRemove(f *testing.F) {
	for _, s := range []string{"", "tea", "a\u200bb\U000E0041", "👩\u200d👧", "\U0001F3F4\U000E0067\U000E007F", "\xff\xf3\xa0", "שלום\u200f\u202e", "\ufe0f\ufe0f", "a\x1b", "\x00\ufe0f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, removed := Remove(text)
		if (removed == 0) != (clean == text) {
			t.Errorf("%d removed of %+q: %+q", removed, text, clean)
		}
		if got, want := seen(clean), seen(text); utf8.ValidString(text) && got != want {
			t.Errorf("%+q became %+q", text, clean)
		}
		if utf8.ValidString(text) && utf8.RuneCountInString(text)-utf8.RuneCountInString(clean) != removed {
			t.Errorf("%+q became %+q with %d removed", text, clean, removed)
		}
		if again, more := Remove(clean); more != 0 {
			t.Errorf("%+q became %+q, and that %+q", text, clean, again)
		}
	})
}

// seen returns what a text has beside unseen and control characters.
func seen(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if !isUnseen(c) && !isControl(c) {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}
