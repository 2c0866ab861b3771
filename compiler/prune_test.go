package compiler

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/prune"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

func pruneDir(t *testing.T, dir string, o prune.Options) *prune.Result {
	t.Helper()
	p, _, err := pack.Open(dir)
	oktest.Check(t, err)
	defer p.Close()
	r, err := prune.Runs(context.Background(), p, o)
	oktest.Check(t, err)
	return r
}

// runNames lists the files of runs/.
func runNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "runs"))
	oktest.Check(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// claimStates is what a dry compile says: the status of each document's claims
// and the findings.
func claimStates(t *testing.T, dir string) string {
	t.Helper()
	r := compileDir(t, dir, Options{DryRun: true, Now: clock.AddDate(5, 0, 0)})
	var b strings.Builder
	for _, c := range r.SourceMap.Claims {
		fmt.Fprintln(&b, c.Document, c.Source.Path, c.Status)
	}
	for _, d := range r.Diagnostics {
		fmt.Fprintln(&b, d.Path, d.Record())
	}
	return b.String()
}

// readRun reads a run record with its ledger.
func readRun(t *testing.T, dir, name string) *schema.Run {
	t.Helper()
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	data, err := read(name)
	oktest.Check(t, err)
	run, err := schema.ReadRun(data, read)
	oktest.Check(t, err)
	return run
}

func encodedRun(t *testing.T, run *schema.Run) string {
	t.Helper()
	text, err := schema.Encode(run)
	oktest.Check(t, err)
	return string(text)
}

// cites is a document with a claim on each source.
func cites(name, more string, sources ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", name)
	for _, s := range sources {
		fmt.Fprintf(&b, "- Claim %s on %s. [source: sources/%s.md#L1]\n", name, s, s)
	}
	return b.String() + more
}

// age makes the run records of a pack those of another tool, which knows no claims.
func age(t *testing.T, dir string) {
	t.Helper()
	for name := range readTree(t, dir).only("runs") {
		if schema.RunLedgerPath(name) == "" {
			continue
		}
		run := readRun(t, dir, name)
		run.Compiler.Tool = "another"
		tree{name: encodedRun(t, run)}.write(t, dir)
		_ = os.Remove(filepath.Join(dir, schema.RunLedgerPath(name)))
	}
}

// The newest run holds the baselines of all claims.
func TestPruneKeepsTheNewestRun(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": cites("a", "", "s"), "documents/b.md": cites("b", "", "s"), "sources/s.md": "one\n",
	})
	for day, change := range []tree{
		{}, {"sources/s.md": "two\n"}, {"documents/a.md": cites("a", "\nMore.\n", "s")}, {"documents/b.md": "# B\n"},
	} {
		change.write(t, dir)
		compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
	}
	before := claimStates(t, dir)
	r := pruneDir(t, dir, prune.Options{})
	if diff := cmp.Diff([]prune.Kept{{Path: "runs/compile-2026-06-04T08-00-00Z.json", Why: "newest"}}, r.Kept); diff != "" || len(r.Removed) != 6 || len(runNames(t, dir)) != 2 {
		t.Errorf("removed %v, kept (-want +got):\n%s", r.Removed, diff)
	}
	if after := claimStates(t, dir); after != before || !strings.Contains(after, "documents/a.md sources/s.md stale") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	tree{"documents/b.md": cites("b", "", "s")}.write(t, dir)
	if after := claimStates(t, dir); !strings.Contains(after, "documents/b.md sources/s.md stale") {
		t.Errorf("a stale claim came back as\n%s", after)
	}
}

