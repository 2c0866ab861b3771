package prose

import (
	"strings"
	"testing"
)

func TestAReaderSeesNoComments(t *testing.T) {
	for text, want := range map[string]string{
		"one\n":                              "one\n",
		"one <!-- a --> two\n":               "one two\n",
		"one\n<!-- a\nb -->\ntwo\n":          "one\ntwo\n",
		"one %% a %% two\n":                  "one two\n",
		"one\n\n<!-- a -->\n\ntwo\n":         "one\n\ntwo\n",
		"%%\na\n%%\ntwo\n":                   "two\n",
		"`<!-- a -->` and `%% b %%`\n":       "`<!-- a -->` and `%% b %%`\n",
		"```\n<!-- a -->\n%% b %%\n```\n":    "```\n<!-- a -->\n%% b %%\n```\n",
		"<!-- %% --> one %% <!-- %% two\n":   " one two\n",
		"one\n<!-- never closed\ntwo\n":      "one\n",
		"100 %% of it\n":                     "100 %% of it\n",
		"---\nk: \"%% v %%\"\n---\n%%x%%\ny": "---\nk: \"%% v %%\"\n---\ny",
		"<!-- a --><!-- b -->\none\n":        "one\n",
	} {
		if got := string(WithoutComments([]byte(text))); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	long := strings.Repeat("%% a <!-- b\n", 20000)
	WithoutComments([]byte(long))
}
