package eval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAQuestionIsAddedToTheFrontMatter(t *testing.T) {
	const body = "# Kettle\n\n## Care\n\nDescale.\n"
	for _, c := range []struct {
		rule, before, after string
	}{
		{"no front matter", "", "---\nquestions:\n  care:\n    - \"Why \\\"so\\\"?\"\n---\n"},
		{"front matter without questions", "---\nstatus: ready # yes\n---\n", "---\nstatus: ready # yes\nquestions:\n  care:\n    - \"Why \\\"so\\\"?\"\n---\n"},
		{"another section", "---\nquestions:\n  facts:\n    - How big?\nstatus: ready\n---\n", "---\nquestions:\n  facts:\n    - How big?\n  care:\n    - \"Why \\\"so\\\"?\"\nstatus: ready\n---\n"},
		{"the section", "---\nquestions:\n  care:\n    - How?\n  facts:\n    - How big?\n---\n", "---\nquestions:\n  care:\n    - How?\n    - \"Why \\\"so\\\"?\"\n  facts:\n    - How big?\n---\n"},
		{"a list for the whole file", "---\nquestions:\n- How?\n---\n", "---\nquestions:\n- How?\n- \"Why \\\"so\\\"?\"\n---\n"},
		{"a flow list", "---\nquestions:\n  care: [How?]\n---\n", ""},
		{"a flow map", "---\nquestions: {care: [How?]}\n---\n", ""},
		{"broken front matter", "---\nquestions: [\n---\n", ""},
		{"carriage returns", "---\r\nstatus: ready\r\n---\r\n", ""},
	} {
		got, err := addQuestionTo([]byte(c.before+body), "care", "Why  \"so\"?\n")
		if c.after == "" {
			if err == nil {
				t.Errorf("%s: no error, %q", c.rule, got)
			}
			continue
		}
		if diff := cmp.Diff(c.after+body, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.rule, err, diff)
		}
		again, err := addQuestionTo(got, "care", `Why "so"?`)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: a second time changes it: %v\n%s", c.rule, err, again)
		}
	}
}

func FuzzAddQuestion(f *testing.F) {
	f.Add("---\nquestions:\n  a:\n    - b\n---\n# T\n", "a", "c: d")
	f.Add("# T\n", "1", "- x #")
	f.Fuzz(func(t *testing.T, text, section, question string) {
		got, err := addQuestionTo([]byte(text), section, question)
		if err != nil {
			return
		}
		if !asks(got, section, oneLine(question)) && string(got) != text {
			t.Errorf("%q does not ask %q", got, question)
		}
		if body := text[strings.LastIndex(text, "---")+1:]; !strings.HasSuffix(string(got), body) {
			t.Errorf("%q lost its body %q", got, body)
		}
	})
}
