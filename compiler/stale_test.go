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

// stalePack is a compiled pack whose one claim has become stale: its source said "one",
// and says "two".
func stalePack(t *testing.T) string {
	t.Helper()
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "sources/s.md": "# S\n\nHolds one.\n\n## More\n\nOther.\n",
		"documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L3]\n",
	})
	compileDir(t, dir, Options{})
	tree{"sources/s.md": "# S\n\nHolds two.\n\n## More\n\nOther.\n"}.write(t, dir)
	if r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)}); r.SourceMap.Claims[0].Status != "stale" {
		t.Fatalf("the claim is %s: %v", r.SourceMap.Claims[0].Status, r.Diagnostics)
	}
	return dir
}

// A claim that is stale stays so until its text or its anchor changes, or its author
// says that it still holds.
func TestOnlyAnEditOfTheClaimEndsItsStaleness(t *testing.T) {
	const claim = "- It holds one. [source: sources/s.md#L3]\n"
	move := func(t *testing.T, dir, from, to string) {
		oktest.Check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, to)), 0o777))
		oktest.Check(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
	}
	for _, tt := range []struct {
		name  string
		steps []tree // a text of "-" removes a file, a path moves it there
		want  string
	}{
		{"a blank line", []tree{{"documents/a.md": "# A\n\n\n" + claim}}, "stale"},
		{"another paragraph", []tree{{"documents/a.md": "# A\n\n" + claim + "\nMore.\n"}}, "stale"},
		{"another heading above it", []tree{{"documents/a.md": "# A\n\n## Part\n\n" + claim}}, "stale"},
		{"a new name of its file", []tree{{"documents/a.md": "documents/b.md"}}, "stale"},
		{"a new name and a new folder", []tree{{"documents/a.md": "documents/more/b.md"}}, "stale"},
		{"a new name and an edit", []tree{{"documents/a.md": "-", "documents/b.md": "# B\n\nOther words.\n\n" + claim}}, "stale"},
		{"a new name in two steps", []tree{{"documents/a.md": "-"}, {"documents/b.md": "# B\n\n" + claim}}, "stale"},
		{"deleted, and back after another run", []tree{{"documents/a.md": "# A\n"}, {"documents/a.md": "# A\n\nText.\n"}, {"documents/a.md": "# A\n\n" + claim}}, "stale"},
		{"the file as a draft, and back", []tree{{"documents/a.md": "---\nstatus: draft\n---\n# A\n\n" + claim}, {"documents/a.md": "# A\n\n" + claim}}, "stale"},
		{"another copy of it", []tree{{"documents/b.md": "# B\n\n" + claim}}, "stale"},
		{"in a paragraph instead of a list", []tree{{"documents/a.md": "# A\n\n" + strings.TrimPrefix(claim, "- ")}}, "stale"},
		{"another line break", []tree{{"documents/a.md": "# A\n\n- It holds\n  one. [source: sources/s.md#L3]\n"}}, "stale"},
		{"more white space", []tree{{"documents/a.md": "# A\n\n-   It  holds   one. [source: sources/s.md#L3]\n"}}, "stale"},
		{"emphasis", []tree{{"documents/a.md": "# A\n\n- It holds *one*. [source: sources/s.md#L3]\n"}}, "stale"},
		{"a marker that says something else, and its end", []tree{
			{"documents/a.md": "# A\n\n" + strings.Replace(claim, "]\n", "] [status: inferred]\n", 1)}, {"documents/a.md": "# A\n\n" + claim},
		}, "stale"},
		{"its source gone and back", []tree{{"sources/s.md": "-"}, {"sources/s.md": "# S\n\nHolds two.\n"}}, "stale"},
		{"its source changed again", []tree{{"sources/s.md": "# S\n\nHolds three.\n"}}, "stale"},
		{"its source as it was", []tree{{"sources/s.md": "# S\n\nHolds one.\n"}}, "confirmed"},
		{"other words", []tree{{"documents/a.md": "# A\n\n- It holds two. [source: sources/s.md#L3]\n"}}, "confirmed"},
		{"another anchor", []tree{{"documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#s]\n"}}, "stale"},
		{"the anchor written otherwise", []tree{{"documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L3-L3]\n"}}, "stale"},
		{"a place that does not exist in between", []tree{
			{"documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L9]\n"}, {"documents/b.md": "# B\n"}, {"documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L1-L3]\n"},
		}, "stale"},
		{"its source under another name", []tree{{"sources/s.md": "sources/t.md", "documents/a.md": "# A\n\n- It holds one. [source: sources/t.md#L3]\n"}}, "stale"},
		{"another source added, and the first taken away", []tree{
			{"sources/t.md": "Two.\n", "documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L3] [source: sources/t.md#L1]\n"},
			{"documents/a.md": "# A\n\n- It holds one. [source: sources/t.md#L1]\n"},
		}, "stale"},
		{"where the cited text is now", []tree{{"sources/s.md": "# S\n\nHolds two.\n\nHolds one.\n", "documents/a.md": "# A\n\n- It holds one. [source: sources/s.md#L5]\n"}}, "confirmed"},
		{"another case and punctuation", []tree{{"documents/a.md": "# A\n\n- it holds: ONE! [source: sources/s.md#L3]\n"}}, "stale"},
		{"letters of another width and a character that nobody sees", []tree{{"documents/a.md": "# A\n\n- It ho\u00adlds \uff4fne. [source: sources/s.md#L3]\n"}}, "stale"},
		{"a joiner that nobody sees", []tree{{"documents/a.md": "# A\n\n- It ho\u034flds one. [source: sources/s.md#L3]\n"}}, "stale"},
		{"a letter of another script", []tree{{"documents/a.md": "# A\n\n- It h\u043elds one. [source: sources/s.md#L3]\n"}}, "stale"},
		{"an accent", []tree{{"documents/a.md": "# A\n\n- It holds one\u0301. [source: sources/s.md#L3]\n"}}, "stale"},
		{"marked confirmed", []tree{{"documents/a.md": "# A\n\n" + strings.Replace(claim, "]\n", "] [status: confirmed]\n", 1)}}, "confirmed"},
		{"marked confirmed before its source changed again", []tree{
			{"documents/a.md": "# A\n\n" + strings.Replace(claim, "]\n", "] [status: confirmed]\n", 1)}, {"sources/s.md": "# S\n\nHolds three.\n"},
		}, "stale"},
		{"marked confirmed, and the mark taken away", []tree{
			{"documents/a.md": "# A\n\n" + strings.Replace(claim, "]\n", "] [status: confirmed]\n", 1)}, {"documents/a.md": "# A\n\n" + claim},
		}, "confirmed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := stalePack(t)
			for i, step := range tt.steps {
				for name, text := range step {
					switch {
					case text == "-":
						oktest.Check(t, os.Remove(filepath.Join(dir, name)))
					case strings.HasSuffix(text, ".md"):
						move(t, dir, name, text)
					default:
						tree{name: text}.write(t, dir)
					}
				}
				compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 2+i)})
			}
			r := compileDir(t, dir, Options{Now: clock.AddDate(1, 0, 0)})
			if r.RunPath != "" {
				t.Errorf("a compile of nothing new wrote %s", r.RunPath)
			}
			if len(r.SourceMap.Claims) == 0 {
				t.Fatal("there is no claim")
			}
			for _, c := range r.SourceMap.Claims {
				if string(c.Status) != tt.want {
					t.Errorf("the claim of %s is %s, want %s", c.Document, c.Status, tt.want)
				}
			}
			if changed := strings.Contains(strings.Join(found(r), "\n"), "[source-changed]"); changed != (tt.want == "stale") {
				t.Errorf("source-changed is reported: %v: %v", changed, found(r))
			}
		})
	}
}

