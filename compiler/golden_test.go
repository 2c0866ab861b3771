package compiler

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

var update = flag.Bool("update", false, "rewrite the wanted files of golden packs")

// goldenRoot holds the worked examples of agent-knowledge section 22, each with
// its files (in) and everything that compile adds (want).
const goldenRoot = "../testdata/golden/compile"

func goldenPacks(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(goldenRoot)
	oktest.Check(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) < 4 {
		t.Fatalf("%s holds %d packs, want the four worked examples", goldenRoot, len(names))
	}
	return names
}

// goldenDir copies the files of a golden pack into a fresh directory.
func goldenDir(t *testing.T, name string) (dir string, in tree) {
	t.Helper()
	in = readTree(t, filepath.Join(goldenRoot, name, "in"))
	dir = filepath.Join(t.TempDir(), name)
	in.write(t, dir)
	return dir, in
}

func TestWorkedExamplesCompileToTheseBytes(t *testing.T) {
	for _, name := range goldenPacks(t) {
		t.Run(name, func(t *testing.T) {
			dir, _ := goldenDir(t, name)
			r := compileDir(t, dir, Options{})
			made := readTree(t, dir).only("compiled", "indexes", "runs")
			want := filepath.Join(goldenRoot, name, "want")
			if *update {
				oktest.Check(t, os.RemoveAll(want))
				made.write(t, want)
			}
			sameTree(t, name, made, readTree(t, want))
			checkRecords(t, readTree(t, dir), r)
		})
	}
}

func TestSecondCompileWritesNothingAndNoRun(t *testing.T) {
	for _, name := range goldenPacks(t) {
		t.Run(name, func(t *testing.T) {
			dir, _ := goldenDir(t, name)
			compileDir(t, dir, Options{})
			before := readTree(t, dir)
			r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
			if r.RunPath != "" {
				t.Errorf("RunPath = %q, want none", r.RunPath)
			}
			sameTree(t, "second compile", readTree(t, dir), before)
		})
	}
}

func TestDeletedOutputsComeBackWithTheSameBytes(t *testing.T) {
	for _, name := range goldenPacks(t) {
		t.Run(name, func(t *testing.T) {
			dir, _ := goldenDir(t, name)
			compileDir(t, dir, Options{})
			before := readTree(t, dir).only("compiled", "indexes")
			for _, gone := range []string{"compiled", "indexes"} {
				oktest.Check(t, os.RemoveAll(filepath.Join(dir, gone)))
			}
			compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
			sameTree(t, "rebuilt", readTree(t, dir).only("compiled", "indexes"), before)
		})
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	dir, in := goldenDir(t, "tidepool-notes")
	r := compileDir(t, dir, Options{DryRun: true})
	sameTree(t, "dry run", readTree(t, dir), in)
	entries, err := os.ReadDir(dir)
	oktest.Check(t, err)
	for _, e := range entries {
		if e.Name()[0] == '.' {
			t.Errorf("dry run made %s", e.Name())
		}
	}
	if len(r.Outputs()) != 7 || r.Outputs()[0].Operation != "created" || r.RunPath == "" {
		t.Errorf("outputs %v, run path %q: want seven created files and a path", r.Outputs(), r.RunPath)
	}
}

func TestSourceThatChangedMakesItsClaimsStale(t *testing.T) {
	dir, _ := goldenDir(t, "tidepool-notes")
	compileDir(t, dir, Options{})
	tree{"sources/survey-2025.md": "# Survey 2025\n\nMussel band: 0.8 m to 1.9 m above datum\n" +
		"Ochre star density: 2.4 per square metre\nNorthern range: not recorded\n"}.write(t, dir)
	r := compileDir(t, dir, Options{Now: clock.AddDate(0, 0, 1)})
	if r.Run.Status != "stale" {
		t.Errorf("status %s, want stale", r.Run.Status)
	}
	sameStrings(t, "diagnostics", found(r), []string{
		`wiki/entities/ochre-star.md [claim-unsourced] Claim has no source anchor while grounding is required: "It limits the lower edge of the mussel band."`,
		"wiki/entities/ochre-star.md [source-changed] sources/survey-2025.md changed after the claims on it were made",
		`wiki/contradictions/range-limit.md [contradiction-open] "Northern range limit"`,
		`wiki/open-questions/spawning.md [question-open] "When does the ochre star spawn?"`,
	})
	for _, c := range r.Run.Chapters {
		if want := map[string]string{"wiki/entities/ochre-star": "partial", "wiki/concepts/zonation": "full"}[c.ID]; c.Coverage != want {
			t.Errorf("chapter %s has coverage %s, want %s", c.ID, c.Coverage, want)
		}
	}
	files := readTree(t, dir)
	if facts := files[factsPath]; strings.Contains(facts, "density") || !strings.Contains(facts, "Mussel") {
		t.Errorf("%s has the claim on the line that changed, or not the other:\n%s", factsPath, facts)
	}
	checkRecords(t, files, r)
}
