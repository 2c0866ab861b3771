package loadout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
)

// lintOf returns the codes that Lint finds, with the ids they are about.
func lintOf(t *testing.T, ix *loadout.Index) string {
	t.Helper()
	var found []string
	for _, issue := range loadout.Lint(ix, loadout.LintOptions{}) {
		if issue.Severity != loadout.SeverityWarning || issue.Hint == "" || issue.Message == "" {
			t.Errorf("issue %+v", issue)
		}
		found = append(found, issue.Code+" "+issue.EntryID.Text())
	}
	return strings.Join(found, "; ")
}

func TestLint(t *testing.T) {
	entry := func(id string, keywords ...string) loadout.Entry {
		return loadout.Entry{ID: id, Priority: "domain", Keywords: keywords, Summary: "s"}
	}
	many := strings.Fields(strings.Repeat("a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 ", 1))
	pattern := entry("pattern", "ok")
	pattern.Patterns = []string{"a_b", "ci_run"}
	broken := entry("broken", "okay")
	broken.Summary = "one\ntwo"
	core := entry("core", "CI", "CI")
	core.Priority = "core"
	for name, test := range map[string]struct {
		entries []loadout.Entry
		want    string
	}{
		"nothing to say":              {[]loadout.Entry{entry("fine", "ci", "release notes")}, ""},
		"upper case":                  {[]loadout.Entry{entry("x", "CI")}, "UNREACHABLE_KEYWORD x"},
		"punctuation":                 {[]loadout.Entry{entry("x", "c++", "node.js")}, "UNREACHABLE_KEYWORD x; UNREACHABLE_KEYWORD x"},
		"single letter":               {[]loadout.Entry{entry("x", "plan b")}, "UNREACHABLE_KEYWORD x"},
		"empty":                       {[]loadout.Entry{entry("x", "")}, "UNREACHABLE_KEYWORD x"},
		"pattern of single letters":   {[]loadout.Entry{pattern}, "UNREACHABLE_KEYWORD pattern"},
		"repeated":                    {[]loadout.Entry{entry("x", "ci", "ci", "run")}, "REPEATED_KEYWORD x"},
		"same keywords, other order":  {[]loadout.Entry{entry("x", "ci", "run"), entry("y", "run", "ci")}, "KEYWORD_OVERLAP y"},
		"line break in summary":       {[]loadout.Entry{broken}, "CONTROL_CHARACTER broken"},
		"eleven keywords are diluted": {[]loadout.Entry{entry("x", many...)}, "DILUTED_KEYWORDS x"},
		"core is not matched":         {[]loadout.Entry{core}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lintOf(t, &loadout.Index{Entries: test.entries}); got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestLintGenericWord(t *testing.T) {
	ix := &loadout.Index{}
	for i := range 40 {
		keywords := []string{fmt.Sprintf("word%d", i)}
		if i < 11 {
			keywords = append(keywords, "guide")
		}
		ix.Entries = append(ix.Entries, loadout.Entry{ID: fmt.Sprint("e", i), Priority: "domain", Keywords: keywords})
	}
	if got := strings.Count(lintOf(t, ix), loadout.LintGeneric); got != 11 {
		t.Errorf("%d entries are told, want 11", got)
	}
	ix.Entries[0].Keywords = ix.Entries[0].Keywords[:1]
	if got := lintOf(t, ix); got != "" {
		t.Errorf("ten entries share it: %s", got)
	}
}

func TestLintWithUnicodeTokenizer(t *testing.T) {
	ix := &loadout.Index{Entries: []loadout.Entry{{ID: "x", Priority: "domain", Keywords: []string{"\u6570\u636e\u5e93", "CI", "c++"}}}}
	ix.SetTokenizer(loadout.Unicode)
	if got := lintOf(t, ix); got != "UNREACHABLE_KEYWORD x" {
		t.Errorf("got %s", got)
	}
}
