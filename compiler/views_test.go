package compiler

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/token"
)

// manyPages is a wiki of that many pages in each of some folders, each with a fact.
func manyPages(folders []string, pages int) tree {
	files := tree{"KNOWLEDGE.md": entry("wiki-first", "required") + "\n## Limits\n\n- Say nothing of tomorrow.\n", "sources/s.md": "x\n"}
	for _, folder := range folders {
		for i := range pages {
			name := fmt.Sprintf("wiki/%s/page-%03d.md", folder, i)
			files[name] = fmt.Sprintf("# Page %d of %s\n\nWhat page %d is about, in a first line of a usual length for such pages.\n\n- Fact %d of %s is known. [source: sources/s.md]\n", i, folder, i, i, folder)
		}
	}
	return files
}

func TestABriefingFitsItsBudgetAndSaysWhatItLeavesOut(t *testing.T) {
	files := manyPages([]string{"concepts", "entities", "how"}, 200)
	files["wiki/how/one.md"] = "# The one\n\nIt is linked.\n"
	files["wiki/index.md"] = "[x](how/one.md)\n"
	files["wiki/entities/README.md"] = "# Of the folder\n\nWhat is here.\n"
	r, made := compileFiles(t, files)
	text := made[briefingPath]
	if n := token.Estimate(text); n > 2000 || n < 1800 {
		t.Errorf("the briefing has %d tokens", n)
	}
	_, left, _ := strings.Cut(text, "## Left out\n\n")
	shown := map[string]int{}
	for _, folder := range []string{"concepts", "entities", "how"} {
		shown[folder] = strings.Count(text, "(`wiki/"+folder+"/")
		if total := map[string]int{"concepts": 200, "entities": 201, "how": 201}[folder]; !strings.Contains(left, fmt.Sprintf("- %d pages in `wiki/%s/`\n", total-shown[folder], folder)) {
			t.Errorf("%d pages of %s are shown; left out:\n%s", shown[folder], folder, left)
		}
	}
	if shown["concepts"] < shown["how"]-1 || shown["how"] < shown["concepts"]-1 || shown["how"] < 10 {
		t.Errorf("folders have %v pages", shown)
	}
	for _, want := range []string{"`wiki/how/one.md`", "`wiki/entities/README.md`"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is left out", want)
		}
	}
	if from := r.Index.Views[0].DerivedFrom; len(from) != 1+shown["concepts"]+shown["entities"]+shown["how"] {
		t.Errorf("derived from %d files, shown are %v", len(from), shown)
	}
	checkRecords(t, made, r)
}

func TestFactsThatAViewHasNoRoomForAreNotInTheSourceMap(t *testing.T) {
	r, made := compileFiles(t, manyPages([]string{"concepts", "entities"}, 200))
	facts := made[factsPath]
	if n := token.Estimate(facts); n > 4000 || n < 3800 {
		t.Errorf("the facts have %d tokens", n)
	}
	in := 0
	for _, c := range r.SourceMap.Claims {
		last := c.CompiledInto[len(c.CompiledInto)-1]
		if there := strings.Contains(facts, "- "+strings.TrimSuffix(c.Text, ".")); there != (last == factsPath) {
			t.Errorf("%q in the view: %v, compiled into %q", c.Text, there, c.CompiledInto)
		}
		if last == factsPath {
			in++
		}
	}
	if left := fmt.Sprintf("- %d facts in `wiki/concepts/`", (400-in)/2); in < 50 || !strings.Contains(facts, left) {
		t.Errorf("%d facts, and the view does not say %q:\n%s", in, left, facts[len(facts)-200:])
	}
	checkRecords(t, made, r)
}

func TestLimitsAreNeverLeftOut(t *testing.T) {
	files := manyPages([]string{"contradictions", "open-questions"}, 300)
	_, made := compileFiles(t, files)
	text := made[boundariesPath]
	if n := token.Estimate(text); n > 2050 || n < 1800 || !strings.Contains(text, "Say nothing of tomorrow") || !strings.Contains(text, "pages in `wiki/open-questions/`") {
		t.Errorf("%d tokens:\n%s", n, text)
	}
}

func TestABudgetOfZeroIsNone(t *testing.T) {
	files := manyPages([]string{"concepts"}, 300)
	files["KNOWLEDGE.md"] = strings.Replace(files["KNOWLEDGE.md"], "{join: 0}", "{join: 0, briefing: 0, facts: 50}", 1)
	_, made := compileFiles(t, files)
	if n := strings.Count(made[briefingPath], "(`wiki/"); n != 300 {
		t.Errorf("%d pages", n)
	}
	if n := token.Estimate(made[factsPath]); n > 50 {
		t.Errorf("the facts have %d tokens", n)
	}
}

func TestABriefingOfManyFoldersNamesTheFullestOnes(t *testing.T) {
	var folders []string
	for i := range 40 {
		folders = append(folders, fmt.Sprintf("folder-%02d", i))
	}
	_, made := compileFiles(t, manyPages(folders, 10))
	text := made[briefingPath]
	if n := token.Estimate(text); n > 2000 || !strings.Contains(text, " in 34 other folders") {
		t.Errorf("%d tokens:\n%s", n, text[len(text)-400:])
	}
}
