package compiler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
)

// oneDocument compiles a document-first pack with one document.
func oneDocument(t *testing.T, text string) (*Result, tree) {
	t.Helper()
	return compileFiles(t, tree{"KNOWLEDGE.md": entry("document-first", "required"), "documents/d.md": text})
}

func TestFilesThatAreNotText(t *testing.T) {
	for name, tt := range map[string]struct{ text, place, want string }{
		"latin-1": {"# A\r\n\r\nCaf\xe9\n", "documents/bad.md:3:4", "[encoding-invalid] the byte 0xE9 is not UTF-8"},
		"NUL":     {"# A\x00B\n", "documents/bad.md:1:4", "[encoding-invalid] the file holds a NUL byte, so it is not text"},
		"UTF-16":  {"\xff\xfe#\x00 \x00A\x00", "documents/bad.md:1:1", "[encoding-invalid] the file is UTF-16, not UTF-8"},
	} {
		text := tt.text
		t.Run(name, func(t *testing.T) {
			dir := packDir(t, tree{
				"KNOWLEDGE.md": entry("document-first", ""), "documents/bad.md": text, "documents/good.md": "# Good\n\nx\n",
				"sources/bad.md": text, "wiki/bad.md": text,
			})
			r := compileDir(t, dir, Options{})
			sameStrings(t, "diagnostics", found(r), []string{"documents/bad.md " + tt.want})
			if at := r.Diagnostics[0].Place(); at != tt.place {
				t.Errorf("the finding is at %s, want %s", at, tt.place)
			}
			sameStrings(t, "splits", splits(r), []string{"good/good|Good"})
			if r.Run.Status != "failed" || r.RunPath == "" {
				t.Errorf("run %q is %s", r.RunPath, r.Run.Status)
			}
			checkRecords(t, readTree(t, dir), r)
		})
	}
}

func TestManyHeadings(t *testing.T) {
	const n = 30_000
	dir := packDir(t, tree{
		"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/d.md": "# T\n\n" + strings.Repeat("## H\n\n### S\n", n/2),
	})
	r := compileDir(t, dir, Options{DryRun: true}) // so many files would take long
	if got := len(r.Index.Splits); got != n/2 {
		t.Errorf("%d splits, want %d", got, n/2)
	}
}

func TestHeadingsOfFallingLevels(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# T\n\n")
	for level := 6; level >= 2; level-- {
		fmt.Fprintf(&doc, "%s L\n\n%s\n\n", strings.Repeat("#", level), over)
	}
	r, _ := oneDocument(t, doc.String())
	sameStrings(t, "splits", splits(r), []string{
		"d/overview--l|T: L", "d/overview--l-1|T: L", "d/overview--l-2|T: L", "d/overview--l-3|T: L", "d/l-4|L",
	})
}

func TestHugeLines(t *testing.T) {
	line := strings.Repeat("word ", 400_000)
	r, _ := oneDocument(t, line)
	if len(r.Index.Splits) != 1 || r.Index.Splits[0].TokenEstimate != (len(line)+1+3)/4 {
		t.Errorf("splits %v", r.Index.Splits)
	}
	r, _ = oneDocument(t, "# "+line+"\n\n- "+line+"\n")
	if len(r.SourceMap.Claims) != 1 {
		t.Errorf("%d claims, want one", len(r.SourceMap.Claims))
	}
}

func TestDeepNesting(t *testing.T) {
	for name, text := range map[string]string{
		"quotes":   strings.Repeat("> ", 10_000) + "x\n",
		"lists":    strings.Repeat("- ", 10_000) + "x\n",
		"emphasis": strings.Repeat("*a ", 10_000) + "\n",
		"brackets": strings.Repeat("[", 10_000) + "\n",
		"anchors":  "- a " + strings.Repeat("[source: sources/s.md]", 10_000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			if r, _ := oneDocument(t, "# T\n\n"+text); len(r.Index.Splits) != 1 {
				t.Errorf("splits %v", splits(r))
			}
		})
	}
}

func TestManyEqualClaims(t *testing.T) {
	const n = 5_000
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("document-first", "required"), "sources/s.md": "x\n",
		"documents/d.md": "# D\n\n" + strings.Repeat("- same [source: sources/s.md#L2]\n", n),
	})
	if got := r.SourceMap.Claims[n-1].ClaimID; !strings.HasSuffix(got, fmt.Sprintf("-%d", n)) {
		t.Errorf("the last id is %s", got)
	}
	if len(r.Run.Diagnostics) != 2 { // split-oversize, and one for the anchor
		t.Errorf("%d diagnostics in the record, want repeats dropped", len(r.Run.Diagnostics))
	}
}

