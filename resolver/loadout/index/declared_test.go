package index

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/schema"
)

func TestQuestionsOfASplit(t *testing.T) {
	questions := map[string][]string{
		"documents/a.md": {"page"}, "documents/a.md#one": {"one"}, "documents/a.md#two": {"two"}, "documents/a.md#other": {"other"}, "a/one": {"split"},
	}
	for _, c := range []struct {
		split schema.Split
		want  []string
	}{
		{schema.Split{ID: "a/one", Document: "documents/a.md", SectionID: "one", Sections: []string{"one", "two"}}, []string{"page", "one", "two", "split"}},
		{schema.Split{ID: "a/two", Document: "documents/a.md", SectionID: "two"}, []string{"page", "two"}},
		{schema.Split{ID: "b", Document: "documents/b.md", SectionID: "b"}, nil},
	} {
		if diff := cmp.Diff(c.want, questionsOf(questions, &c.split)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.split.ID, diff)
		}
	}
}

// All questions make one keyword more, so that they do not dilute the others.
func TestQuestionsAreOneKeywordAndPatterns(t *testing.T) {
	var none *declaration
	if got := none.answering([]string{"", "?!"}, nil, ""); got != nil {
		t.Errorf("questions without words make %+v", got)
	}
	own := &declaration{keywords: []string{"till"}, priority: "core"}
	d := own.answering([]string{"Why does my money not balance?", "Money, money!", "Why does my MONEY not balance"}, nil, "")
	if own.asked != nil || d.priority != "core" {
		t.Errorf("own %+v, with questions %+v", own, d)
	}
	keywords, patterns := d.withQuestions([]string{"till"}, nil)
	if len(keywords) != 2 || keywords[0] != "till" ||
		!slices.Equal(patterns, []string{"why does my money not balance ?", "money money ?"}) {
		t.Errorf("keywords %q, patterns %q", keywords, patterns)
	}
	keywords, patterns = own.withQuestions([]string{"till"}, []string{"a_b"})
	if len(keywords) != 1 || len(patterns) != 1 {
		t.Errorf("without questions: keywords %q, patterns %q", keywords, patterns)
	}
}

// A title of common words alone is found by the task that it is.
func TestATitleOfCommonWordsIsAPattern(t *testing.T) {
	var none *declaration
	for title, want := range map[string][]string{"for": {"for ?"}, "Who we are": {"who we are ?"}, "Returns": nil, "Who returns": nil, "!": nil} {
		var got []string
		if d := none.answering(nil, []string{title}, ""); d != nil {
			got = d.asked
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: patterns %q, want %q", title, got, want)
		}
	}
}
