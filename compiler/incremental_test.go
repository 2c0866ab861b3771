package compiler

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// editor makes random changes to two directories that hold the same pack.
type editor struct {
	*rand.Rand
	tb   testing.TB
	dirs []string
	n    int // of new names
}

// pick returns a random file below some directories; "" when there is none.
func (e *editor) pick(under ...string) string {
	names := sortedKeys(readTree(e.tb, e.dirs[0]).only(under...))
	if len(names) == 0 {
		return ""
	}
	return names[e.IntN(len(names))]
}

func (e *editor) put(name, text string) {
	for _, dir := range e.dirs {
		tree{name: text}.write(e.tb, dir)
	}
}

func (e *editor) text(name string) string { return readTree(e.tb, e.dirs[0])[name] }

func (e *editor) remove(name string) {
	for _, dir := range e.dirs {
		oktest.Check(e.tb, os.RemoveAll(filepath.Join(dir, name)))
	}
}

// block is a piece of Markdown that some rule looks at.
func (e *editor) block() string {
	link := e.pick("wiki", "documents")
	return []string{
		"- The kettle holds 2 l. [source: sources/measurements.md#L1]\n",
		"- The kettle holds 3 l. [source: sources/extra.md#one] [status: disputed]\n",
		"- It has no source.\n",
		"- Gone. [source: sources/gone.md#L3]\n",
		"Text with a [link](../" + link + ").\n",
		"Text with a [heading](../" + link + "#a-new-heading).\n",
		"A [split](../compiled/splits/wiki/new-1.md).\n",
		"## A new heading\n\nText.\n",
		"## A new heading\n\n### Deeper\n\n" + strings.Repeat("Many words stand here for a long time. ", 300) + "\n",
		order + "\n",
		words(70) + "\n",
		"# Another\n",
	}[e.IntN(12)]
}

// edit makes one change.
func (e *editor) edit() string {
	unit := e.pick("wiki", "documents")
	e.n++
	switch e.IntN(16) {
	case 0, 1, 2, 3, 4:
		e.put(unit, e.text(unit)+"\n"+e.block())
		return "append to " + unit
	case 5:
		e.put(unit, "---\nstatus: "+[]string{"ready", "draft", "stale", "needs-review", "disputed", "odd"}[e.IntN(6)]+"\n---\n# T\n\n"+e.block())
		return "rewrite " + unit
	case 6:
		e.remove(unit)
		return "remove " + unit
	case 7:
		to := fmt.Sprintf("wiki/new-%d.md", e.n%5)
		text := e.text(unit)
		e.remove(unit)
		e.put(to, text)
		return "move " + unit + " to " + to
	case 8:
		to := []string{"wiki/new-1.md", "wiki/open-questions/q.md", "wiki/contradictions/c.md", "documents/wiki.md", "documents/new/n.md", "documents/New.md", "wiki/index.md"}[e.IntN(7)]
		e.put(to, "# New\n\n"+e.block())
		return "add " + to
	case 9:
		e.put("sources/extra.md", "# One\n\n"+e.block())
		return "change a source"
	case 10:
		e.put("sources/extra.md", "# One\n\n"+words(100))
		return "restore a source"
	case 11:
		e.remove("sources/extra.md")
		return "remove a source"
	case 12:
		if made := e.pick("compiled"); made != "" {
			e.put(made, e.text(made)+"\nBy hand.\n")
			return "edit " + made
		}
	case 13:
		if made := e.pick("compiled", "indexes"); made != "" {
			e.remove(made)
			return "remove " + made
		}
	case 14:
		run := e.pick("runs")
		if run != "" && e.IntN(2) == 0 {
			e.remove(run)
			return "remove " + run
		}
		e.put("compiled/voice.md", "# Voice\n\n"+e.block())
		return "make a view"
	case 15:
		e.put("KNOWLEDGE.md", entry([]string{"hybrid", "wiki-first"}[e.IntN(2)], []string{"required", "recommended"}[e.IntN(2)])+e.block())
		return "edit the guide"
	}
	return "nothing"
}