func TestLinksOutOfThePackAreRefused(t *testing.T) {
	outside := t.TempDir()
	tree{"secret.md": "# Secret\n"}.write(t, outside)
	for name, link := range map[string]struct{ at, to string }{
		"document": {"documents/out.md", filepath.Join(outside, "secret.md")},
		"root":     {"documents/root", "/"},
		"relative": {"documents/up", "../.."},
		"source":   {"sources/out", outside},
	} {
		t.Run(name, func(t *testing.T) {
			dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n", "sources/s.md": "x\n"})
			if err := os.Symlink(link.to, filepath.Join(dir, filepath.FromSlash(link.at))); err != nil {
				t.Skip(err)
			}
			r := compileDir(t, dir, Options{})
			if r.Run.Status != "failed" || !strings.HasPrefix(found(r)[0], link.at+" [symlink-escape] ") {
				t.Errorf("run is %s, diagnostics %v", r.Run.Status, found(r))
			}
			for _, in := range r.Run.Inputs {
				if strings.HasPrefix(in.Path, link.at) {
					t.Errorf("%s was read", in.Path)
				}
			}
		})
	}
}

func TestOutputsNeverFollowALink(t *testing.T) {
	for _, at := range []string{"compiled", "indexes", "runs", "compiled/splits", "compiled/splits/a", "compiled/index.json", "indexes/source-map.json"} {
		t.Run(at, func(t *testing.T) {
			outside := t.TempDir()
			dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# A\n\nx\n"})
			link := filepath.Join(dir, filepath.FromSlash(at))
			oktest.Check(t, os.MkdirAll(filepath.Dir(link), 0o777))
			if err := os.Symlink(outside, link); err != nil {
				t.Skip(err)
			}
			if _, err := tryCompile(t, context.Background(), dir, Options{}); !errors.Is(err, publish.ErrSymlink) {
				t.Errorf("the error is %v", err)
			}
			if made := readTree(t, outside); len(made) != 0 {
				t.Errorf("files outside: %v", sortedKeys(made))
			}
			// What is wrong besides is still found by a run that writes nothing.
			r, err := tryCompile(t, context.Background(), dir, Options{DryRun: true})
			oktest.Check(t, err)
			if r.Run.Status != "failed" || len(r.Index.Splits) != 1 || !strings.HasPrefix(found(r)[0], at+" [symlink-escape] ") {
				t.Errorf("the run is %s, %d splits: %v", r.Run.Status, len(r.Index.Splits), found(r))
			}
		})
	}
}

