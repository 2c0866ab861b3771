package loadout

import (
	"strings"
	"testing"
)

func TestQuestionPattern(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"How do I restart a till?", "how do i restart a till ?"},
		{"  «How do I restart — a TILL»", "how do i restart a till ?"},
		{"Wie öffne ich die Tür?", "wie offne ich die tur ?"},
		{"Wie o\u0308ffne ich die Tür?", "wie offne ich die tur ?"},
		{"Как открыть кассу?", "как открыть кассу ?"},
		{"返金は?", "返金は ?"},
		{"?!", ""},
		{"", ""},
	} {
		if got := QuestionPattern(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// A question that an entry declares, asked word for word, has its entry first: of a parsed
// index, an indexed one, a file of which little is read, and what a browser has of it.
func TestDeclaredQuestionIsFirst(t *testing.T) {
	const asked = "How do I restart a till?"
	entry := func(id, priority string, tokens float64, keywords []string, patterns ...string) Entry {
		return Entry{
			ID: id, Path: id + ".md", Keywords: keywords, Patterns: patterns, Priority: priority, Summary: id,
			Triggers: DefaultTriggers(), TokensEst: tokens,
		}
	}
	ix := &Index{Version: Version, Entries: []Entry{
		entry("house", PriorityCore, 1, nil),
		entry("all-words", PriorityDomain, 2, []string{"how", "do", "restart", "till"}, "restart_till"),
		entry("near", PriorityDomain, 3, []string{"till"}, QuestionPattern("How do I restart a till quickly?")),
		entry("asked", PriorityDomain, 900, []string{"lamp", "key", "side", "cashier", "hotline", "restart"}, QuestionPattern(asked)),
	}}
	for _, tokenizer := range []Tokenizer{"", Unicode} {
		ix.SetTokenizer(tokenizer)
		for dialect := Coverage; dialect <= Weighted; dialect++ {
			opts := MatchOptions{Dialect: dialect}
			for _, task := range []string{asked, "how do i restart a till", "HOW do I restart a till!"} {
				for where, results := range everyMatch(t, task, ix, opts) {
					if r := results[0]; r.Entry.ID != "asked" || r.Score != 1 {
						t.Errorf("%s, %s %q: first is %s with %v", where, dialect, task, r.Entry.ID, r.Score)
					}
				}
			}
			for where, results := range everyMatch(t, "how do I restart a red till", ix, opts) {
				if results[0].Entry.ID == "asked" {
					t.Errorf("%s, %s: another question has it first", where, dialect)
				}
			}
			for where, results := range everyMatch(t, "how do i", ix, opts) { // its words alone hit nothing
				for _, r := range results {
					if isOf := r.Entry.ID == "asked" || r.Entry.ID == "near"; isOf && (where != "also" || len(r.MatchedPatterns) > 0) {
						t.Errorf("%s, %s: words of its question find %s with %v", where, dialect, r.Entry.ID, r.Score)
					}
				}
			}
			o, err := ExplainTask(asked, "asked", ix, opts)
			if err != nil || o.Rank != 1 || len(o.Change.Remove) == 0 {
				t.Errorf("%s: explained as %+v, %v", dialect, o, err)
			}
		}
	}
}

// everyMatch is what each reader of an index says.
func everyMatch(t *testing.T, task string, ix *Index, opts MatchOptions) map[string][]Result {
	t.Helper()
	must := func(list []Result, err error) []Result {
		if err != nil || len(list) == 0 {
			t.Fatalf("%q: %v, %v", task, list, err)
		}
		return list
	}
	also := opts
	also.Also = []string{"lamp"}
	return map[string][]Result{
		"match":   must(Match(task, ix, opts)),
		"matcher": must(NewMatcher(ix).Match(task, opts)),
		"also":    must(Match(task, ix, also)),
		"part":    must(partOf(t, ix).Match(task, opts.Dialect, 0.5, 5)),
	}
}

func TestNamePatterns(t *testing.T) {
	for _, c := range []struct{ title, want string }{
		{"v1.2.4", "v1.2.4 ?,v1.2 ?,v1 ?"},
		{"Release 1.2.4 of C++/C#", "v1.2.4 ?,v1.2 ?,v1 ?,c++ ?,c# ?"},
		{"1.2.4 and v1.2.4", "v1.2.4 ?,v1.2 ?,v1 ?"},
		{"Version 2 and v10 (version 3)", "v2 ?,v10 ?,v3 ?"},
		{"USB-A, GPT-4 and Ctrl-C", "usb-a ?,gpt-4 ?,ctrl-c ?"},
		{"e-mail on 2026-1-5, page 4", ""},
		{"I/O in R", "i/o ?,r ?"},
		{"A plan that I made", ""},
		{"Step 3 of 12", ""},
		{"Backup policy", ""},
	} {
		if got := strings.Join(NamePatterns(c.title), ","); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}

// An entry whose title has a name with a sign comes before those that share words with the
// task, for every reader of an index; a letter counts like any pattern.
func TestNameOfATitleIsBeforeSharedWords(t *testing.T) {
	entry := func(title, priority string, keywords ...string) Entry {
		return Entry{
			ID: title, Path: title + ".md", Keywords: keywords, Patterns: NamePatterns(title), Priority: priority, Summary: title,
			Triggers: DefaultTriggers(), TokensEst: 10,
		}
	}
	ix := &Index{Version: Version, Entries: []Entry{
		entry("2.0.0", PriorityDomain, "changed"),
		entry("v1.2.3", PriorityDomain, "changed", "cache"),
		entry("v1.2.4", PriorityDomain, "timeout", "changed", "hen"),
		entry("C# bindings", PriorityDomain, "bindings", "dotnet"),
		entry("C++ bindings", PriorityDomain, "bindings", "header", "link"),
		entry("R bindings", PriorityDomain, "bindings", "cran", "script"),
		entry("USB-C", PriorityDomain, "usb", "plug"),
		entry("USB-A", PriorityDomain, "usb", "plug", "flat"),
		entry("Version 1", PriorityDomain, "version", "api"),
		entry("Version 2", PriorityDomain, "version", "api", "second"),
	}}
	for _, tokenizer := range []Tokenizer{"", Unicode} {
		ix.SetTokenizer(tokenizer)
		for dialect := Coverage; dialect <= Weighted; dialect++ {
			for _, c := range []struct{ task, want string }{
				{"what changed in v1.2.4", "v1.2.4"},
				{"what changed in 1.2.4?", "v1.2.4"},
				{"v1.2.3", "v1.2.3"},
				{"C++ bindings", "C++ bindings"},
				{"the bindings of c#", "C# bindings"},
				{"bindings for R", "R bindings"},
				{"the plug of USB-A", "USB-A"},
				{"usb-c plug", "USB-C"},
				{"the api of v2", "Version 2"},
				{"api of version 1?", "Version 1"},
			} {
				for where, results := range everyMatch(t, c.task, ix, MatchOptions{Dialect: dialect}) {
					if got := results[0].Entry.ID; got != c.want {
						t.Errorf("%s, %s %q: first is %s with %v", where, dialect, c.task, got, results[0].Score)
					}
				}
			}
		}
	}
	if list, err := Match("press r to start", ix, MatchOptions{}); err != nil || len(list) != 1 || list[0].Score != letterBonus {
		t.Errorf("a letter: %v, %v", list, err)
	}
}
