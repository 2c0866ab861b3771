package compiler

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/prune"
	"github.com/packgen/packgen/compiler/schema"
)

// readWhole reads a run record through its list, and returns it as JSON.
func readWhole(t *testing.T, dir, name string) string {
	t.Helper()
	return encodedRun(t, readRun(t, dir, name))
}

// readRun reads a run record with its ledger, through its list.
func readRun(t *testing.T, dir, name string) *schema.Run {
	t.Helper()
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }
	data, err := read(name)
	if err != nil {
		t.Fatal(err)
	}
	run, err := schema.ReadRun(data, read)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func encodedRun(t *testing.T, run *schema.Run) string {
	t.Helper()
	text, err := schema.Encode(run)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// lists are the names of the lists of a pack.
func lists(t *testing.T, dir string) []string {
	return slices.DeleteFunc(runNames(t, dir), func(name string) bool { return !schema.IsRunListPath("runs/" + name) })
}

// TestRecordReadThroughItsListIsWhole: over edits, what a record of version 3 says
// together with its list is what the compile found, and what a compile without lists
// records.
func TestRecordReadThroughItsListIsWhole(t *testing.T) {
	for seed, profile := range []string{"hybrid", "wiki-first", "document-first"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			files := quietPack(profile)
			e := &editor{Rand: rand.New(rand.NewPCG(uint64(seed), 21)), tb: t, dirs: []string{packDir(t, files), packDir(t, files)}}
			listed, reused := 0, map[string]int{}
			for step := range 40 {
				what := "first"
				if step > 0 {
					unit := e.pick("wiki", "documents")
					switch what = "append to " + unit; e.IntN(6) {
					case 0:
						e.remove(unit)
						what = "remove " + unit
					case 1:
						e.put(fmt.Sprintf("wiki/p%d.md", e.IntN(9)), e.pageText("wiki/x.md"))
						what = "write another page"
					default:
						e.put(unit, e.text(unit)+"\n"+e.block())
					}
				}
				now := clock.AddDate(0, 0, step)
				short := compileDir(t, e.dirs[0], Options{Now: now, leastListed: 1})
				whole := compileDir(t, e.dirs[1], Options{Now: now})
				if short.RunPath != whole.RunPath {
					t.Fatalf("after %s: %q with lists, %q without", what, short.RunPath, whole.RunPath)
				}
				if short.RunPath == "" {
					continue
				}
				got := readWhole(t, e.dirs[0], short.RunPath)
				if diff := cmp.Diff(readWhole(t, e.dirs[1], whole.RunPath), got); diff != "" {
					t.Fatalf("after %s, step %d (-whole +through the list):\n%s", what, step, diff)
				}
				if got != encodedRun(t, &short.Run) {
					t.Fatal("the record is not what the compile says")
				}
				listed++
				reused[short.Run.List]++
			}
			if listed < 10 || len(reused) == listed {
				t.Errorf("%d records, %d lists", listed, len(reused))
			}
		})
	}
}

// listedPack has many pages.
func listedPack(pages int) tree {
	files := tree{"KNOWLEDGE.md": entry("wiki-first", "recommended"), "sources/s.md": "One.\n"}
	for i := range pages {
		files[fmt.Sprintf("wiki/page-%04d.md", i)] = fmt.Sprintf("# Page %d\n\n- It holds %d. [source: sources/s.md]\n\n## Part\n\nMore.\n", i, i)
	}
	return files
}

