package templates

import (
	"html"
	"strings"
	"testing"
)

func TestEscapedTextMeansItself(t *testing.T) {
	const text = `a <b class="x">&amp; 'c'</b>` + "\x00\t\u00e9"
	const want = `a &lt;b class="x"&gt;&amp;amp; 'c'&lt;/b&gt;` + "\ufffd\t\u00e9"
	if got := string(AppendText([]byte("> "), text)); got != "> "+want {
		t.Errorf("text between tags: %q, want %q", got, want)
	}
	if got := string(AppendText(nil, []byte(text))); got != want {
		t.Errorf("bytes between tags: %q, want %q", got, want)
	}
	quoted := string(appendEscaped(nil, text, true))
	if strings.ContainsAny(quoted, `"'<>`) || html.UnescapeString(quoted) != strings.ReplaceAll(text, "\x00", "\ufffd") {
		t.Errorf("text between quotes: %q", quoted)
	}
}

func TestValuesWithoutQuotes(t *testing.T) {
	for value, want := range map[string]bool{
		"a-b.c_d#9": true, "../x/y.html": true, "x/": false, "": false, "a b": false, "a=b": false, "a\"": false, "\u00e9": false,
	} {
		if got := needsNoQuotes(value); got != want {
			t.Errorf("%q needs no quotes: %v, want %v", value, got, want)
		}
	}
}