// Records of another tool have no ledger: together they are the baseline, until a compile
// has written one.
func TestPruneKeepsTheRecordsOfAnotherTool(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": cites("a", "", "s"), "documents/b.md": cites("b", "", "s"), "sources/s.md": "one\n",
	})
	for day, change := range []tree{{}, {"sources/s.md": "two\n"}, {"documents/a.md": cites("a", "\nMore.\n", "s")}} {
		change.write(t, dir)
		compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
		age(t, dir)
	}
	tree{"runs/compile-2026-06-02T09-00-00Z.json": "{", "runs/lint-2026.json": "{}", "runs/note.txt": "x"}.write(t, dir)
	day := func(n int) string { return fmt.Sprintf("runs/compile-2026-06-%02dT08-00-00Z.json", 1+n) }
	broken := prune.Kept{Path: "runs/compile-2026-06-02T09-00-00Z.json", Why: "unreadable"}
	want := &prune.Result{Kept: []prune.Kept{{Path: day(2), Why: "newest"}, broken, {Path: day(1), Why: "baseline"}, {Path: day(0), Why: "baseline"}}}
	if diff := cmp.Diff(want, pruneDir(t, dir, prune.Options{})); diff != "" {
		t.Error(diff)
	}
	compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 3), RecordUnchanged: true})
	before, all := claimStates(t, dir), runNames(t, dir)
	dry := pruneDir(t, dir, prune.Options{DryRun: true})
	if !slices.Equal(runNames(t, dir), all) {
		t.Error("a dry run removed something")
	}
	r := pruneDir(t, dir, prune.Options{})
	if diff := cmp.Diff(dry, r); diff != "" {
		t.Errorf("the dry run said something else: %s", diff)
	}
	if diff := cmp.Diff([]prune.Kept{{Path: day(3), Why: "newest"}, broken}, r.Kept); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{day(2), day(1), day(0)}, r.Removed); diff != "" || r.Bytes == 0 {
		t.Error(diff, r.Bytes)
	}
	if after := claimStates(t, dir); after != before || !strings.Contains(after, "documents/b.md sources/s.md stale") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if again := pruneDir(t, dir, prune.Options{}); len(again.Removed) > 0 {
		t.Errorf("a second prune removed %v", again.Removed)
	}
	for _, name := range []string{"lint-2026.json", "note.txt"} {
		if !slices.Contains(runNames(t, dir), name) {
			t.Errorf("%s was removed", name)
		}
	}
}

// A compile that records a run removes the oldest of its tool beyond what is kept; the
// claims, and what the next compile finds to do, stay as they are.
func TestRunsBeyondThoseToKeepGo(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": cites("a", "", "s"), "sources/s.md": "one\n"})
	compileDir(t, dir, Options{})
	age(t, dir)
	last := ""
	for day := range 5 {
		tree{"sources/s.md": fmt.Sprintf("text %d\n", day)}.write(t, dir)
		r := rememberDir(t, dir, Options{Now: clock.AddDate(0, 0, 1+day), KeepRuns: 2})
		if want := min(day, 1) + 1; len(r.Recorded) != want {
			t.Errorf("day %d: earlier runs are %v", day, r.Recorded)
		}
		last = r.RunPath
		if again := rememberDir(t, dir, Options{Now: clock.AddDate(0, 0, 1+day), KeepRuns: 2}); again.RunPath != "" {
			t.Errorf("day %d: a compile without a change recorded %s", day, again.RunPath)
		}
	}
	want := []string{"compile-2026-06-01T08-00-00Z.json", "compile-2026-06-05T08-00-00Z.json", "compile-2026-06-06T08-00-00Z.json", "ledger-2026-06-05T08-00-00Z.json", "ledger-2026-06-06T08-00-00Z.json"}
	if diff := cmp.Diff(want, runNames(t, dir)); diff != "" || last != "runs/"+want[2] {
		t.Error(last, diff)
	}
	if states := claimStates(t, dir); !strings.Contains(states, "documents/a.md sources/s.md stale") {
		t.Error(states)
	}
}

