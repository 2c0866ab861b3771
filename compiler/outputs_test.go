package compiler

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// wikiPack is a pack with every generated view.
func wikiPack() tree {
	return tree{
		"KNOWLEDGE.md":                 entry("wiki-first", "required") + "\n## Limits\n\n- Say no more.\n",
		"sources/s.md":                 "# S\n\none\n",
		"wiki/index.md":                "# Index\n\n- [B](b.md)\n",
		"wiki/a.md":                    "# A\n\nAbout a.\n\n- Claim a. [source: sources/s.md#L3]\n",
		"wiki/b.md":                    "# B\n\nAbout b.\n\n- Claim b. [source: sources/s.md#L1]\n",
		"wiki/open-questions/index.md": "# What is c?\n\n- When?\n",
	}
}

// operation returns what a run says of a file.
func operation(r *Result, path string) string {
	for _, o := range r.Outputs() {
		if o.Path == path {
			return o.Operation
		}
	}
	return ""
}

func TestEditedOutputsAreKept(t *testing.T) {
	for _, path := range []string{"compiled/splits/wiki/a.md", briefingPath, factsPath, boundariesPath} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			dir := packDir(t, wikiPack())
			first := compileDir(t, dir, Options{})
			wanted := readTree(t, dir)
			tree{path: "edited\n"}.write(t, dir)

			r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
			files := readTree(t, dir)
			if files[path] != "edited\n" || operation(r, path) != "unchanged" || r.Run.Status != "needs-review" {
				t.Errorf("the file is %q, %s in a run that is %s", files[path], operation(r, path), r.Run.Status)
			}
			if want := path + " [view-hand-edited] Edited by hand; kept."; !slices.Contains(found(r), want) {
				t.Errorf("%q is not among %v", want, found(r))
			}
			if status := r.Doubtful()[path]; status == "" || path != boundariesPath && status != "needs-review" {
				t.Errorf("what was edited is %q", status)
			}
			if files[indexPath] != wanted[indexPath] {
				t.Error("the index no longer records what compile wanted to write")
			}

			r = compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 2)})
			if r.RunPath != "" || readTree(t, dir)[path] != "edited\n" {
				t.Errorf("the next compile wrote %q", r.RunPath)
			}

			r = compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 3), Force: true})
			if got := readTree(t, dir)[path]; got != wanted[path] || operation(r, path) != "updated" || r.Run.Status != first.Run.Status {
				t.Errorf("with force the file is %q, %s", got, operation(r, path))
			}
		})
	}
}

func TestFilesInTheWayAreKept(t *testing.T) {
	const split = "compiled/splits/wiki/a.md"
	dir := packDir(t, wikiPack().with(tree{
		split: "not recorded\n", "compiled/splits/other.txt": "unknown\n", "compiled/splits/wiki/z.md": "unknown too\n",
	}))
	r := compileDir(t, dir, Options{})
	files := readTree(t, dir)
	if files[split] != "not recorded\n" || files["compiled/splits/other.txt"] == "" || files["compiled/splits/wiki/z.md"] == "" {
		t.Errorf("a file that compile has not written was touched: %v", sortedKeys(files))
	}
	if operation(r, split) != "unchanged" || operation(r, "compiled/splits/wiki/z.md") != "" {
		t.Errorf("outputs %v", r.Outputs())
	}
}

func TestFileWithTheWantedBytesIsOurs(t *testing.T) {
	dir := packDir(t, wikiPack())
	compileDir(t, dir, Options{})
	oktest.Check(t, os.Remove(filepath.Join(dir, "compiled", "index.json")))
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	for _, o := range r.Outputs() {
		if want := map[bool]string{true: "created", false: "unchanged"}[o.Path == indexPath]; o.Operation != want {
			t.Errorf("%s is %s, want %s", o.Path, o.Operation, want)
		}
	}
}

func TestHandMadeViewsAreIndexed(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n",
		"compiled/voice.md": "# Voice\n\nShort.\n", "compiled/facts.md": "# Facts\n", "compiled/brief.md": "# Brief\n",
		"compiled/.hidden.md": "x\n", "compiled/notes.txt": "x\n",
	})
	for day := range 2 {
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, day)})
		var got []string
		for _, v := range r.Index.Views {
			got = append(got, v.Path+" "+v.Kind+" "+strings.Join(v.DerivedFrom, ","))
			if v.DerivedFrom == nil || operation(r, v.Path) != "unchanged" {
				t.Errorf("%s: derived from %v, %s", v.Path, v.DerivedFrom, operation(r, v.Path))
			}
		}
		sameStrings(t, "views", got, []string{"compiled/brief.md brief ", "compiled/facts.md facts ", "compiled/voice.md voice "})
		sameStrings(t, "diagnostics", found(r), []string{
			"compiled/brief.md [legacy-view] this view is from an older layout; today it is called briefing.md",
			"compiled/brief.md [view-hand-made] Made by hand; indexed as a view.",
			"compiled/facts.md [view-hand-made] Made by hand; indexed as a view.",
			"compiled/voice.md [view-hand-made] Made by hand; indexed as a view.",
		})
		if r.Run.Status != "passed" {
			t.Errorf("run is %s", r.Run.Status)
		}
	}
}

