package packgen_test

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// fuzzTarget is a fuzz target, and what the last long run of it found.
type fuzzTarget struct {
	dir, name string
	last      torturetest.Figure
}

// part is what the figures call a target.
func (f fuzzTarget) part() string { return f.dir + " " + f.name }

// fuzzTargets lists the fuzz targets: those that ran for the shortest time first, and of
// those the readers of what strangers write, the targets of a folder together.
func fuzzTargets(t *testing.T, known []torturetest.Figure) (list []fuzzTarget) {
	t.Helper()
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	strangers := regexp.MustCompile(`^(compiler/(archive|frontmatter|markdown|pack|strictyaml|schema|store|htmltag|secret|injection|invisible)|resolver/(boot|loadout|remote|workspace|context|agent/(hook|memory|connect)))(/|$)`)
	for file, text := range testFiles(t) {
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			f := fuzzTarget{dir: path.Dir(file), name: m[1]}
			for _, figure := range known {
				if figure.Part == f.part() && figure.Found == 0 {
					f.last = figure
				}
			}
			list = append(list, f)
		}
	}
	order := func(f fuzzTarget) int {
		if strangers.MatchString(f.dir) {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b fuzzTarget) int {
		return cmp.Or(cmp.Compare(a.last.Seconds, b.last.Seconds), cmp.Compare(order(a), order(b)), cmp.Compare(a.part(), b.part()))
	})
	return list
}

// Every fuzz target runs for some time and finds nothing: in make fuzz for FUZZTIME each,
// in make torture until each has run for so long, over as many runs as that takes. The
// number of workers is GOMAXPROCS.
func TestFuzzTargetsFindNothing(t *testing.T) {
	known := oktest.Value(torturetest.FuzzFigures("."))(t)
	targets := fuzzTargets(t, known)
	if len(targets) < 50 {
		t.Fatalf("only %d targets are found", len(targets))
	}
	for _, figure := range known {
		if !slices.ContainsFunc(targets, func(f fuzzTarget) bool { return f.part() == figure.Part }) {
			t.Errorf("%s has a figure and is no target", figure.Part)
		}
	}
	wanted := os.Getenv("PACKGEN_FUZZTIME")
	if wanted == "" {
		return
	}
	each, err := time.ParseDuration(wanted)
	if err != nil || each < time.Second {
		t.Fatalf("PACKGEN_FUZZTIME is %q: it is a time of a second or more: %v", wanted, err)
	}
	chosen, err := regexp.Compile(os.Getenv("PACKGEN_FUZZ"))
	if err != nil {
		t.Fatalf("PACKGEN_FUZZ: %v", err)
	}
	records := torturetest.Wanted(t, "fuzz")
	cache := oktest.Value(exec.Command("go", "env", "GOCACHE").Output())(t)
	work, built := t.TempDir(), ""
	for _, f := range targets {
		if !chosen.MatchString(f.part()) || records && f.last.Seconds >= int64(each.Seconds()) {
			continue
		}
		program := filepath.Join(work, "fuzz.test")
		if built != f.dir {
			if out, err := exec.Command("go", "test", "-vet=off", "-c", "-fuzz", ".", "-o", program, "./"+f.dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			built = f.dir
		}
		corpus := filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "github.com/packgen/packgen", f.dir)
		figure, out := f.run(t, program, corpus, each)
		for more := 4 * each; figure.Count == 0 && figure.Found == 0 && more < 1000*each; more *= 4 {
			figure, out = f.run(t, program, corpus, more) // what earlier runs found took all the time
		}
		figure.Seconds = int64(each.Seconds())
		t.Logf("%s: %d executions in %d s", f.part(), figure.Count, figure.Seconds)
		if figure.Found > 0 {
			t.Errorf("%s:\n%s", f.part(), out)
		}
		if records {
			oktest.Check(t, torturetest.RecordFuzz(".", figure))
		}
	}
}

// run runs a target.
func (f fuzzTarget) run(t *testing.T, program, cache string, each time.Duration) (torturetest.Figure, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), each+5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.fuzz", "^"+f.name+"$", "-test.fuzztime", each.String(), "-test.fuzzminimizetime", "10x",
		"-test.fuzzcachedir", cache, "-test.parallel", strconv.Itoa(runtime.GOMAXPROCS(0)))
	cmd.Dir = filepath.FromSlash(f.dir)
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	figure := torturetest.Figure{Fault: "fuzz", Part: f.part()}
	if all := regexp.MustCompile(`execs: (\d+)`).FindAllSubmatch(out, -1); len(all) > 0 {
		figure.Count, _ = strconv.ParseInt(string(all[len(all)-1][1]), 10, 64)
	}
	if err != nil {
		figure.Found = 1
	}
	return figure, out
}

// testFiles reads the tests of the whole house.
func testFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			text, err := os.ReadFile(name)
			files[filepath.ToSlash(name)] = string(text)
			return err
		}
		return nil
	})
	oktest.Check(t, err)
	return files
}