func TestCancelledCompileLeavesTheOldOutput(t *testing.T) {
	dir := packDir(t, wikiPack())
	compileDir(t, dir, Options{})
	tree{"wiki/a.md": "# A\n\nOther text.\n", "wiki/c.md": "# C\n"}.write(t, dir)
	before := readTree(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	_, err := tryCompile(t, ctx, dir, Options{Jobs: 1, Visit: func(*Unit) error {
		if seen++; seen == 3 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	sameTree(t, "after a cancelled compile", readTree(t, dir), before)
}

func TestErrorOfAVisitorStopsTheCompile(t *testing.T) {
	dir := packDir(t, wikiPack())
	before := readTree(t, dir)
	stop := errors.New("no")
	if _, err := tryCompile(t, context.Background(), dir, Options{Visit: func(*Unit) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the visitor", err)
	}
	sameTree(t, "after a failed compile", readTree(t, dir), before)
}

func TestDirectoryInPlaceOfASplitIsAnError(t *testing.T) {
	dir := packDir(t, wikiPack().with(tree{"compiled/splits/wiki/a.md/x.txt": "x"}))
	before := readTree(t, dir)
	if _, err := tryCompile(t, context.Background(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "compiled/splits/wiki/a.md") {
		t.Errorf("error %v, want one that names the path", err)
	}
	sameTree(t, "after a failed compile", readTree(t, dir), before)
}

func TestFileInPlaceOfAnOutputDirectoryIsNamed(t *testing.T) {
	for _, name := range []string{"compiled", "indexes", "runs"} {
		dir := packDir(t, wikiPack().with(tree{name: "x"}))
		before := readTree(t, dir)
		if _, err := tryCompile(t, context.Background(), dir, Options{}); !errors.Is(err, publish.ErrBlocked) || !strings.Contains(err.Error(), " "+name+"/") {
			t.Errorf("error %v, want one that names %s", err, name)
		}
		sameTree(t, "after a failed compile", readTree(t, dir), before)
		if r := compileDir(t, dir, Options{DryRun: true}); r.Run.Status != "failed" || !slices.Contains(found(r), name+" [output-blocked] a file is where compile keeps its outputs") {
			t.Errorf("the run is %s: %v", r.Run.Status, found(r))
		}
	}
}

func TestDocumentNamedLikeASplitCollides(t *testing.T) {
	r, _ := compileFiles(t, tree{
		"KNOWLEDGE.md": entry("document-first", ""), "documents/a.md": "# T\n\n## B\n\nx\n", "documents/a/b.md.md": "# C\n\nx\n",
	})
	sameStrings(t, "splits", splits(r), []string{"a/b|B"})
	sameStrings(t, "diagnostics", found(r), []string{`documents/a/b.md.md [path-collision] "compiled/splits/a/b.md/c.md"`})
}

func TestPartOfALongPageCollidesWithAPage(t *testing.T) {
	long := blocks("# Big", "lead", "## One", over)
	for _, tt := range []struct {
		index  string
		splits []string
		gate   string
	}{
		{"", []string{"wiki/big/overview|Big", "wiki/big/one|Big: One"}, `wiki/big/one.md [path-collision] "compiled/splits/wiki/big/one.md"`},
		{"[x](big/one.md)\n", []string{"wiki/big/one|Page", "wiki/big/overview|Big"}, `wiki/big.md [path-collision] "compiled/splits/wiki/big/one.md"`},
	} {
		for _, jobs := range []int{1, 8} {
			dir := packDir(t, tree{
				"KNOWLEDGE.md": entry("wiki-first", ""), "wiki/index.md": tt.index, "wiki/big.md": long, "wiki/big/one.md": "# Page\n\nx\n",
			})
			r := compileDir(t, dir, Options{Jobs: jobs})
			sameStrings(t, "splits", splits(r), tt.splits)
			if !slices.Contains(found(r), tt.gate) {
				t.Errorf("%q is not among %v", tt.gate, found(r))
			}
			checkRecords(t, readTree(t, dir), r)
		}
	}
}

func TestUnknownTriggerIsRefused(t *testing.T) {
	if _, err := tryCompile(t, context.Background(), packDir(t, wikiPack()), Options{Trigger: "whim"}); err == nil {
		t.Error("no error for an unknown trigger")
	}
}

func TestShortenedStemMeetsAnotherSection(t *testing.T) {
	long := strings.Repeat("x", 90)
	stem := markdown.Stem(long)
	doc := blocks("# T", "## "+long, "one", "## "+stem, "two", "## "+stem+" {#other}", "three")
	for _, files := range []tree{
		{"documents/a.md": doc},
		{"documents/a.md": doc, "documents/B.md": "# Z\n\nx\n", "documents/b.md": "# Z\n\nx\n"}, // some wait until paths are settled
	} {
		r, made := compileFiles(t, files.with(tree{"KNOWLEDGE.md": entry("document-first", "")}))
		sameStrings(t, "diagnostics", found(r), []string{`documents/a.md [path-collision] "compiled/splits/a/` + stem + `.md"`})
		if got := made["compiled/splits/a/"+stem+".md"]; !strings.Contains(got, "one") {
			t.Errorf("the first section was not written: %q", got)
		}
		if r.Run.Status != "failed" || made["compiled/splits/a/other.md"] == "" {
			t.Errorf("run is %s, splits %v", r.Run.Status, splits(r))
		}
		checkRecords(t, made, r)
	}
}

func TestManySectionsOfTwoDocumentsThatAreAlike(t *testing.T) {
	const n = 5_000
	doc := strings.Repeat("## H\n\nx\n\n", n)
	dir := packDir(t, tree{"KNOWLEDGE.md": entry("document-first", ""), "documents/A.md": doc, "documents/a.md": doc})
	r := compileDir(t, dir, Options{DryRun: true})
	created := 0
	for _, o := range r.Outputs() {
		if strings.HasPrefix(o.Path, splitsDir+"A/") || strings.HasPrefix(o.Path, splitsDir+"a-2/") {
			created++
		}
	}
	if len(r.Index.Splits) != 2*n || len(found(r)) != 0 || created != 2*n {
		t.Errorf("%d splits, %d diagnostics, %d outputs", len(r.Index.Splits), len(found(r)), created)
	}
}
