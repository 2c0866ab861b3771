package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// sourced is a pack with one claim on a source.
func sourced() tree {
	return tree{
		"KNOWLEDGE.md":   entry("document-first", "required", "metadata:\n  primaryDocument: documents/a.md"),
		"documents/a.md": "# A\n\n- one [source: sources/s.md#L1]\n", "sources/s.md": "one\n",
	}
}

// A run record is a user's file like any other. Whatever is in runs/, a
// compile ends, and says which record it could not use.
func TestBadRunRecords(t *testing.T) {
	dir := packDir(t, sourced())
	first := compileDir(t, dir, Options{})
	whole, err := os.ReadFile(filepath.Join(dir, first.RunPath))
	oktest.Check(t, err)
	beside := schema.RunLedgerPath(first.RunPath)
	ledger := readTree(t, dir)[beside]
	late := `runs/compile-2026-06-02T08-00-00Z.json`
	for _, tt := range []struct {
		name, path, text string
		reported         bool
		status           string // after the source has changed
	}{
		{"truncated", late, string(whole[:len(whole)/2]), true, "stale"},
		{"empty", late, "", true, "stale"},
		{"no JSON", late, "runs\n", true, "stale"},
		{"an array", late, "[]", true, "stale"},
		{"of another tool", late, `{"id": "x", "packName": "p", "status": "completed"}`, true, "stale"},
		{"with a key of its own", late, strings.Replace(string(whole), `"trigger"`, `"mood": "good", "trigger"`, 1), true, "stale"},
		{"of another kind", "runs/context-2026-06-02T08-00-00Z.json", "{", false, "stale"},
		{"named by hand", "runs/compile-last.json", "{", false, "stale"},
		{"from the future", "runs/compile-2999-01-01T00-00-00Z.json", string(whole), false, "stale"},
		{"forged", late, strings.Replace(string(whole), schema.SHA256([]byte("one\n")), schema.SHA256([]byte("two\n")), 1), true, "stale"},
		{"with hashes that are none", late, strings.Replace(string(whole), schema.SHA256([]byte("one\n")), "../../etc/passwd", 1), true, "stale"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := packDir(t, sourced().with(tree{first.RunPath: string(whole), beside: ledger, tt.path: tt.text, "sources/s.md": "two\n"}))
			r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 3)})
			reported := false
			for _, d := range r.Diagnostics {
				reported = reported || d.ID == gateSchemaInvalid && d.Path == tt.path
			}
			if reported != tt.reported || string(r.Run.Status) != tt.status {
				t.Errorf("reported %v, run %s; want %v, %s: %v", reported, r.Run.Status, tt.reported, tt.status, r.Diagnostics)
			}
			if again := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 4)}); again.RunPath != "" {
				t.Errorf("a second compile wrote %s", again.RunPath)
			}
		})
	}
}

