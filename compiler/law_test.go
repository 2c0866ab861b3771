package compiler

import (
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/cut/cuttest"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

const marker = " [status: source-required]"

// units compiles a pack and hands every unit to a check.
func units(t *testing.T, files tree, check func(u *Unit)) *Result {
	t.Helper()
	var mu sync.Mutex
	return compileDir(t, packDir(t, files), Options{DryRun: true, Visit: func(u *Unit) error {
		mu.Lock()
		defer mu.Unlock()
		check(u)
		return nil
	}})
}

// blankEnds are the blank lines that a text begins and ends with.
var blankEnds = regexp.MustCompile(`^(?:[ \t\r]*\n)+|\n[ \t\r\n]*$`)

// checkSlices checks that splits are slices of the body, in order, apart, with
// nothing but markers added and nothing but hidden text left out.
func checkSlices(t *testing.T, u *Unit) {
	t.Helper()
	at, hidden := u.Doc.Body, markdown.HiddenIn(u.Doc)
	for _, s := range u.Splits {
		if s.Start < at || s.End < s.Start || s.End > len(u.Doc.Text) {
			t.Fatalf("%s: split %s is [%d:%d], the one before ends at %d", u.Doc.Path, s.ID, s.Start, s.End, at)
		}
		at = s.End
		slice := string(hidden.Append(nil, u.Doc.Text, s.Start, s.End))
		if hidden.Count(s.Start, s.End) > 0 {
			slice = blankEnds.ReplaceAllString(slice, "")
		}
		slice = strings.ReplaceAll(slice+"\n", marker, "")
		path, ok := strings.CutSuffix(strings.ReplaceAll(s.Text, marker, ""), slice)
		if !ok {
			t.Errorf("%s: split %s is not a slice of the body:\n%q\n%q", u.Doc.Path, s.ID, s.Text, slice)
		}
		checkPath(t, u, s, path)
		if s.Start > 0 && u.Doc.Text[s.Start-1] != '\n' {
			t.Errorf("%s: split %s does not start at a line", u.Doc.Path, s.ID)
		}
		if strings.TrimSpace(s.Text) == "" || strings.HasSuffix(s.Text, "\n\n") {
			t.Errorf("%s: split %s is blank or ends in a blank line: %q", u.Doc.Path, s.ID, s.Text)
		}
		if s.TokenEstimate != token.Estimate(s.Text) || s.SHA256 != schema.SHA256([]byte(s.Text)) {
			t.Errorf("%s: split %s has the estimate or hash of another text", u.Doc.Path, s.ID)
		}
	}
}

// checkPath checks that what is before the slice of a split are the headings that the
// slice is below, from the top down: the nearest of each smaller level.
func checkPath(t *testing.T, u *Unit, s SplitText, path string) {
	t.Helper()
	var want []string
	level := 7
	for _, h := range slices.Backward(u.Doc.Headings) {
		switch {
		case h.Start == s.Start:
			level = h.Level
		case h.Start < s.Start && h.Level < level:
			level = h.Level
			want = append(want, h.Text)
		}
	}
	slices.Reverse(want)
	doc := markdown.Parse("path.md", []byte(path))
	var got []string
	for _, h := range doc.Headings {
		got = append(got, h.Text)
	}
	if !slices.Equal(got, want) || len(doc.Blocks) != len(want) || len(doc.Anchors) > 0 {
		t.Errorf("%s: split %s begins with %q, want the headings %q", u.Doc.Path, s.ID, path, want)
	}
}

func TestSplitsAreSlicesOfTheBody(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	files := tree{"KNOWLEDGE.md": entry("hybrid", "required"), "sources/s.md": "x\n"}
	for i := range 400 {
		name := "documents/d"
		if i%2 == 1 {
			name = "wiki/w"
		}
		files[name+strings.Repeat("x", i/26)+string(rune('a'+i%26))+".md"] = cuttest.Document(r)
	}
	n := 0
	for _, entry := range []string{files["KNOWLEDGE.md"], joining(files["KNOWLEDGE.md"])} {
		files["KNOWLEDGE.md"] = entry
		units(t, files, func(u *Unit) {
			checkSlices(t, u)
			n += len(u.Splits)
		})
	}
	if n < 800 {
		t.Errorf("only %d splits were looked at", n)
	}
}

func FuzzSplitsAreSlicesOfTheBody(f *testing.F) {
	f.Add("# T\n\n## A\n\n- claim\n")
	f.Add("---\nstatus: stale\n---\nA\n-\n\n> - x\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, guide := range []string{entry("hybrid", "required"), joining(entry("hybrid", "required"))} {
			units(t, tree{"KNOWLEDGE.md": guide, "documents/d.md": text, "wiki/w.md": text}, func(u *Unit) { checkSlices(t, u) })
		}
	})
}

func TestVisitorSeesEveryMarkdownFile(t *testing.T) {
	files := wikiPack().with(tree{
		"wiki/log.md": "# Log\n", "wiki/draft.md": "---\nstatus: draft\n---\n# Draft\n", "documents/d.md": "# D\n", "wiki/x.txt": "x",
		"compiled/voice.md": "# V\n",
	})
	splits, paths := map[string]int{}, tree{}
	r := units(t, files, func(u *Unit) {
		splits[u.Doc.Path] = len(u.Splits)
		paths[u.Doc.Path] = u.Title
	})
	want := map[string]int{
		"wiki/a.md": 1, "wiki/b.md": 1, "wiki/index.md": 0, "wiki/log.md": 0, "wiki/draft.md": 0,
		"wiki/open-questions/index.md": 0, "documents/d.md": 0,
	}
	for path, n := range want {
		if got, ok := splits[path]; !ok || got != n {
			t.Errorf("%s: seen %v with %d splits, want %d", path, ok, got, n)
		}
	}
	if len(splits) != len(want) || len(r.Units) != len(want) {
		t.Errorf("%d files visited, %d units; want %d", len(splits), len(r.Units), len(want))
	}
	if paths["wiki/open-questions/index.md"] != "What is c?" {
		t.Errorf("title %q", paths["wiki/open-questions/index.md"])
	}
}

func TestOutputDoesNotDependOnConcurrency(t *testing.T) {
	files := tree{}
	for name, text := range packtest.Files(packtest.Options{Name: "p", Profile: "hybrid", Pages: 20, Seed: 7}) {
		files[name] = text
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"documents/a.md", "documents/A.md", "documents/wiki.md", "wiki/one.md", "wiki/One.md", "wiki/one/a.md"} {
		files[name] = cuttest.Document(r)
	}
	var want tree
	var first *Result
	for _, jobs := range []int{1, 8} {
		for _, procs := range []int{1, 4} {
			old := runtime.GOMAXPROCS(procs)
			dir := packDir(t, files)
			got := compileDir(t, dir, Options{Jobs: jobs})
			runtime.GOMAXPROCS(old)
			made := readTree(t, dir)
			if want == nil {
				want, first = made, got
				continue
			}
			sameTree(t, "output", made, want)
			if len(got.Diagnostics) != len(first.Diagnostics) {
				t.Fatalf("%d diagnostics, want %d", len(got.Diagnostics), len(first.Diagnostics))
			}
			for i := range got.Diagnostics {
				if got.Diagnostics[i] != first.Diagnostics[i] {
					t.Errorf("diagnostic %d is %v, want %v", i, got.Diagnostics[i], first.Diagnostics[i])
				}
			}
		}
	}
}
