package loadout

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	tests := map[string]struct {
		text string
		want string
	}{
		"case and punctuation":        {"Fix the CI/CD-runner!", "fix the ci cd runner"},
		"underscore separates":        {"snake_case camelCase", "snake case camelcase"},
		"short words are dropped":     {"v1.22.3", "v1 22"},
		"apostrophe and plus":         {"it's C++ and C#", "it and"},
		"accents separate":            {"na\u00efve CAF\u00c9", "na ve caf"},
		"dotted capital I":            {"\u0130stanbul x\u0130", "stanbul xi"},
		"Kelvin sign is k":            {"\u212aelvin o\u212a", "kelvin ok"},
		"no other script":             {"\u65e5\u672c\u8a9e \u0442\u0435\u0441\u0442", ""},
		"long s and fullwidth":        {"\u017ft \uff41\uff42", ""},
		"address":                     {"#tag user@ex.com", "tag user ex com"},
		"repeats once, first place":   {"ci docs CI", "ci docs"},
		"lone surrogate separates":    {"ab\xed\xa0\x80cd", "ab cd"},
		"broken UTF-8 separates":      {"ab\xe2\x84cd \xff", "ab cd"},
		"empty":                       {"", ""},
		"one letter at the very end":  {"plan b", "plan"},
		"white space beyond ASCII":    {"ab\u00a0cd\u2028ef\ufeffgh", "ab cd ef gh"},
		"control characters separate": {"ab\x00cd\x85ef", "ab cd ef"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(Words(test.text), " "); got != test.want {
				t.Errorf("Words(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

// referenceWords follows loadout section 5 step by step.
func referenceWords(text string) []string {
	text = strings.ReplaceAll(text, "\u0130", "i\u0307")
	text = strings.ReplaceAll(text, "\u212a", "k")
	lower := regexp.MustCompile(`[A-Z]`).ReplaceAllStringFunc(text, strings.ToLower)
	var words []string
	for _, w := range regexp.MustCompile(`[^a-z0-9]+`).Split(lower, -1) {
		if len(w) > 1 && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"Fix the CI/CD-runner!", "\u0130\u212a x\u212a", "a\xe2\x84b ab\xed\xa0\x80", "\u00df aa\u0130bb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := Words(text), referenceWords(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	})
}

func TestKeywordHit(t *testing.T) {
	tokens := setOf(Words("page for the new landing ci v1"))
	for keyword, want := range map[string]bool{
		"landing page": true, "page": true, "landing-page": true, "ci - v1": true, "ci--v1": true,
		"ci\u00a0v1": true, "": false, " ": false, "-": false, " ci": false, "ci-": false, "-ci": false,
		"CI": false, "plan b": false, "ci\u2013v1": false, "ci_v1": false, "missing": false, "ci missing": false,
	} {
		if got := tokens.keywordHit(&Entry{}, keyword); got != want {
			t.Errorf("keyword %q: %v, want %v", keyword, got, want)
		}
		if tokens.keywordHit(&Entry{}, keyword) && !Reachable(keyword) {
			t.Errorf("keyword %q hits but is said to be unreachable", keyword)
		}
	}
}

func TestPatternHit(t *testing.T) {
	tokens := setOf(Words("fix the ci pipeline"))
	for pattern, want := range map[string]bool{
		"ci_pipeline": true, "ci_missing": true, "missing_ci": true, "CI_pipeline": true, "CI_x": false,
		"ci-pipeline": false, "_": false, "": false, "__ci": true, "a_b": false, "ci pipeline": false,
	} {
		if got := tokens.patternHit(&Entry{}, pattern); got != want {
			t.Errorf("pattern %q: %v, want %v", pattern, got, want)
		}
		if tokens.patternHit(&Entry{}, pattern) && !Tokenizer("").ReachablePattern(pattern) {
			t.Errorf("pattern %q hits but is said to be unreachable", pattern)
		}
	}
}

func TestTrimKnowsExactlyTheWhiteSpaceOfJavaScript(t *testing.T) {
	set := "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
	for r := rune(0); r <= 0xffff; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		s := string(r)
		if got, want := trim(s+"x"+s) == "x", strings.Contains(set, s); got != want {
			t.Errorf("U+%04X trimmed: %v, want %v", r, got, want)
		}
	}
}