// Two branches that both compiled are merged: the union of their files and runs.
// The baseline is that of the rule, before and after the runs are pruned, and
// also where each branch had pruned its own.
func TestBaselineAfterAMergeAndAPrune(t *testing.T) {
	common := tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": cites("a", "", "s"), "documents/b.md": cites("b", "", "s"), "sources/s.md": "one\n",
	}
	for _, tt := range []struct {
		name        string
		left, right []tree // compiles on each branch, the right ones later
		a, b        string
	}{
		{
			"the source changed on one side, a page on the other",
			[]tree{{"sources/s.md": "two\n"}}, []tree{{"documents/a.md": cites("a", "\nMore.\n", "s")}}, "stale", "stale",
		},
		{
			"both sides edit pages",
			[]tree{{"documents/a.md": cites("a", "\nMore.\n", "s")}}, []tree{{"sources/s.md": "two\n"}, {"documents/b.md": cites("b", "\nMore.\n", "s")}}, "stale", "stale",
		},
		{
			"a page is edited after the source",
			[]tree{{"sources/s.md": "two\n"}, {"documents/a.md": cites("a", "\nMore.\n", "s")}}, []tree{{"documents/c.md": "# c\n"}}, "stale", "stale",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var states []string
			for _, pruned := range []bool{false, true} {
				merged := tree{}
				for side, changes := range [][]tree{tt.left, tt.right} {
					dir := packDir(t, common)
					compileDir(t, dir, Options{})
					all := tree{}
					for day, change := range changes {
						change.write(t, dir)
						all = all.with(change)
						compileDir(t, dir, Options{Now: clock.AddDate(0, side+1, day)})
					}
					if pruned {
						pruneDir(t, dir, prune.Options{})
					}
					merged = merged.with(all)
					for name, text := range readTree(t, dir) {
						if strings.HasPrefix(name, "runs/") {
							merged[name] = text
						}
					}
				}
				dir := packDir(t, common.with(merged))
				state := claimStates(t, dir)
				pruneDir(t, dir, prune.Options{})
				if after := claimStates(t, dir); after != state {
					t.Errorf("before:\n%s\nafter:\n%s", state, after)
				}
				states = append(states, state)
			}
			if states[0] != states[1] {
				t.Errorf("whole branches:\n%s\npruned ones:\n%s", states[0], states[1])
			}
			for document, want := range map[string]string{"a": tt.a, "b": tt.b} {
				if !strings.Contains(states[0], fmt.Sprintf("documents/%s.md sources/s.md %s\n", document, want)) {
					t.Errorf("%s is not %s:\n%s", document, want, states[0])
				}
			}
		})
	}
}

// Whatever the history, pruning changes nothing that later compiles say, however
// the files change afterwards.
func TestPruneIsNeverSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "c"}
	step := func(dir string) {
		name := names[random.IntN(len(names))]
		source := filepath.Join(dir, "sources", name+".md")
		document := filepath.Join(dir, "documents", name+".md")
		switch random.IntN(6) {
		case 0:
			_ = os.Remove(source) // it may be gone already
		case 1, 2, 3:
			tree{"sources/" + name + ".md": fmt.Sprintf("text %d\n", random.IntN(3))}.write(t, dir)
		case 4:
			_ = os.Remove(document)
		default:
			more := strings.Repeat("\nMore.\n", random.IntN(3))
			tree{"documents/" + name + ".md": cites(name, more, names[:1+random.IntN(3)]...)}.write(t, dir)
		}
	}
	removed := 0
	for round := range 10 {
		dir := packDir(t, tree{
			"KNOWLEDGE.md": entry("document-first", "required"), "documents/a.md": cites("a", "", "a", "b"), "documents/b.md": cites("b", "", "a", "c"),
			"documents/c.md": cites("c", "", "b"), "sources/a.md": "text 0\n", "sources/b.md": "text 0\n", "sources/c.md": "text 0\n",
		})
		for day := range 4 + random.IntN(8) {
			step(dir)
			compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
			if round%2 == 0 || day < 3 {
				age(t, dir)
			}
		}
		if random.IntN(2) == 0 {
			step(dir)
		}
		if _, err := os.Stat(filepath.Join(dir, "documents")); err != nil {
			continue
		}
		other := filepath.Join(t.TempDir(), "p")
		oktest.Check(t, os.CopyFS(other, os.DirFS(dir)))
		removed += len(pruneDir(t, other, prune.Options{}).Removed)
		// The source that was missing comes back, texts go back to older ones.
		for later := range 3 {
			if whole, pruned := claimStates(t, dir), claimStates(t, other); whole != pruned {
				t.Fatalf("round %d, %d changes later:\n%s\npruned:\n%s", round, later, whole, pruned)
			}
			state := random.Uint64()
			for _, d := range []string{dir, other} {
				random = rand.New(rand.NewPCG(state, 3))
				step(d)
			}
		}
	}
	if removed == 0 {
		t.Error("nothing was ever removed")
	}
}

func TestPruneWaitsForTheLock(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n"})
	tx, err := publish.Begin(context.Background(), publish.Options{Target: dir, StateDir: filepath.Join(dir, stateName)})
	oktest.Check(t, err)
	defer tx.Abort()
	p, _, err := pack.Open(dir)
	oktest.Check(t, err)
	defer p.Close()
	if _, err := prune.Runs(context.Background(), p, prune.Options{}); !errors.Is(err, publish.ErrLocked) {
		t.Errorf("got %v", err)
	}
}