// A claim looks at the part of its source that it cites.
func TestOnlyTheCitedPartOfASourceCounts(t *testing.T) {
	const source = "---\ntitle: S\n---\n# S\n\nOne.\n\n## Part\n\nTwo.\n\n### Deeper\n\nThree.\n\n## Other\n\nFour.\n"
	anchors := []string{"#L6", "#L6-L10", "#part", "#other", "#page=2", ""}
	for _, tt := range []struct {
		name, source string
		stale        string // of each anchor: "s" or "-"
	}{
		{"nothing", source, "------"},
		{"a cited line", strings.Replace(source, "One", "Uno", 1), "ss--ss"},
		{"a line of a section", strings.Replace(source, "Two", "Due", 1), "-ss-ss"},
		{"a deeper section", strings.Replace(source, "Three", "Tre", 1), "--s-ss"},
		{"the last section", strings.Replace(source, "Four", "Quattro", 1), "---sss"},
		{"a new section at the end", source + "\n## New\n\nFive.\n", "----ss"},
		{"a line above, which moves all", strings.Replace(source, "# S\n", "# S\n\nZero.\n", 1), "ss--ss"},
		{"blanks at line ends and blank lines between sections", strings.Replace(source, "Two.\n\n", "Two.  \n\n", 1) + "\n\n", "----ss"},
		{"line ends of another system", strings.ReplaceAll(source, "\n", "\r\n"), "------"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := "# A\n\n"
			for _, a := range anchors {
				text += "- It says " + a + ". [source: sources/s.md" + a + "]\n"
			}
			dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": text, "sources/s.md": source})
			compileDir(t, dir, Options{})
			tree{"sources/s.md": tt.source}.write(t, dir)
			r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
			got := ""
			for _, c := range r.SourceMap.Claims {
				got += map[string]string{"stale": "s", "confirmed": "-"}[string(c.Status)]
			}
			if got != tt.stale {
				t.Errorf("stale are %s of %q, want %s", got, anchors, tt.stale)
			}
		})
	}
}

