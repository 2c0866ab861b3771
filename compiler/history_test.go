package compiler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// TestSequenceOfCompiles is the table of agent-knowledge section 22.6, where a claim
// keeps its baseline until its text or anchor changes.
func TestSequenceOfCompiles(t *testing.T) {
	const s = "sources/s.md"
	a, b := "# A\n\n- Claim a. [source: sources/s.md#L1]\n", "# B\n\n- Claim b. [source: sources/s.md#L1]\n"
	aMore := a + "\nMore.\n"
	bMore := b + "\nMore.\n"
	remove := func(names ...string) func(string) {
		return func(dir string) {
			for _, name := range names {
				oktest.Check(t, os.RemoveAll(filepath.Join(dir, name)))
			}
		}
	}
	put := func(name, text string) func(string) {
		return func(dir string) { tree{name: text}.write(t, dir) }
	}
	index, sourceMap := indexPath, sourceMapPath
	splitA, splitB := "compiled/splits/a/a.md", "compiled/splits/b/b.md"
	all := []string{index, splitA, splitB, sourceMap}
	steps := []struct {
		name    string
		before  func(dir string)
		a, b    string
		status  string // "" when no run is written
		changed []string
	}{
		{"1 first compile", func(string) {}, "confirmed", "confirmed", "passed", all},
		{"2 nothing changed", func(string) {}, "confirmed", "confirmed", "", nil},
		{"3 the source changes", put(s, "two\n"), "stale", "stale", "stale", all},
		{"4 nothing changed", func(string) {}, "stale", "stale", "", nil},
		{"5a a paragraph is added to a", put("documents/a.md", aMore), "stale", "stale", "stale", []string{index, splitA}},
		{"5b the claim of a is reworded", put("documents/a.md", strings.Replace(aMore, "Claim a", "Claim of a", 1)), "confirmed", "stale", "stale", []string{index, splitA, sourceMap}},
		{"6 the source is as at first", put(s, "one\n"), "stale", "confirmed", "stale", all},
		{"7 the source is deleted", remove(s), "missing", "missing", "needs-review", []string{index, splitA, sourceMap}},
		{"8 the source is restored", put(s, "two\n"), "confirmed", "stale", "stale", []string{index, splitB, sourceMap}},
		{"9 outputs are deleted", remove("compiled", "indexes"), "confirmed", "stale", "stale", all},
		{"10 runs are deleted", remove("runs"), "confirmed", "stale", "stale", nil},
		{"10a nothing changed", func(string) {}, "confirmed", "stale", "", nil},
		{"10b everything is deleted", remove("runs", "compiled", "indexes"), "confirmed", "confirmed", "passed", all},
		{"11 the source changes again", put(s, "three\n"), "stale", "stale", "stale", all},
		{"12a b is edited", put("documents/b.md", bMore), "stale", "stale", "stale", []string{index, splitB}},
		{"12b the edit is undone", put("documents/b.md", b), "stale", "stale", "stale", []string{index, splitB}},
	}
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": a, "documents/b.md": b, s: "one\n",
	})
	for day, step := range steps {
		step.before(dir)
		before := readTree(t, dir)
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
		after := readTree(t, dir)
		status := map[string]string{}
		for _, c := range r.SourceMap.Claims {
			status[c.Document] = string(c.Status)
		}
		if status["documents/a.md"] != step.a || status["documents/b.md"] != step.b {
			t.Errorf("%s: a is %s, b is %s; want %s, %s", step.name, status["documents/a.md"], status["documents/b.md"], step.a, step.b)
		}
		if (r.RunPath == "") != (step.status == "") || step.status != "" && string(r.Run.Status) != step.status {
			t.Errorf("%s: run %q is %s, want %q", step.name, r.RunPath, r.Run.Status, step.status)
		}
		var changed []string
		for _, name := range sortedKeys(after) {
			if before[name] != after[name] && !strings.HasPrefix(name, "runs/") {
				changed = append(changed, name)
			}
		}
		sameStrings(t, step.name+": files changed", changed, step.changed)
		checkRecords(t, after, r)
	}
}

func TestRunsOfOneSecondAreNumberedAndOrdered(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n"})
	for range 11 {
		compileDir(t, dir, Options{RecordUnchanged: true})
	}
	tree{"documents/a.md": "# A\n\ny\n"}.write(t, dir)
	r := compileDir(t, dir, Options{})
	if want := "runs/compile-2026-06-01T08-00-00Z-12.json"; r.RunPath != want {
		t.Errorf("RunPath = %q, want %q", r.RunPath, want)
	}
	if r = compileDir(t, dir, Options{}); r.RunPath != "" {
		t.Errorf("RunPath = %q: run 12 should be the newest, though run 9 has the last name", r.RunPath)
	}
}

func TestForeignRunRecordIsReportedAndSkipped(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n"})
	compileDir(t, dir, Options{})
	tree{"runs/compile-20270101T100000Z.json": `{"id": "x", "packName": "p", "status": "completed"}`}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(1, 0, 0)})
	if r.RunPath != "" || r.Run.Status != "passed" {
		t.Errorf("run %q is %s; a foreign record should change nothing", r.RunPath, r.Run.Status)
	}
	found := false
	for _, d := range r.Diagnostics {
		found = found || d.ID == gateSchemaInvalid && d.Path == "runs/compile-20270101T100000Z.json"
	}
	if !found {
		t.Errorf("no schema-invalid for the foreign record: %v", r.Diagnostics)
	}
}