// A run under a clock that was set back is still the newest by its name: the next
// compile has nothing to record, and a source that changes after it is noticed.
func TestClockSetBack(t *testing.T) {
	dir := packDir(t, sourced())
	compileDir(t, dir, Options{})
	tree{"documents/a.md": "# A\n\n- one more [source: sources/s.md#L1]\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(-1, 0, 0)})
	if want := schema.RunID(clock, 2); r.Run.RunID != want {
		t.Errorf("the run is %s, want %s", r.Run.RunID, want)
	}
	want := readTree(t, dir)
	for _, incremental := range []bool{false, true} {
		r := compileEither(t, dir, incremental, Options{Now: clock.AddDate(-2, 0, 0)})
		if r.Run.Status != "passed" {
			t.Errorf("the run is %s: %v", r.Run.Status, r.Diagnostics)
		}
		sameTree(t, "outputs", readTree(t, dir).only("compiled", "indexes", "runs"), want.only("compiled", "indexes", "runs"))
	}
	tree{"sources/s.md": "two\n"}.write(t, dir)
	r = rememberDir(t, dir, Options{Now: clock.AddDate(-2, 0, 0)})
	if want := schema.RunID(clock, 3); r.Run.Status != "stale" || r.Run.RunID != want {
		t.Errorf("after its source has changed run %s is %s, want %s, stale", r.Run.RunID, r.Run.Status, want)
	}
}

// Pruning leaves numbers free between the runs of one second; the next run is still
// named after the newest.
func TestRunsOfOneSecondAfterAPrune(t *testing.T) {
	dir := packDir(t, sourced())
	for _, text := range []string{"two\n", "three\n", "four\n"} {
		compileDir(t, dir, Options{})
		tree{"sources/s.md": text}.write(t, dir)
	}
	oktest.Check(t, os.Remove(filepath.Join(dir, "runs", schema.RunID(clock, 2)+".json")))
	r := compileDir(t, dir, Options{Now: clock.Add(time.Second / 2)})
	if want := schema.RunID(clock, 4); r.Run.RunID != want || r.Run.Status != "stale" {
		t.Errorf("run %s is %s, want %s, stale", r.Run.RunID, r.Run.Status, want)
	}
	if again := compileDir(t, dir, Options{}); again.RunPath != "" {
		t.Errorf("a second compile wrote %s", again.RunPath)
	}
}

// Times of files say nothing: an edit that keeps size and time is found.
func TestEditThatKeepsItsTimeIsFound(t *testing.T) {
	dir := packDir(t, sourced())
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	set := func(text string) {
		tree{"documents/a.md": text}.write(t, dir)
		oktest.Check(t, os.Chtimes(filepath.Join(dir, "documents/a.md"), old, old))
	}
	set("# A\n\n- one [source: sources/s.md#L1]\n")
	rememberDir(t, dir, Options{})
	rememberDir(t, dir, Options{})
	set("# A\n\n- two [source: sources/s.md#L1]\n")
	if r := rememberDir(t, dir, Options{}); r.Reused || !strings.Contains(readTree(t, dir)[sourceMapPath], `"two"`) {
		t.Errorf("the edit was overlooked: %+v", r)
	}
}

func TestPackThatIsRenamedOrMoved(t *testing.T) {
	dir := packDir(t, sourced())
	rememberDir(t, dir, Options{})
	moved := filepath.Join(t.TempDir(), "p")
	oktest.Check(t, os.Rename(dir, moved))
	want := readTree(t, moved)
	if r := rememberDir(t, moved, Options{}); r.RunPath != "" || r.Run.Status != "passed" {
		t.Errorf("moved: run %q is %s: %v", r.RunPath, r.Run.Status, r.Diagnostics)
	}
	sameTree(t, "moved", readTree(t, moved), want)

	renamed := strings.Replace(sourced()["KNOWLEDGE.md"], "name: p", "name: q", 1)
	tree{"KNOWLEDGE.md": renamed}.write(t, moved)
	other := filepath.Join(filepath.Dir(moved), "q")
	oktest.Check(t, os.Rename(moved, other))
	r := rememberDir(t, other, Options{Now: clock.AddDate(0, 0, 1)})
	if r.Run.Status != "passed" || r.Index.Pack != "q" {
		t.Errorf("renamed: %s, index of %q: %v", r.Run.Status, r.Index.Pack, r.Diagnostics)
	}
	fresh := filepath.Join(t.TempDir(), "q")
	sourced().with(tree{"KNOWLEDGE.md": renamed}).write(t, fresh)
	compileDir(t, fresh, Options{Now: clock.AddDate(0, 0, 1)})
	sameTree(t, "renamed", readTree(t, other).only("compiled", "indexes"), readTree(t, fresh).only("compiled", "indexes"))
}

// takeClaimsOut takes the claims out of a run record.
func takeClaimsOut(t *testing.T, name string) {
	t.Helper()
	name = strings.Replace(name, "compile-", "ledger-", 1)
	data, err := os.ReadFile(name)
	oktest.Check(t, err)
	ledger, err := schema.DecodeRunLedger(data)
	oktest.Check(t, err)
	ledger.Claims, ledger.RemovedClaims = nil, nil
	if data, err = schema.Encode(ledger); err != nil {
		t.Fatal(err)
	}
	oktest.Check(t, os.WriteFile(name, data, 0o666))
}

// Whatever becomes of the run records, a claim that an earlier compile knew is not good
// while nothing says what its source said then; it is again once the records are restored,
// its author marks it confirmed, or the pack is compiled as for the first time.
func TestRunsThatWereLost(t *testing.T) {
	names := func(t *testing.T, dir string) []string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(dir, "runs", "compile-*"))
		if err != nil || len(list) < 2 {
			t.Fatal(list, err)
		}
		return list
	}
	remove := func(t *testing.T, list ...string) {
		t.Helper()
		for _, name := range list {
			oktest.Check(t, os.RemoveAll(name))
		}
	}
	for _, lose := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want []string // statuses of the runs that may follow
	}{
		{"deleted", func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "runs")) }, []string{"needs-review"}},
		{"damaged", func(t *testing.T, dir string) {
			for _, name := range names(t, dir) {
				tree{filepath.Base(name): "{"}.write(t, filepath.Join(dir, "runs"))
			}
		}, []string{"needs-review"}},
		{"the ledgers deleted", func(t *testing.T, dir string) {
			for _, name := range names(t, dir) {
				remove(t, strings.Replace(name, "compile-", "ledger-", 1))
			}
		}, []string{"needs-review"}},
		{"the ledger of the newest deleted", func(t *testing.T, dir string) {
			remove(t, strings.Replace(names(t, dir)[1], "compile-", "ledger-", 1))
		}, []string{"needs-review"}},
		{"the newest deleted", func(t *testing.T, dir string) { remove(t, names(t, dir)[1]) }, []string{"needs-review"}},
		{"the claims of the newest taken out", func(t *testing.T, dir string) { takeClaimsOut(t, names(t, dir)[1]) }, []string{"needs-review"}},
		{"deleted, with the source map", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "runs"), filepath.Join(dir, "indexes"))
		}, []string{"needs-review"}},
		{"deleted, with all but splits", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "runs"), filepath.Join(dir, "indexes"), filepath.Join(dir, "compiled/index.json"))
		}, []string{"needs-review"}},
		{"the claims of all taken out, and of the source map", func(t *testing.T, dir string) {
			for _, name := range names(t, dir) {
				takeClaimsOut(t, name)
			}
			tree{sourceMapPath: "{\"claims\": [], \"document_sections\": []}\n"}.write(t, dir)
		}, []string{"needs-review"}},
		{"deleted, and the source map emptied", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "runs"))
			tree{sourceMapPath: "{\"claims\": [], \"document_sections\": []}\n"}.write(t, dir)
		}, []string{"needs-review"}},
	} {
		for _, incremental := range []bool{false, true} {
			t.Run(fmt.Sprint(lose.name, " ", incremental), func(t *testing.T) {
				files := sourced()
				dir := packDir(t, files.with(tree{"documents/a.md": "# A\n\nText.\n"}))
				day := clock
				step := func(want string) {
					t.Helper()
					day = day.AddDate(0, 0, 1)
					if r := compileEither(t, dir, incremental, Options{Now: day}); string(r.Run.Status) != want {
						t.Errorf("the run is %s, want %s: %v", r.Run.Status, want, found(r))
					}
				}
				step("passed")
				tree{"documents/a.md": files["documents/a.md"]}.write(t, dir)
				step("passed")
				whole := readTree(t, dir).only("runs")
				lose.do(t, dir)
				tree{"sources/s.md": "two\n"}.write(t, dir)
				for _, want := range lose.want {
					step(want)
				}
				tree{"documents/b.md": "# B\n\nMore.\n"}.write(t, dir)
				step("needs-review")
				whole.write(t, dir)
				step("stale") // the records are restored
				tree{"documents/a.md": "# A\n\n- one [source: sources/s.md#L1] [status: confirmed]\n"}.write(t, dir)
				step("passed")
				remove(t, filepath.Join(dir, "runs"), filepath.Join(dir, "compiled"), filepath.Join(dir, "indexes"))
				step("passed")
			})
		}
	}
}