// The finding names the line of a claim that is stale, not of any claim on that source.
func TestSourceChangedNamesTheClaim(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "sources/s.md": "One.\nTwo.\n",
		"documents/a.md": "# A\n\n- First. [source: sources/s.md#L1]\n- Second. [source: sources/s.md#L2]\n",
	})
	compileDir(t, dir, Options{})
	tree{"sources/s.md": "One.\nThree.\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	lines := []int{}
	for _, d := range r.Diagnostics {
		if d.ID == gateSourceChanged {
			lines = append(lines, d.Line)
		}
	}
	if !slices.Equal(lines, []int{4}) {
		t.Errorf("source-changed on lines %v: %v", lines, r.Diagnostics)
	}
}

// A claim that no file states any more is named in the records from the run on that missed
// it, with what it rested on.
func TestADeletedClaimLeavesItsName(t *testing.T) {
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "sources/s.md": "One.\nTwo.\n",
		"documents/a.md": "# A\n\n- First. [source: sources/s.md#L1]\n- Second. [source: sources/s.md#L2]\n- Third. [source: sources/s.md]\n",
	})
	compileDir(t, dir, Options{})
	for day, step := range []struct {
		name    string
		change  tree
		removed []string // text, and whether it was stale
	}{
		{"a source changes", tree{"sources/s.md": "One.\nThree.\n"}, nil},
		{"two claims go", tree{"documents/a.md": "# A\n\n- Third. [source: sources/s.md]\n"}, []string{"First. false", "Second. true"}},
		{"something else", tree{"documents/b.md": "# B\n\nText.\n"}, []string{"First. false", "Second. true"}},
		{"the source is as it was", tree{"sources/s.md": "One.\nTwo.\n"}, []string{"First. false", "Second. true"}},
		{"one is back", tree{"documents/b.md": "# B\n\n- Second. [source: sources/s.md#L2]\n"}, []string{"First. false"}},
		{"the file goes", tree{"documents/a.md": "# A\n"}, []string{"First. false", "Third. false"}},
	} {
		step.change.write(t, dir)
		r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1+day)})
		want := map[string]bool{}
		for _, name := range step.removed {
			text, isStale, _ := strings.Cut(name, ". ")
			want[claimHash(text+".")+isStale] = true
		}
		for _, c := range readRun(t, dir, r.RunPath).RemovedClaims {
			key := c.Claim + map[bool]string{true: "true", false: "false"}[c.Stale]
			if !want[key] {
				t.Errorf("%s: %+v is named", step.name, c)
			}
			delete(want, key)
		}
		if len(want) > 0 {
			t.Errorf("%s: not named are %v", step.name, want)
		}
	}
}