func TestHandMadeViewIsNotOverwrittenByAGeneratedOne(t *testing.T) {
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "compiled/briefing.md": "mine\n"})
	compileDir(t, dir, Options{})
	tree{"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/a.md": "# A\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	if got := readTree(t, dir)[briefingPath]; got != "mine\n" {
		t.Errorf("the briefing is %q", got)
	}
	sameStrings(t, "diagnostics", found(r), []string{"compiled/briefing.md [view-hand-edited] Edited by hand; kept."})
}

func TestOutputsThatAreNoLongerMadeAreDeleted(t *testing.T) {
	dir := packDir(t, wikiPack())
	compileDir(t, dir, Options{})
	for _, name := range []string{"wiki/a.md", "wiki/open-questions"} {
		oktest.Check(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/d.md": "# D\n"}.write(t, dir)
	tree{"compiled/splits/wiki/b.md": "edited\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	made := sortedKeys(readTree(t, dir).only("compiled"))
	sameStrings(t, "compiled", made, []string{"compiled/index.json", "compiled/splits/d/d.md", "compiled/splits/wiki/b.md"})
	for path, want := range map[string]string{
		"compiled/splits/wiki/a.md": "deleted", "compiled/splits/wiki/b.md": "unchanged",
		briefingPath: "deleted", factsPath: "deleted", boundariesPath: "deleted",
	} {
		if got := operation(r, path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if want := "compiled/splits/wiki/b.md [view-hand-edited] Edited by hand; kept."; !slices.Contains(found(r), want) {
		t.Errorf("%q is not among %v", want, found(r))
	}
	r = compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 2)})
	if len(r.Run.Diagnostics) != 0 || operation(r, "compiled/splits/wiki/b.md") != "" {
		t.Errorf("an edited split that is no longer made is reported again: %v", found(r))
	}
}

func TestEmptyDirectoriesAreRemoved(t *testing.T) {
	dir := packDir(t, wikiPack().with(tree{"wiki/deep/er/x.md": "# X\n"}))
	compileDir(t, dir, Options{})
	oktest.Check(t, os.RemoveAll(filepath.Join(dir, "wiki", "deep")))
	compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	if _, err := os.Stat(filepath.Join(dir, "compiled", "splits", "wiki", "deep")); !os.IsNotExist(err) {
		t.Errorf("the empty directory is still there: %v", err)
	}
}

// TestIndexCannotNameForeignFiles checks that an index, which is a user's file,
// cannot make compile delete or overwrite what compile would never write.
func TestIndexCannotNameForeignFiles(t *testing.T) {
	files := wikiPack().with(tree{"documents/keep.md": "# Keep\n", "assets/keep.md": "keep\n"})
	outside := filepath.Join(t.TempDir(), "outside.md")
	oktest.Check(t, os.WriteFile(outside, []byte("keep\n"), 0o666))
	var views []string
	for _, path := range []string{"documents/keep.md", "assets/keep.md", "KNOWLEDGE.md", "compiled/../wiki/a.md", "../outside.md", outside} {
		text := files[path]
		if strings.HasSuffix(path, "outside.md") {
			text = "keep\n"
		}
		views = append(views, `{"path": "`+path+`", "kind": "x", "token_estimate": 1, "sha256": "`+schema.SHA256([]byte(text))+`", "derived_from": ["wiki/a.md"]}`)
	}
	files[indexPath] = `{"schema_version": 1, "pack": "p", "profile": "wiki-first", "runtime_mode": "data", "views": [` +
		strings.Join(views, ", ") + `], "splits": [], "total_token_estimate": 6}`
	dir := packDir(t, files)
	compileDir(t, dir, Options{})
	after := readTree(t, dir)
	for name, text := range files {
		if name != indexPath && after[name] != text {
			t.Errorf("%s is now %q", name, after[name])
		}
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "keep\n" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
}

func TestOverlayLeavesThePackAlone(t *testing.T) {
	files := wikiPack().with(tree{"compiled/voice.md": "# Voice\n"})
	dir, out := packDir(t, files), filepath.Join(t.TempDir(), "overlay")
	r := compileDir(t, dir, Options{OutDir: out})
	sameTree(t, "pack", readTree(t, dir), files)
	made := readTree(t, out)
	inside := packDir(t, files)
	compileDir(t, inside, Options{})
	want := readTree(t, inside).only("compiled", "indexes", "runs")
	delete(want, "compiled/voice.md") // stays where it is
	sameTree(t, "overlay", made, want)
	if len(r.Index.Views) != 4 {
		t.Errorf("%d views, want the three generated ones and the one made by hand", len(r.Index.Views))
	}
	if r = compileDir(t, dir, Options{OutDir: out, Now: clock.AddDate(0, 0, 1)}); r.RunPath != "" {
		t.Errorf("the second compile wrote %s", r.RunPath)
	}
	sameTree(t, "overlay after a second compile", readTree(t, out), made)
}

func TestOverlayKnowsWhatWasGeneratedInThePack(t *testing.T) {
	files := wikiPack()
	dir, out := packDir(t, files), filepath.Join(t.TempDir(), "overlay")
	compileDir(t, dir, Options{})
	if readTree(t, dir)[factsPath] == "" {
		t.Fatal("the pack has no facts, so that nothing can be retired")
	}
	for _, name := range sortedKeys(files.only("wiki")) {
		tree{name: "# Page\n\nNothing to list.\n"}.write(t, dir)
	}
	for day := range 3 {
		r := compileDir(t, dir, Options{OutDir: out, Now: clock.AddDate(0, 0, day+1)})
		for _, v := range r.Index.Views {
			if v.Path == factsPath {
				t.Errorf("run %d: the facts of the pack are a view of the overlay", day)
			}
		}
		if wrote := r.RunPath != ""; wrote != (day == 0) {
			t.Errorf("run %d wrote %q: %v", day, r.RunPath, r.Outputs())
		}
	}
	tree{"wiki/a.md": "# Page\n\n- New. [source: sources/s.md#L1]\n", "sources/s.md": "s\n"}.write(t, dir)
	r := compileDir(t, dir, Options{OutDir: out, Now: clock.AddDate(0, 0, 9)})
	if !strings.Contains(r.Views[factsPath], "New.") || readTree(t, out)[factsPath] != r.Views[factsPath] {
		t.Errorf("new facts were not written: %v", found(r))
	}
}

// A page and a folder of its name give a file and a directory of one name under
// compiled/splits/.
func TestPageAndFolderTakeTurns(t *testing.T) {
	for _, incremental := range []bool{false, true} {
		page := tree{"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/a.md": "# A\n", "wiki/y.md": "# Y\n\nPage.\n"}
		folder := tree{"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/a.md": "# A\n", "wiki/y.md/a.md": "# In y\n\nText.\n", "wiki/y.md/b.md": "# B\n"}
		dir := packDir(t, page)
		turn := func(to tree) {
			t.Helper()
			oktest.Check(t, os.RemoveAll(filepath.Join(dir, "wiki")))
			to.write(t, dir)
			r := compileEither(t, dir, incremental, Options{})
			sameTree(t, "outputs", readTree(t, dir).only("compiled"), compiledTree(t, to))
			if len(r.Run.Diagnostics) > 0 {
				t.Errorf("%v", r.Run.Diagnostics)
			}
		}
		compileEither(t, dir, incremental, Options{})
		turn(folder)
		turn(page)
		turn(folder)
	}
}

// compiledTree is what a fresh compile makes of a pack.
func compiledTree(t *testing.T, files tree) tree {
	t.Helper()
	dir := packDir(t, files)
	compileDir(t, dir, Options{})
	return readTree(t, dir).only("compiled")
}

// An edited split that is no longer produced is reported once (section 6.8 rule
// 5), by an incremental compile as by a full one: what it said is not remembered.
func TestAnEditedFileThatIsNoLongerMadeIsReportedOnce(t *testing.T) {
	const kept = "compiled/splits/d/b.md"
	for _, incremental := range []bool{false, true} {
		files := tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/d.md": "# D\n\n## A\n\nText.\n\n## B\n\nText.\n"}
		dir := packDir(t, files)
		compileEither(t, dir, incremental, Options{})
		tree{kept: "By hand.\n", "documents/d.md": "# D\n\n## A\n\nText.\n"}.write(t, dir)
		for i, want := range []int{1, 0, 0} {
			if incremental {
				believe(t, dir)
			}
			r := compileEither(t, dir, incremental, Options{Now: clock.AddDate(0, 0, i+1)})
			n := 0
			for _, d := range r.Diagnostics {
				if d.ID == gateViewHandEdited && d.Path == kept {
					n++
				}
			}
			if n != want {
				t.Errorf("incremental %v, compile %d: %d findings, want %d", incremental, i+1, n, want)
			}
		}
		if got := readTree(t, dir)[kept]; got != "By hand.\n" {
			t.Errorf("%s holds %q", kept, got)
		}
	}
}