// sameResult compares what two compiles say.
func sameResult(t *testing.T, got, want *Result) {
	t.Helper()
	if diff := cmp.Diff(want.Diagnostics, got.Diagnostics, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("diagnostics (-full +incremental):\n%s", diff)
	}
	if got.Run.Status != want.Run.Status || got.SuggestedStatus != want.SuggestedStatus || got.RunPath != want.RunPath || got.Counts != want.Counts {
		t.Errorf("incremental says %s %s %q %v, full %s %s %q %v", got.Run.Status, got.SuggestedStatus, got.RunPath, got.Counts,
			want.Run.Status, want.SuggestedStatus, want.RunPath, want.Counts)
	}
	if diff := cmp.Diff(want.Outputs(), got.Outputs(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("outputs (-full +incremental):\n%s", diff)
	}
	if !got.Reused {
		if diff := cmp.Diff(want.Units, got.Units, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(UnitInfo{})); diff != "" {
			t.Errorf("units (-full +incremental):\n%s", diff)
		}
	}
}

// TestIncrementalIsFull compares incremental compiles of a pack with full ones
// of a copy of it, over many random changes.
func TestIncrementalIsFull(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			files := tree{}
			for name, text := range packtest.Files(packtest.Options{Name: "p", Profile: "hybrid", Pages: 12, Seed: seed}) {
				files[name] = text
			}
			files["KNOWLEDGE.md"] = entry("hybrid", "required")
			e := &editor{Rand: rand.New(rand.NewPCG(seed, 9)), tb: t, dirs: []string{packDir(t, files), packDir(t, files)}}
			last, reused := clock, 0
			for step := range 30 {
				what := "nothing"
				if e.IntN(4) > 0 {
					what = e.edit()
				}
				if e.IntN(8) == 0 {
					last = last.AddDate(0, 0, 1)
				}
				if e.IntN(3) > 0 {
					believe(t, e.dirs[0])
				}
				got := rememberDir(t, e.dirs[0], Options{Now: last})
				want := compileDir(t, e.dirs[1], Options{Now: last})
				sameResult(t, got, want)
				sameTree(t, "tree", readTree(t, e.dirs[0]), readTree(t, e.dirs[1]))
				if got.Reused {
					reused++
				}
				if t.Failed() {
					t.Fatalf("after step %d: %s", step, what)
				}
			}
			if reused == 0 {
				t.Error("no compile found nothing to do")
			}
			t.Logf("%d compiles found nothing to do", reused)
		})
	}
}

// rememberDir compiles a pack with the store that lies beside its state.
func rememberDir(tb testing.TB, dir string, o Options) *Result {
	tb.Helper()
	disk := store.Open(filepath.Join(dir, stateName, "store"))
	defer disk.Close()
	o.Store = disk.Group("p")
	return compileDir(tb, dir, o)
}

// compileEither compiles a pack with or without a store.
func compileEither(tb testing.TB, dir string, remember bool, o Options) *Result {
	tb.Helper()
	if remember {
		return rememberDir(tb, dir, o)
	}
	return compileDir(tb, dir, o)
}

// believe makes the next compile trust the times of all files that have not changed
// since, as it would some seconds after they were written.
func believe(tb testing.TB, dir string) {
	tb.Helper()
	name := filepath.Join(dir, stateName, treeName)
	known := store.ReadTree(name)
	if known == nil {
		return
	}
	files := slices.Clone(known.Files())
	for i := range files {
		files[i].Quiet = true
	}
	oktest.Check(tb, store.WriteTree(name, store.NewTree(files)))
}

