package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// kettlePack is a pack in memory with a status.
func kettlePack(t *testing.T, status string) *pack.Pack {
	t.Helper()
	text := `---
name: kettle
description: >-
  How to use and descale the harbor kettle. Use it for questions about care and warranty. Not for teapots (teapot).
type: product-facts
status: ` + status + `
profile: document-first
metadata:
  loadout:
    kettle/care:
      keywords: [citric acid, Limescale, "!"]
      patterns: [clean_kettle]
---
# Kettle
`
	p, _, err := pack.OpenFS(fstest.MapFS{"KNOWLEDGE.md": {Data: []byte(text)}}, "kettle")
	if err != nil || p == nil {
		t.Fatal(err)
	}
	return p
}

func TestASubjectIsMadeOfMetadata(t *testing.T) {
	s := NewSubject(kettlePack(t, "ready"), &schema.Run{Status: "passed"})
	want := strings.Fields("kettle product facts descale harbor questions care warranty")
	want = append(want, "citric acid", "limescale")
	if diff := cmp.Diff(want, s.index.Entries[0].Keywords); diff != "" {
		t.Error(diff)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("a ready pack warns: %v", s.Warnings)
	}
}

func TestDiscoverJudgesEachCase(t *testing.T) {
	suite := &schema.Suite{PackName: "kettle", Cases: []schema.SuiteCase{
		{ID: "hit", Prompt: "descale my kettle", Expected: schema.Select},
		{ID: "miss", Prompt: "make some tea", Expected: schema.Select},
		{ID: "false", Prompt: "kettle drums care", Expected: schema.Reject},
		{ID: "near", Prompt: "a kettle of fish, a teapot", Expected: schema.Reject},
		{ID: "warn", Prompt: "warranty of the kettle", Expected: schema.Warn},
		{ID: "which", Prompt: "warranty of the kettle", Expected: schema.Warn, ExpectedWarnings: []string{"STALE"}},
		{ID: "other", Prompt: "warranty of the kettle", Expected: schema.Warn, ExpectedWarnings: []string{"disputed"}},
	}}
	for _, tt := range []struct {
		status  string
		run     *schema.Run
		actual  []string
		passed  string
		summary schema.EvalSummary
	}{
		{
			"ready", nil, []string{"select", "reject", "select", "reject", "select", "select", "select"}, "+--+---",
			schema.EvalSummary{
				Passed: 2, Failed: 5, Total: 7, PassRate: shareOf(2, 7), Precision: shareOf(4, 5), Recall: shareOf(4, 5),
				FalsePositives: 1, FalseNegatives: 1, WarningAccuracy: shareOf(4, 7),
			},
		},
		{
			"needs-review", &schema.Run{Status: "stale"}, []string{"warn", "reject", "warn", "reject", "warn", "warn", "warn"}, "+--+++-",
			schema.EvalSummary{
				Passed: 4, Failed: 3, Total: 7, PassRate: shareOf(4, 7), Precision: shareOf(4, 5), Recall: shareOf(4, 5),
				FalsePositives: 1, FalseNegatives: 1, WarningAccuracy: shareOf(4, 7),
			},
		},
	} {
		d := oktest.Value(NewSubject(kettlePack(t, tt.status), tt.run).Discover("evals/discovery.train.json", suite, 0))(t)
		passed := ""
		for i, r := range d.Record.Results {
			if r.Actual != tt.actual[i] {
				t.Errorf("%s, case %s: got %s, want %s", tt.status, r.ID, r.Actual, tt.actual[i])
			}
			passed += map[bool]string{true: "+", false: "-"}[r.Passed]
		}
		if passed != tt.passed {
			t.Errorf("%s: passed %s, want %s", tt.status, passed, tt.passed)
		}
		if diff := cmp.Diff(tt.summary, d.Record.Summary); diff != "" {
			t.Errorf("%s: %s", tt.status, diff)
		}
		data := oktest.Value(schema.Encode(&d.Record))(t)
		if err := schema.Validate(schema.KindEvalRun, data); err != nil {
			t.Errorf("the record does not fit its schema: %v", err)
		}
	}
}

func TestRatiosOfNothingAreNull(t *testing.T) {
	s := summaryOfCases([]CaseResult{{SuiteCase: schema.SuiteCase{Expected: schema.Reject}, Actual: schema.Reject, Passed: true, Warned: true}})
	if s.Precision != nil || s.Recall != nil || s.WarningAccuracy == nil || *s.WarningAccuracy != 1 {
		t.Errorf("%+v", s)
	}
}

// The project's own suites and goldens are read, whatever they say.
func TestOwnSuitesAndGoldensAreRead(t *testing.T) {
	read := 0
	for _, pattern := range []string{"discovery.*.json", "routing.yaml"} {
		files := oktest.Value(filepath.Glob(filepath.Join("..", "..", "packs", "*", "evals", pattern)))(t)
		for _, file := range files {
			read++
			data := oktest.Value(os.ReadFile(file))(t)
			if filepath.Ext(file) == ".yaml" {
				if _, faults := ReadRouting(file, data); len(faults) > 0 {
					t.Errorf("%+v", faults)
				}
			} else if _, err := schema.DecodeSuite(data); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if read < 8 {
		t.Errorf("%d files were read", read)
	}
}

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