// Records of the version before know no claims: what they say of whole files counts
// until the next run, which holds more.
func TestRecordsOfVersionOneAreRead(t *testing.T) {
	dir := stalePack(t)
	age(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 2)})
	if r.SourceMap.Claims[0].Status != "stale" || r.RunPath == "" || r.Run.Claims[0].File == "" || r.Run.Claims[0].Span != "" {
		t.Errorf("the claim is %s, the run %q holds %+v", r.SourceMap.Claims[0].Status, r.RunPath, r.Run.Claims)
	}
	if again := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 3)}); again.RunPath != "" {
		t.Errorf("a second compile wrote %s", again.RunPath)
	}
	tree{"documents/b.md": readTree(t, dir)["documents/a.md"] + "\nMore.\n"}.write(t, dir)
	oktest.Check(t, os.Remove(filepath.Join(dir, "documents/a.md")))
	if r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 4)}); r.SourceMap.Claims[0].Status != "stale" {
		t.Errorf("after a new name the claim is %s", r.SourceMap.Claims[0].Status)
	}
	tree{"sources/s.md": "# S\n\nHolds one.\n\n## More\n\nOther.\n"}.write(t, dir)
	if r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 5)}); r.SourceMap.Claims[0].Status != "confirmed" || r.Run.Claims[0].Span == "" {
		t.Errorf("with the source as it was the claim is %s, the run holds %+v", r.SourceMap.Claims[0].Status, r.Run.Claims)
	}
}

// The hash of one line with a secret could be guessed from; records hold that of the
// whole file alone.
func TestNoHashOfALineWithASecretIsRecorded(t *testing.T) {
	const secret = "key: AKIA4OZRMFJ3VREALKEY\n"
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "sources/s.md": "One.\n" + secret,
		"documents/a.md": "# A\n\n- First. [source: sources/s.md#L2]\n",
	})
	if r.Run.Status != "failed" || len(r.Run.Claims) != 1 || r.Run.Claims[0].Span != schema.SHA256([]byte("One.\n"+secret)) {
		t.Errorf("run %s, claims %+v", r.Run.Status, r.Run.Claims)
	}
}

// A claim with which nothing is wrong keeps what it rests on, also while it is gone, and on
// another source.
func TestAClaimRestsOnTheTextThatItWasMadeOn(t *testing.T) {
	const claim = "# A\n\n- It holds one. [source: sources/s.md#L1]\n"
	for _, tt := range []struct {
		name  string
		steps []tree
		want  string
	}{
		{"gone, its source changed, and back", []tree{{"documents/a.md": "# A\n"}, {"sources/s.md": "Holds two.\n"}, {"documents/a.md": claim}}, "stale"},
		{"gone, and back", []tree{{"documents/a.md": "# A\n"}, {"documents/b.md": "# B\n"}, {"documents/a.md": claim}}, "confirmed"},
		{"another source, the old one kept", []tree{{"sources/t.md": "Holds two.\n", "documents/a.md": strings.Replace(claim, "s.md", "t.md", 1)}}, "stale"},
		{"another source that says the same", []tree{{"sources/t.md": "Holds one.\n", "documents/a.md": strings.Replace(claim, "s.md", "t.md", 1)}}, "confirmed"},
		{"a further source", []tree{{"sources/t.md": "One.\n", "documents/a.md": strings.Replace(claim, "#L1]", "#L1] [source: sources/t.md#L1]", 1)}}, "confirmed"},
		{"another source, and marked confirmed", []tree{{"sources/t.md": "Holds two.\n", "documents/a.md": strings.Replace(claim, "s.md#L1]", "t.md#L1] [status: confirmed]", 1)}}, "confirmed"},
	} {
		dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", "required"), "sources/s.md": "Holds one.\n", "documents/a.md": claim})
		r := compileDir(t, dir, Options{})
		for i, step := range tt.steps {
			step.write(t, dir)
			r = compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1+i)})
		}
		if len(r.SourceMap.Claims) == 0 {
			t.Errorf("%s: there is no claim", tt.name)
		}
		for _, c := range r.SourceMap.Claims {
			if string(c.Status) != tt.want {
				t.Errorf("%s: the claim on %s is %s, want %s", tt.name, c.Source.Path, c.Status, tt.want)
			}
		}
	}
}