func TestADamagedStoreIsAFullCompile(t *testing.T) {
	files := wikiPack()
	dir := packDir(t, files)
	rememberDir(t, dir, Options{})
	want := readTree(t, dir)
	for _, pattern := range []string{treeName, "store/*/*.seg"} {
		found, err := filepath.Glob(filepath.Join(dir, stateName, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal("nothing is kept", err)
		}
		path := found[0]
		whole := oktest.Value(os.ReadFile(path))(t)
		for i := 0; i < len(whole); i += 1 + len(whole)/13 {
			broken := slices.Clone(whole)
			broken[i] ^= 0x20
			for _, data := range [][]byte{broken, whole[:i]} {
				oktest.Check(t, os.WriteFile(path, data, 0o666))
				tree{"wiki/a.md": files["wiki/a.md"] + fmt.Sprintf("\nEdit %d.\n", i)}.write(t, dir)
				rememberDir(t, dir, Options{})
				files.write(t, dir)
				rememberDir(t, dir, Options{})
			}
		}
	}
	sameTree(t, "outputs", readTree(t, dir).only("compiled", "indexes"), want.only("compiled", "indexes"))
}

func TestNothingChangedReadsNothing(t *testing.T) {
	dir := packDir(t, wikiPack())
	rememberDir(t, dir, Options{})
	believe(t, dir)
	r := rememberDir(t, dir, Options{Visit: func(u *Unit) error {
		t.Errorf("%s was read", u.Doc.Path)
		return nil
	}})
	if !r.Reused || r.RunPath != "" || r.Counts.Splits == 0 {
		t.Errorf("%+v", r)
	}
}

func TestOnlyTheChangedPageIsRead(t *testing.T) {
	files := wikiPack()
	dir := packDir(t, files)
	rememberDir(t, dir, Options{})
	believe(t, dir)
	tree{"wiki/b.md": files["wiki/b.md"] + "\nMore.\n"}.write(t, dir)
	var seen []string
	rememberDir(t, dir, Options{Jobs: 1, Visit: func(u *Unit) error {
		seen = append(seen, u.Doc.Path)
		return nil
	}})
	sameStrings(t, "read", seen, []string{"wiki/b.md"})
}

// TestPagesAreReadOnlyWhenTheyMustBe changes what pages rest on, and sees which of
// them are read again.
func TestPagesAreReadOnlyWhenTheyMustBe(t *testing.T) {
	passage := words(70)
	files := tree{
		"KNOWLEDGE.md":   entry("wiki-first", ""),
		"sources/s.md":   "# S\n\nOne.\n",
		"sources/c.md":   passage + "\n",
		"wiki/copy.md":   "# Copy\n\n" + passage + "\n",
		"wiki/later.md":  "# Later\n\n" + strings.ToUpper(passage[:len(passage)/2]) + strings.Repeat("and more of it follows here ", 15) + "\n",
		"wiki/cites.md":  "# Cites\n\n- It is one. [source: sources/s.md#L3]\n",
		"wiki/plain.md":  "# Plain\n\nText.\n",
		"wiki/linked.md": "# Linked\n\nA [link](plain.md#x).\n",
	}
	later := strings.SplitN(files["wiki/later.md"], "\n\n", 2)[1]
	for _, tt := range []struct {
		name   string
		change tree
		want   []string
	}{
		{"a source that is cited", tree{"sources/s.md": "# S\n\nTwo.\n"}, nil},
		{"a source that a page has copied", tree{"sources/c.md": "Nothing.\n"}, nil},
		{"a new source that a page has copied", tree{"sources/new.md": later}, nil},
		{"the guide", tree{"KNOWLEDGE.md": entry("wiki-first", "") + "\nMore words.\n"}, nil},
		{"the grounding", tree{"KNOWLEDGE.md": entry("wiki-first", "required")}, []string{"wiki/cites.md", "wiki/copy.md", "wiki/later.md", "wiki/linked.md", "wiki/plain.md"}},
		{"a new page", tree{"wiki/plus.md": "# Plus\n"}, []string{"wiki/plus.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := packDir(t, files)
			rememberDir(t, dir, Options{})
			believe(t, dir)
			tt.change.write(t, dir)
			var seen []string
			rememberDir(t, dir, Options{Jobs: 1, Visit: func(u *Unit) error {
				seen = append(seen, u.Doc.Path)
				return nil
			}})
			slices.Sort(seen)
			sameStrings(t, "read", seen, tt.want)
			other := packDir(t, files)
			compileDir(t, other, Options{})
			tt.change.write(t, other)
			compileDir(t, other, Options{})
			sameTree(t, "views", readTree(t, dir).only("compiled"), readTree(t, other).only("compiled"))
		})
	}
}

func FuzzUnitRecord(f *testing.F) {
	one := section{id: "a", title: "A", split: schema.Split{Path: splitsDir + "wiki/a.md"}, statements: []statement{{text: "x", anchors: []anchor{{"sources/s.md", "L1"}}}}}
	f.Add((&file{path: "wiki/a.md", lines: 3, sections: []section{one}}).record())
	one.split.Path = "../a.md"
	f.Add((&file{path: "wiki/a.md", sections: []section{one}}).record())
	f.Fuzz(func(t *testing.T, blob []byte) {
		u := &file{path: "wiki/a.md"}
		if !u.takeRecord(blob) {
			return
		}
		for _, s := range u.sections {
			if s.split.Path != "" && !canGenerate(s.split.Path) && !strings.HasPrefix(s.split.Path, splitsDir) {
				t.Errorf("a split %q was read", s.split.Path)
			}
		}
		again := &file{path: "wiki/a.md"}
		if !again.takeRecord(u.record()) || !reflect.DeepEqual(again, u) {
			t.Error("what was read cannot be written and read again")
		}
	})
}

// canGenerate reports whether compile could have written a file under compiled/.
func canGenerate(name string) bool {
	return isMarkdown(name) && (strings.HasPrefix(name, splitsDir) || path.Dir(name) == "compiled")
}