func sizeOf(t *testing.T, dir, name string) int {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

// TestRecordOfAnEditIsAsLargeAsTheEdit: the record of one edited page is small,
// and as small in a pack of four times as many pages.
func TestRecordOfAnEditIsAsLargeAsTheEdit(t *testing.T) {
	sizes := map[int]int{}
	for _, pages := range []int{300, 1200} {
		files := listedPack(pages)
		dir := packDir(t, files)
		compileDir(t, dir, Options{})
		tree{"wiki/page-0007.md": files["wiki/page-0007.md"] + "- Another. [source: sources/s.md]\n"}.write(t, dir)
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
		whole := len(readWhole(t, dir, r.RunPath))
		sizes[pages] = sizeOf(t, dir, r.RunPath) + sizeOf(t, dir, schema.RunLedgerPath(r.RunPath))
		if whole < 500*pages || sizes[pages] > 6000 || len(lists(t, dir)) != 1 || r.ListPath != "" {
			t.Errorf("%d pages: the record has %d bytes, the whole one %d; lists %v", pages, sizes[pages], whole, lists(t, dir))
		}
	}
	if more := sizes[1200] - sizes[300]; more > 200 {
		t.Errorf("the record grows with the pack: %v", sizes)
	}
}

// TestManyEditsGetANewList: records do not grow without end.
func TestManyEditsGetANewList(t *testing.T) {
	files := listedPack(100)
	dir := packDir(t, files)
	largest := 0
	for day := range 40 {
		tree{fmt.Sprintf("wiki/page-%04d.md", day): fmt.Sprintf("# Page %d\n\n- It now holds %d. [source: sources/s.md]\n", day, day)}.write(t, dir)
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day), leastListed: 1})
		if day > 0 {
			largest = max(largest, sizeOf(t, dir, r.RunPath))
		}
	}
	if n := len(lists(t, dir)); n < 3 || n > 20 || largest > 20_000 {
		t.Errorf("%d lists, the largest record has %d bytes", n, largest)
	}
	// What no record that stays refers to goes with prune runs.
	before := claimStates(t, dir)
	pruned := pruneDir(t, dir, prune.Options{})
	if left := lists(t, dir); len(left) != 1 || len(runNames(t, dir)) != 3 || len(pruned.Removed) < 80 {
		t.Errorf("left %v, removed %d", runNames(t, dir), len(pruned.Removed))
	}
	if after := claimStates(t, dir); after != before {
		t.Errorf("claims have another status:\n%s", cmp.Diff(before, after))
	}
}

// TestListThatIsGone: a list that is missing or damaged is reported, with what to do,
// and the next record gets a list of its own.
func TestListThatIsGone(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"missing": os.Remove,
		"damaged": func(path string) error { return os.WriteFile(path, []byte("{}\n"), 0o666) },
		"cut":     func(path string) error { return os.Truncate(path, 100) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := packDir(t, listedPack(20))
			compileOn := func(day int) *Result {
				return rememberDir(t, dir, Options{Now: clock.AddDate(0, 0, day), leastListed: 1})
			}
			first := compileOn(0)
			if err := harm(filepath.Join(dir, first.ListPath)); err != nil {
				t.Fatal(err)
			}
			second := compileOn(1)
			at := slices.IndexFunc(second.Diagnostics, func(d diag.Diagnostic) bool { return d.Path == first.RunPath })
			if at < 0 || !strings.Contains(second.Diagnostics[at].Message, first.ListPath) || !strings.Contains(second.Diagnostics[at].Hint, "version control") {
				t.Fatalf("reported %+v", second.Diagnostics)
			}
			if second.RunPath == "" || second.ListPath == "" {
				t.Fatalf("run %q, list %q", second.RunPath, second.ListPath)
			}
			if got := readWhole(t, dir, second.RunPath); got != encodedRun(t, &second.Run) {
				t.Error("the new record does not read as the compile found it")
			}
			third := compileOn(2)
			if third.RunPath != "" || slices.ContainsFunc(third.Diagnostics, func(d diag.Diagnostic) bool { return strings.HasPrefix(d.Path, "runs/") }) {
				t.Errorf("then: run %q, %v", third.RunPath, third.Diagnostics)
			}
		})
	}
}

// TestRecordUnchangedIsWhole: with the option every record holds everything.
func TestRecordUnchangedIsWhole(t *testing.T) {
	dir := packDir(t, listedPack(20))
	r := compileDir(t, dir, Options{RecordUnchanged: true, leastListed: 1})
	if got := readWhole(t, dir, r.RunPath); got != encodedRun(t, &r.Run) || len(lists(t, dir)) > 0 {
		t.Errorf("%d bytes, %v", len(got), lists(t, dir))
	}
	// The next one has no list to refer to.
	if r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1), leastListed: 1}); r.RunPath != "" {
		t.Errorf("an unchanged pack was recorded: %s", r.RunPath)
	}
}

// TestSmallRecordIsWhole: a small pack has whole records and no list.
func TestSmallRecordIsWhole(t *testing.T) {
	dir := packDir(t, listedPack(20))
	r := compileDir(t, dir, Options{})
	data, err := os.ReadFile(filepath.Join(dir, schema.RunLedgerPath(r.RunPath)))
	if err != nil || strings.Contains(string(data), `"base"`) || len(lists(t, dir)) > 0 {
		t.Errorf("%v\n%.200s\n%v", err, data, lists(t, dir))
	}
}
