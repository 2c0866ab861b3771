package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	resolver "github.com/packgen/packgen/resolver/context"
)

func TestSuitesAreReadStrictly(t *testing.T) {
	for _, c := range []struct{ rule, text, fault string }{
		{"a good suite", "pack_name: p\ncases:\n  - query: q\n    required: [a]\n", ""},
		{"an unanswerable query needs no sections", "cases:\n  - {query: q, answerable: false}\n", ""},
		{"empty", "", "empty"},
		{"no cases", "pack_name: p\n", "no cases"},
		{"unknown key", "cases:\n  - {query: q, required: [a], wanted: b}\n", `2: the key "wanted" is not known`},
		{"repeated key", "cases:\n  - {query: q, query: r, required: [a]}\n", "2: key \"query\" is given twice; the first is on line 2"},
		{"wrong type", "cases: 3\n", `1: the value must be a list, not a number`},
		{"wrong root", "- a\n", "1: the value must be a map, not a list"},
		{"broken", "cases: [\n", "not valid YAML"},
		{"no query", "cases:\n  - required: [a]\n", "case 1 has no query"},
		{"nothing asked", "cases:\n  - query: q\n", "requires and forbids nothing"},
		{"contradiction", "cases:\n  - {query: q, answerable: false, required: [a]}\n", "not answerable and requires"},
		{"negative budget", "cases:\n  - {query: q, required: [a], budget: -1}\n", "must be a whole number from 0 on, not -1"},
	} {
		suite, faults := ReadContextSuite("evals/context.yaml", []byte(c.text))
		got := ""
		for _, f := range faults {
			got += fmt.Sprintf("%d: %s", f.Line, f.Message)
		}
		if (c.fault == "") != (suite != nil) || !strings.Contains(got, c.fault) || c.fault == "" && got != "" {
			t.Errorf("%s: suite %v, faults %q, want %q", c.rule, suite, got, c.fault)
		}
	}
}

func descalingPack() resolver.Pack {
	return resolver.Pack{Dir: "kettle", FS: fstest.MapFS{
		"KNOWLEDGE.md": {Data: []byte("---\nname: kettle\ndescription: d\ntype: brand-product\nprofile: document-first\nstatus: disputed\n" +
			"metadata:\n  primaryDocument: documents/k.md\n---\n")},
		"documents/k.md": {Data: []byte("# K\n\n## Capacity\n\nOne litre.\n\n## Descaling\n\nCitric acid.\n\n" + strings.Repeat("More words. ", 200) +
			"\n\n## Limits\n\nNone.\n")},
	}}
}

func TestCasesAreJudged(t *testing.T) {
	no := false
	suite := &ContextSuite{Budget: 3000, Cases: []ContextCase{
		{Query: "capacity", Required: []string{"documents/k.md#capacity"}},
		{Query: "capacity", Required: []string{"documents/k.md#descaling", "documents/k.md#capacity"}, Paraphrase: true},
		{Query: "descaling", Forbidden: []string{"documents/k.md#descaling"}},
		{Query: "zebras", Answerable: &no},
		{Query: "descaling", Answerable: &no},
		{Query: "descaling", Required: []string{"documents/k.md#descaling"}, Budget: 250},
	}}
	report := oktest.Value(runContext(context.Background(), descalingPack(), suite, contextOptions{Budgets: []int{250, 6000}}))(t)
	if len(report.Unknown) != 0 {
		t.Errorf("unknown sections %v", report.Unknown)
	}
	for i, want := range []bool{true, false, false, true, false, true} {
		if got := report.Results[i]; got.Passed != want {
			t.Errorf("case %d: passed %v, want %v: %+v", i+1, got.Passed, want, got)
		}
	}
	want := ContextSummary{
		Cases: 6, Passed: 3, Recall: 2.5 / 3, ParaphraseRecall: 0.5, Precision: 1, Tokens: report.Summary.Tokens,
		Forbidden: 1, Unanswerable: 2, FalseAnswers: 1,
	}
	if report.Summary != want {
		t.Errorf("summary %+v, want %+v", report.Summary, want)
	}
	if c := report.Curve; len(c) != 2 || c[0].Budget != 250 || c[0].Tokens > 250 || c[1].Recall < c[0].Recall {
		t.Errorf("curve %+v", c)
	}
}

func TestARequiredSectionThatDoesNotExistIsNamed(t *testing.T) {
	text := "cases:\n  - {query: capacity, required: [documents/k.md#capacity, documents/k.md#size]}\n  - {query: zebras, required: [documents/k.md, compiled/briefing.md]}\n  - {query: zebras, required: [documents/z.md]}\n"
	suite, _ := ReadContextSuite("evals/context.yaml", []byte(text))
	report := oktest.Value(runContext(context.Background(), descalingPack(), suite, contextOptions{}))(t)
	want := []UnknownSection{{2, "documents/k.md#size"}, {4, "documents/z.md"}}
	if !slices.Equal(report.Unknown, want) {
		t.Errorf("unknown sections %v, want %v", report.Unknown, want)
	}
}

func FuzzReadContextSuite(f *testing.F) {
	f.Add([]byte("cases:\n  - {query: q, required: [a]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if suite, faults := ReadContextSuite("x", data); (suite == nil) == (len(faults) == 0) {
			t.Errorf("suite %v, faults %v", suite, faults)
		}
	})
}