// A new claim is not a lost one.
func TestANewClaimAfterAMerge(t *testing.T) {
	dir := packDir(t, sourced())
	compileDir(t, dir, Options{})
	tree{"documents/b.md": "# B\n\n- other [source: sources/s.md#L1]\n"}.write(t, dir)
	compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	ours := readTree(t, dir).only("indexes", "compiled")
	tree{"documents/b.md": "# B\n\nText.\n", "documents/c.md": "# C\n\n- third [source: sources/s.md#L1]\n"}.write(t, dir)
	compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 2)})
	compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 3), RecordUnchanged: true})
	// The outputs are those of one branch, the newest record that of the other one.
	ours.write(t, dir)
	tree{"documents/b.md": "# B\n\n- other [source: sources/s.md#L1]\n- new [source: sources/s.md#L1]\n"}.write(t, dir)
	if r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 4)}); r.Run.Status != "passed" {
		t.Errorf("the run is %s: %v", r.Run.Status, found(r))
	}
}

// A source map is always ours: one by hand is overwritten and believed by nobody.
func TestSourceMapByHand(t *testing.T) {
	dir := packDir(t, sourced())
	compileDir(t, dir, Options{})
	want := readTree(t, dir).only("compiled", "indexes")
	for _, text := range []string{
		"", "{", `{"claims": []}`, `{"claims": [{"claim_id": "clm-1", "text": "Never said.", "status": "confirmed", "source": {"path": "../../etc/passwd"}}]}`,
		strings.Repeat("[", 100_000),
	} {
		tree{sourceMapPath: text}.write(t, dir)
		if r := rememberDir(t, dir, Options{}); r.Run.Status != "passed" {
			t.Errorf("the run is %s: %v", r.Run.Status, r.Diagnostics)
		}
		sameTree(t, "outputs", readTree(t, dir).only("compiled", "indexes"), want)
	}
}

