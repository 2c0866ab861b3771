package loadout

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/oktest"
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

func TestUnicodeWords(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"ASCII as the plain tokenizer":   {"Fix the CI/CD-runner! v1.22.3", "fix the ci cd runner v1 22"},
		"accents fold":                   {"Caf\u00e9 na\u00efve \u00c5ngstr\u00f6m Ti\u1ebfng", "cafe naive angstrom tieng"},
		"composed and decomposed":        {"cafe\u0301 caf\u00e9", "cafe"},
		"ligatures":                      {"\u00c6gir \u0153uvre Stra\u00dfe \u00deing", "aegir oeuvre strasse thing"},
		"Cyrillic":                       {"\u0411\u0410\u0417\u0410 \u0434\u0430\u043d\u043d\u044b\u0445 \u0401\u043b\u043a\u0430 \u0438\u0306\u043e\u0434 \u0419\u043e\u0434", "\u0431\u0430\u0437\u0430 \u0434\u0430\u043d\u043d\u044b\u0445 \u0435\u043b\u043a\u0430 \u0438\u043e\u0434"},
		"Greek with final sigma":         {"\u039b\u03cc\u03b3\u03bf\u03c2 \u03bb\u03bf\u03b3\u03bf\u03c3", "\u03bb\u03bf\u03b3\u03bf\u03c3"},
		"Chinese: singles and pairs":     {"\u6570\u636e\u5e93", "\u6570 \u6570\u636e \u636e \u636e\u5e93 \u5e93"},
		"Chinese between ASCII":          {"fix\u6570\u636eci", "fix \u6570 \u6570\u636e \u636e ci"},
		"Chinese punctuation separates":  {"\u7a0e\u3002\u52a1", "\u7a0e \u52a1"},
		"Japanese":                       {"\u30c6\u30b9\u30c8\u30fb\u6587", "\u30c6 \u30c6\u30b9 \u30b9 \u30b9\u30c8 \u30c8 \u6587"},
		"Korean":                         {"\ud55c\uae00", "\ud55c \ud55c\uae00 \uae00"},
		"full width":                     {"\uff23\uff29\uff11", "ci1"},
		"Kelvin and dotted I":            {"\u212aelvin \u0130stanbul", "kelvin istanbul"},
		"emoji and symbols separate":     {"ab\U0001f600cd\u2192ef", "ab cd ef"},
		"joiners vanish":                 {"ab\u200dcd", "abcd"},
		"single letters are dropped":     {"\u044f a \u00e9", ""},
		"Arabic without marks":           {"\u0645\u064f\u062d\u0645\u0640\u062f", "\u0645\u062d\u0645\u062f"},
		"broken UTF-8 and surrogates":    {"ab\xffcd\xed\xa0\x80ef", "ab cd ef"},
		"soft and white space separates": {"ab\u00adcd\u3000ef\u00a0gh\ufeffij", "ab cd ef gh ij"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(Unicode.Words(test.text), " "); got != test.want {
				t.Errorf("Words(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestUnicodeMatch(t *testing.T) {
	index := func(keyword string) *Index {
		ix := &Index{Entries: []Entry{{ID: "it", Priority: PriorityDomain, Keywords: []string{keyword}}}}
		ix.SetTokenizer(Unicode)
		return ix
	}
	for _, test := range []struct {
		keyword, task string
		want          bool
	}{
		{"\u6570\u636e\u5e93", "\u4fee\u590d\u6570\u636e\u5e93\u8fc1\u79fb", true},
		{"\u6570\u636e\u5e93", "\u6570\u636e", false},
		{"\u7a0e", "\u7a0e\u52a1\u5c40", true},
		{"Caf\u00e9", "the cafe menu", true},
		{"cafe", "the CAFE\u0301 menu", true},
		{"\u0411\u0430\u0437\u0430 \u0434\u0430\u043d\u043d\u044b\u0445", "\u0431\u0430\u0437\u0430 \u0434\u0430\u043d\u043d\u044b\u0445", true},
		{"node.js", "use Node and JS", true},
		{"node.js", "use node", false},
		{"c++", "write c++", false},
		{"", "anything", false},
	} {
		ix := index(test.keyword)
		results := oktest.Value(NewMatcher(ix).Match(test.task, MatchOptions{}))(t)
		if got := len(results) == 1; got != test.want {
			t.Errorf("keyword %q, task %q: %v", test.keyword, test.task, got)
		}
		if test.want && results[0].MatchedKeywords[0] != test.keyword {
			t.Errorf("keyword %q is reported as %q", test.keyword, results[0].MatchedKeywords[0])
		}
		if test.want && !Unicode.Reachable(test.keyword) {
			t.Errorf("keyword %q is said to be unreachable", test.keyword)
		}
	}
}

// Layers with and without the tokenizer merge; each entry keeps its own.
func TestTokenizerIsThatOfTheEntrysIndex(t *testing.T) {
	plain, _ := DecodeAtMost(`{"entries":[{"id":"plain","keywords":["cafe"],"patterns":[]}]}`, 1)
	accents, _ := DecodeAtMost(`{"entries":[{"id":"accents","keywords":["cafe"],"patterns":[]}],"tokenizer":"unicode"}`, 1)
	m := oktest.Value(Merge([]Layer{{Name: "a", Index: plain}, {Name: "b", Index: accents}}, MergeOptions{}))(t)
	data := oktest.Value(Marshal(&m.Index))(t)
	opened := oktest.Value(OpenBinary(data))(t)
	for name, match := range map[string]func(string, MatchOptions) ([]Result, error){
		"scan": func(task string, o MatchOptions) ([]Result, error) { return Match(task, &m.Index, o) }, "binary": opened.Match,
	} {
		for task, want := range map[string]string{"caf\u00e9": "accents", "cafe": "plain accents", "caf": ""} {
			results := oktest.Value(match(task, MatchOptions{}))(t)
			var ids []string
			for _, r := range results {
				ids = append(ids, r.Entry.ID)
			}
			if got := strings.Join(ids, " "); got != want {
				t.Errorf("%s: task %q matches %q, want %q", name, task, got, want)
			}
		}
	}
}

// Words are valid, folded once and for all, and a text made of them has them.
func FuzzUnicodeWords(f *testing.F) {
	for _, seed := range []string{"Caf\u00e9 \u6570\u636e\u5e93 x", "a\u0301\u0e01\u0e02b", "\u00df\u1e9e\u0419\u0438\u0306", "\xff\xed\xa0\x80"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := Unicode.Words(text)
		have := map[string]bool{}
		for _, w := range Unicode.Words(strings.Join(words, " ")) {
			have[w] = true
		}
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || !have[w] {
				t.Fatalf("word %q of %q", w, text)
			}
		}
	})
}
