package exchange

import (
	"regexp"
	"strings"
	"testing"
)

// A pack of any name becomes a skill with a name that agents take.
func TestNamesOfSkills(t *testing.T) {
	t.Parallel()
	valid := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for name, want := range map[string]string{
		"kettle": "kettle", "Kettle Care": "kettle-care", "a--b": "a-b", "-a-": "a", "a_b.c": "a-b-c", "ＫＥＴＴＬＥ": "kettle",
		"claude-tea": "tea", "teaclaude": "tea", "clanthropicaude": "cl-aude", "anthropic": "pack-", "claudeanthropic": "pack-",
		"返品": "pack-", "Возврат": "pack-", "!": "pack-", "": "pack-", "übung": "bung",
		strings.Repeat("x", 100): strings.Repeat("x", 64), strings.Repeat("x", 63) + "-y": strings.Repeat("x", 63),
	} {
		got := skillName(name)
		if got != want && !(want == "pack-" && strings.HasPrefix(got, want)) {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
		if !valid.MatchString(got) || len(got) > 64 || strings.Contains(got, "claude") || strings.Contains(got, "anthropic") {
			t.Errorf("%q: no agent takes %s", name, got)
		}
	}
	if skillName("返品") == skillName("交換") {
		t.Error("two names that have no letter of ASCII are one")
	}
}

// Files of several folders lie in one, without two of one name, however letter case is
// treated.
func TestFlatNamesDoNotMeet(t *testing.T) {
	t.Parallel()
	names := flat([]string{"documents/a/b.md", "documents/a-b.md", "documents/A-B.md", "documents/contents.md", "documents/" + strings.Repeat("長", 100) + ".md", "documents/é.md", "documents/e\u0301.md"}, "documents/", contents)
	seen := map[string]string{}
	for p, name := range names {
		if other := seen[strings.ToLower(name)]; other != "" {
			t.Errorf("%s and %s are %s", p, other, name)
		}
		if seen[strings.ToLower(name)] = p; strings.Contains(name, "/") || len(name) > maxFlat+10 || name == contents {
			t.Errorf("%s is %s", p, name)
		}
	}
}
