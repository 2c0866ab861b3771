package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// A run is reviewed for its worst finding, which need not be the first of the
// record: that one is sorted by severity, path and message.
func TestReasonOfAReviewIsTheGravestFinding(t *testing.T) {
	const (
		disputes = "\n- It floats. [status: disputed]\n"
		old      = "\n- It is red. [status: stale] [source: sources/s.md#L1]\n"
		open     = "\n- It is heavy. [status: missing]\n"
	)
	for _, tt := range []struct {
		name   string
		files  tree
		status string
		reason string
	}{
		{"a dispute before what is stale or open", tree{"documents/a.md": "# A\n" + open, "documents/b.md": "# B\n" + old, "documents/c.md": "# C\n" + disputes}, "disputed", `[claim-disputed] "It floats."`},
		{"what is stale before what is open", tree{"documents/a.md": "# A\n" + open, "documents/b.md": "# B\n" + old}, "stale", `[source-stale] "It is red."`},
		{"an error before all", tree{"documents/a.md": "# A\n" + disputes, "documents/b.md": "\xff\xfe\xff"}, "failed", "[encoding-invalid] "},
		{"the first line, not the first message", tree{"documents/a.md": "# A\n\n- Z. [status: missing]\n- A. [status: missing]\n"}, "needs-review", `[claim-missing] "Z."`},
		{"the first file", tree{"documents/b.md": "# B\n" + open, "documents/a.md": "# A\n\n\n\n\n\n- Late. [status: missing]\n"}, "needs-review", `[claim-missing] "Late."`},
		{"no instruction that reaches nothing", tree{"documents/a.md": "# A\n\nText.\n", "sources/s.md": order + "\n"}, "passed", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", "recommended"), "sources/s.md": "one\n"}.with(tt.files))
			if string(r.Run.Status) != tt.status || !strings.HasPrefix(r.Run.Review.Reason, tt.reason) || (tt.reason == "") != (r.Run.Review.Reason == "") {
				t.Errorf("the run is %s for %q, want %s for %q\n%v", r.Run.Status, r.Run.Review.Reason, tt.status, tt.reason, r.Diagnostics)
			}
		})
	}
}

// What the sources try is on record, whether or not it can reach a view; the
// record keeps the order of section 6.11.
func TestFindingsInSourcesEnterTheRunRecord(t *testing.T) {
	files := tree{
		"KNOWLEDGE.md": entry("wiki-first", "none"), "wiki/w.md": "# W\n\nText.\n",
		"sources/b.md": "one\n\n" + order + "\n", "sources/a.json": `{"a": "` + order + `"}`,
		"sources/quoted.md": "They write \"" + order + "\"\n", "documents/d.md": "# D\n\n" + order + "\n",
	}
	want := []string{
		"warning documents/d.md", "warning sources/a.json", "warning sources/b.md", "info sources/quoted.md",
	}
	dir := packDir(t, files)
	o := Options{}
	for _, step := range []struct {
		name  string
		write tree
	}{
		{"full", nil}, {"unchanged", nil}, {"one page edited", tree{"wiki/w.md": "# W\n\nMore text.\n"}},
		{"a source added", tree{"sources/c.md": "two\n"}},
	} {
		step.write.write(t, dir)
		r := rememberDir(t, dir, o)
		if r.Run.Status != "passed" {
			t.Errorf("%s: the run is %s", step.name, r.Run.Status)
		}
		names := slices.DeleteFunc(sortedKeys(readTree(t, dir)), func(name string) bool { return schema.RunLedgerPath(name) == "" })
		run, err := schema.DecodeRun([]byte(readTree(t, dir)[names[len(names)-1]]))
		oktest.Check(t, err)
		var got []string
		for _, d := range run.Diagnostics {
			if strings.HasPrefix(d.Message, "[injection-suspect] ") {
				got = append(got, d.Severity.String()+" "+d.Path)
			}
		}
		sameStrings(t, step.name, got, want)
	}
}
