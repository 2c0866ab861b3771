package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/policy"
)

// decided compiles a pack with an unsourced claim, an open question without text and
// an instruction in a source under a policy.
func decided(t *testing.T, dir string, o Options, rules ...policy.Rule) *Result {
	t.Helper()
	return decidedEither(t, dir, false, o, rules...)
}

// decidedEither does it with or without a store.
func decidedEither(t *testing.T, dir string, remember bool, o Options, rules ...policy.Rule) *Result {
	t.Helper()
	o.Policy = policy.Local{Policy: &policy.Policy{Rules: rules}, Dir: "packs/p"}
	return compileEither(t, dir, remember, o)
}

func TestAPolicyDecidesTheStatusOfARun(t *testing.T) {
	files := tree{
		"KNOWLEDGE.md": entry("hybrid", "required"), "sources/s.md": order + "\n",
		"documents/d.md": "# D\n\n## A\n\n- Unsourced and important, it must be so.\n", "scripts/x.sh": "x\n",
	}
	rule := func(id string, level policy.Level) policy.Rule { return policy.Rule{Rule: id, Level: level} }
	for _, tt := range []struct {
		name     string
		rules    []policy.Rule
		status   string
		recorded []string
	}{
		{"none", nil, "needs-review", []string{"warning claim-unsourced", "warning injection-suspect", "info scripts-present"}},
		{"off", []policy.Rule{rule(gateClaimUnsourced, policy.Off)}, "passed", []string{"warning injection-suspect", "info scripts-present"}},
		{"milder", []policy.Rule{rule(gateClaimUnsourced, policy.Info)}, "passed", []string{"warning injection-suspect", "info claim-unsourced", "info scripts-present"}},
		{"an error", []policy.Rule{rule(gateClaimUnsourced, policy.Error)}, "failed", []string{"error claim-unsourced", "warning injection-suspect", "info scripts-present"}},
		{"a remark raised", []policy.Rule{rule(gateClaimUnsourced, policy.Off), rule(gateScriptsPresent, policy.Warning)}, "needs-review", []string{"warning scripts-present", "warning injection-suspect"}},
		{"an instruction that reaches no view", []policy.Rule{rule(gateClaimUnsourced, policy.Off), rule(gateInjectionSuspect, policy.Error)}, "failed", []string{"error injection-suspect", "info scripts-present"}},
		{"of another pack", []policy.Rule{{Rule: gateClaimUnsourced, Packs: []string{"q"}}}, "needs-review", []string{"warning claim-unsourced", "warning injection-suspect", "info scripts-present"}},
		{"by path from the root", []policy.Rule{{Rule: gateClaimUnsourced, Files: []string{"packs/p/documents"}}}, "passed", []string{"warning injection-suspect", "info scripts-present"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := decided(t, packDir(t, files), Options{}, tt.rules...)
			var got []string
			for _, d := range r.Run.Diagnostics {
				id, _, _ := strings.Cut(strings.TrimPrefix(d.Message, "["), "]")
				got = append(got, d.Severity.String()+" "+id)
			}
			slices.Sort(got)
			want := slices.Clone(tt.recorded)
			slices.Sort(want)
			if string(r.Run.Status) != tt.status {
				t.Errorf("the run is %s, want %s", r.Run.Status, tt.status)
			}
			sameStrings(t, "recorded", got, want)
			if found := len(r.Found); len(r.Diagnostics) > found || len(r.Changed) != 0 && len(tt.rules) == 0 {
				t.Errorf("%d of %d findings, changed %v", len(r.Diagnostics), found, r.Changed)
			}
		})
	}
}

// An incremental compile follows a policy that has changed, and a full one under the
// same policy says the same.
func TestAnIncrementalCompileFollowsThePolicy(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md":   entry("hybrid", "required"),
		"documents/d.md": "# D\n\n## A\n\n- Unsourced and important, it must be so.\n", "wiki/w.md": "# W\n\nText.\n",
	})
	status := func(remember bool, level policy.Level) string {
		r := decidedEither(t, dir, remember, Options{DryRun: !remember}, policy.Rule{Rule: gateClaimUnsourced, Level: level})
		return string(r.Run.Status)
	}
	for i, tt := range []struct {
		level policy.Level
		want  string
	}{{policy.Warning, "needs-review"}, {policy.Off, "passed"}, {policy.Off, "passed"}, {policy.Error, "failed"}, {policy.Info, "passed"}, {policy.Warning, "needs-review"}} {
		if got := status(true, tt.level); got != tt.want {
			t.Errorf("compile %d at %s: the run is %s, want %s", i, tt.level, got, tt.want)
		}
		if got := status(false, tt.level); got != tt.want {
			t.Errorf("full compile %d at %s: the run is %s, want %s", i, tt.level, got, tt.want)
		}
	}
	// Editing another page keeps to it too.
	tree{"wiki/w.md": "# W\n\nMore text.\n"}.write(t, dir)
	if got := status(true, policy.Off); got != "passed" {
		t.Errorf("after an edit the run is %s", got)
	}
}

// What outputs follow from is known although it is not reported.
func TestWhatIsOffIsStillFound(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/w.md": "# W\n\nText.\n"})
	compileDir(t, dir, Options{})
	tree{"compiled/splits/wiki/w.md": "# W\n\nEdited.\n"}.write(t, dir)
	r := decided(t, dir, Options{}, policy.Rule{Rule: gateViewHandEdited, Level: policy.Off})
	is := func(d diag.Diagnostic) bool { return d.ID == gateViewHandEdited }
	if !slices.ContainsFunc(r.Found, is) || slices.ContainsFunc(r.Diagnostics, is) || len(r.Changed) != 1 || r.Changed[0].To != policy.Off {
		t.Errorf("found %v\nreported %v\nchanged %v", r.Found, r.Diagnostics, r.Changed)
	}
}

// A claim that nobody asks for a source, by packgen.yaml or by a comment in its file, has no
// mark, and the source map does not call it one that needs a source. Switching the rule on
// again brings both back, from the store too.
func TestAClaimThatNeedsNoSourceIsNotMarked(t *testing.T) {
	const mark = "[status: source-required]"
	files := tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "sources/s.md": "x\n",
		"documents/d.md": "# D\n\n## A\n\n- The kettle boils in two minutes.\n",
		"documents/e.md": "# E\n\n## B\n\n<!-- packgen-disable claim-unsourced: it was measured -->\n- The lid weighs forty grams.\n",
	}
	dir := packDir(t, files)
	off := policy.Rule{Rule: gateClaimUnsourced, Files: []string{"packs/p/documents/d.md"}}
	for step, tt := range []struct {
		rules    []policy.Rule
		marks    int
		required int
	}{{nil, 1, 1}, {[]policy.Rule{off}, 0, 0}, {nil, 1, 1}, {[]policy.Rule{off}, 0, 0}} {
		r := decidedEither(t, dir, true, Options{Now: clock.AddDate(0, 0, step)}, tt.rules...)
		required := 0
		for _, c := range r.SourceMap.Claims {
			if c.Status == "source-required" {
				required++
			}
		}
		text := readTree(t, dir)
		marks := strings.Count(text["compiled/splits/d/a.md"], mark) + 10*strings.Count(text["compiled/splits/e/b.md"], mark)
		if marks != tt.marks || required != tt.required || len(r.Suppressed) != 1 {
			t.Errorf("step %d: %d marks, %d claims need a source, %d findings are switched off", step, marks, required, len(r.Suppressed))
		}
	}
}