func TestAnchorsToNowhere(t *testing.T) {
	for _, tt := range []struct{ anchor, gate string }{
		{"sources", gateAnchorUnresolved},
		{"sources/dir", gateSourceMissing},
		{"sources/dir/", gateAnchorUnresolved},
		{"sources/dir#L1", gateSourceMissing},
		{"sources/picture.png", ""},
		{"sources/picture.png#heading", gateAnchorUnresolved},
		{"sources/picture.png#L9", gateAnchorUnresolved},
		{"sources/s.md#L1000000000000000000", gateAnchorUnresolved},
		{"sources/s.md#L99999999999999999999999999", gateAnchorUnresolved},
		{"sources/s.md#L1-L1000000000000000000", gateAnchorUnresolved},
		{"sources/s.md#L0", gateAnchorUnresolved},
		{"sources/s.md#L2-L1", gateAnchorUnresolved},
		{"sources/s.md#page=0", gateAnchorUnresolved},
		{"sources/s.md#page=99999999999999999999", ""},
		{"sources/loop/s.md", gateSourceMissing},
		{"sources/../sources/s.md", gatePathEscape},
		{"KNOWLEDGE.md", gateAnchorUnresolved},
		{"https://example.org", gateAnchorUnresolved},
	} {
		t.Run(tt.anchor, func(t *testing.T) {
			files := sourced().with(tree{
				"documents/a.md": "# A\n\n- one [source: " + tt.anchor + "]\n", "sources/dir/x.md": "x\n", "sources/picture.png": "\x89PNG\x00\xff\n",
			})
			dir := packDir(t, files)
			r := compileDir(t, dir, Options{})
			var got []string
			for _, d := range r.Diagnostics {
				if d.ID != gateClaimUnsourced {
					got = append(got, d.ID)
				}
			}
			if strings.Join(got, " ") != tt.gate {
				t.Errorf("gates %v, want %q: %v", got, tt.gate, r.Diagnostics)
			}
		})
	}
}

func TestLinkLoops(t *testing.T) {
	dir := packDir(t, sourced())
	for from, to := range map[string]string{"sources/loop": ".", "documents/up": "..", "wiki": "wiki", "sources/a": "b", "sources/b": "a"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Skip(err)
		}
	}
	for range 3 {
		r := rememberDir(t, dir, Options{})
		loops := 0
		for _, d := range r.Diagnostics {
			if d.ID == "symlink-loop" {
				loops++
			}
		}
		if loops < 4 || r.Run.Status != "failed" || r.Counts.Splits != 1 {
			t.Errorf("%d loops, run %s, %d splits: %v", loops, r.Run.Status, r.Counts.Splits, r.Diagnostics)
		}
		believe(t, dir)
	}
}

// A name that counts to the end leaves no number behind it.
func TestRunIsNamedAfterAForgedNumber(t *testing.T) {
	for _, tt := range []struct{ forged, want string }{
		{schema.RunID(clock, schema.MaxRunNumber), schema.RunID(clock.Add(time.Second), 1)},
		{schema.RunID(clock, schema.MaxRunNumber-1), schema.RunID(clock, schema.MaxRunNumber)},
		{fmt.Sprintf("compile-9999-12-31T23-59-59Z-%d", schema.MaxRunNumber), schema.RunID(clock, 1)},
	} {
		dir := packDir(t, sourced())
		tree{"runs/" + tt.forged + ".json": "{\"run_id\": \"" + tt.forged + "\", \"trigger\": \"manual\", \"status\": \"passed\", \"inputs\": [], \"outputs\": []}\n"}.write(t, dir)
		r := compileDir(t, dir, Options{})
		if r.Run.RunID != tt.want {
			t.Errorf("after %s comes %s, want %s", tt.forged, r.Run.RunID, tt.want)
		}
		if _, err := schema.ParseRunName(r.Run.RunID); err != nil {
			t.Error(err)
		}
	}
}
