package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store"
)

// small is a pack of sections that are joined.
func small() tree {
	return tree{
		"KNOWLEDGE.md": joining(entry("hybrid", "required")),
		"documents/d.md": "# Tea\n\nHow it is made.\n\n## Water\n\n- Water is hot. [source: sources/s.md#L1]\n\n## Leaves\n\n- Leaves are dry. [source: sources/s.md#L2]\n" +
			"- Leaves are green.\n\n## Limits\n\n- No coffee.\n\n## Pots\n\nClay.\n\n## Cups\n\ntbd\n",
		"documents/e.md": "See [water](d.md#water), [cups](d.md#cups), [limits](d.md#limits) [the start](d.md#overview), and [none](d.md#none).\n",
		"sources/s.md":   "hot\ndry\n",
	}
}

func TestASplitOfSeveralSectionsIsRecordedWithAllOfThem(t *testing.T) {
	r, made := compileFiles(t, small())
	var got []string
	for i, s := range r.Index.Splits {
		got = append(got, s.ID+" | "+s.Title+" | "+strings.Join(s.Sections, " ")+" | "+strings.Join(s.SourceAnchors, " ")+" | "+r.Run.Chapters[i].Coverage)
	}
	sameStrings(t, "splits", got, []string{
		"d/overview | Tea; Water; Leaves | overview water leaves | sources/s.md#L1 sources/s.md#L2 | partial",
		"d/limits | Limits |  |  | full",
		"d/pots | Pots; Cups | pots cups |  | partial",
		"e/e | e |  |  | full",
	})
	const split = splitsDir + "d/overview.md"
	var sections []string
	for _, s := range r.SourceMap.DocumentSections {
		sections = append(sections, s.SectionID+" "+strings.Join(s.CompiledInto, " "))
	}
	sameStrings(t, "sections of the source map", sections, []string{
		"overview " + split, "water " + split + " " + factsPath, "leaves " + split + " " + factsPath, "limits " + splitsDir + "d/limits.md",
		"pots " + splitsDir + "d/pots.md", "cups " + splitsDir + "d/pots.md", "e " + splitsDir + "e/e.md",
	})
	for _, c := range r.SourceMap.Claims {
		if want := "documents/d.md#" + c.SectionID; c.CompiledInto[0] != want || c.CompiledInto[1] != split {
			t.Errorf("claim %q is compiled into %q", c.Text, c.CompiledInto)
		}
	}
	if text := made[split]; !strings.Contains(text, "Leaves are green.") || strings.Count(text, marker) != 1 {
		t.Errorf("%s is %q", split, text)
	}
	for _, d := range r.Diagnostics {
		if d.ID == refBroken && !strings.Contains(d.Message, "#none") {
			t.Errorf("a link to a section of a joined split: %s", d.Message)
		}
	}
	if !slices.ContainsFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == refBroken }) {
		t.Error("a link to a section that does not exist is not broken")
	}
	checkRecords(t, made, r)
}

func TestJoinedSplitsComeBackFromTheStore(t *testing.T) {
	dir := packDir(t, small())
	o := Options{Store: store.Open(t.TempDir()).Group(""), StateDir: t.TempDir()}
	compileDir(t, dir, o)
	before := readTree(t, dir)
	tree{"documents/e.md": "Another text.\n"}.write(t, dir)
	o.Visit = func(u *Unit) error {
		if u.Doc.Path == "documents/d.md" {
			t.Error("the file was read again")
		}
		return nil
	}
	r := compileDir(t, dir, o)
	sameTree(t, "splits of the file that was not edited", readTree(t, dir).only(splitsDir+"d"), before.only(splitsDir+"d"))
	checkRecords(t, readTree(t, dir), r)
}

func TestWhatTheAuthorNamesIsASplitByItself(t *testing.T) {
	files := small()
	files["KNOWLEDGE.md"] = strings.Replace(files["KNOWLEDGE.md"], "metadata:\n", "metadata:\n  loadout:\n    d/water:\n      keywords: [water]\n", 1)
	r, _ := compileFiles(t, files)
	sameStrings(t, "splits", splits(r), []string{"d/overview|Tea", "d/water|Water", "d/leaves|Leaves", "d/limits|Limits", "d/pots|Pots; Cups", "e/e|e"})
}

func TestWhatFrontMatterNamesIsASplitByItself(t *testing.T) {
	files := small()
	files["documents/d.md"] = "---\nquestions:\n  leaves: Which leaves?\nboundary: [cups]\n---\n" + files["documents/d.md"]
	r, _ := compileFiles(t, files)
	sameStrings(t, "splits", splits(r), []string{"d/overview|Tea; Water", "d/leaves|Leaves", "d/limits|Limits", "d/pots|Pots", "d/cups|Cups", "e/e|e"})
}

func TestASectionWithASecretIsJoinedWithNone(t *testing.T) {
	files := small()
	files["documents/d.md"] = strings.Replace(files["documents/d.md"], "Leaves are green.", "AKIA"+"QWERTYUIOPASDFGH is the key.", 1)
	r, made := compileFiles(t, files)
	for name, text := range made {
		if strings.HasPrefix(name, "compiled/") && strings.Contains(text, "QWERTYUIOP") {
			t.Errorf("%s holds the secret", name)
		}
	}
	if got := splits(r); slices.Contains(got, "d/overview|Tea; Water; Leaves") {
		t.Errorf("splits %q", got)
	}
}

func TestInAPersonaPackItsVoiceIsASplitByItself(t *testing.T) {
	doc := "# M\n\n## Voice\n\nCalm.\n\n## Usage\n\nSay it.\n\n## Past\n\nOld.\n\n## Home\n\nFar.\n"
	for mode, want := range map[string][]string{
		"data":    {"d/voice|Voice; Usage; Past; Home"},
		"persona": {"d/voice|Voice", "d/usage|Usage", "d/past|Past; Home"},
	} {
		r, _ := compileFiles(t, tree{"KNOWLEDGE.md": joining(entry("document-first", "", "runtime:\n  mode: "+mode)), "documents/d.md": doc})
		sameStrings(t, "splits of a pack of mode "+mode, splits(r), want)
	}
}
