package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// initFloor is how many bytes a package must allocate before main to be listed.
const initFloor = 16 << 10

// A hook starts this binary on every prompt, so what runs before main is a
// budget: a package joins the list knowingly or not at all.
func TestWorkBeforeMainIsOnTheRecordedList(t *testing.T) {
	t.Parallel()
	if packgentest.Race {
		t.Skip("the race detector does work before main")
	}
	cmd := exec.Command(program(t), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("packgen version: %v\n%s", err, trace.String())
	}
	got := strings.Join(initWork(trace.String()), "\n") + "\n"
	const golden = "testdata/init.txt"
	if *update {
		oktest.Check(t, os.WriteFile(golden, []byte(got), 0o666))
		return
	}
	want := oktest.Value(os.ReadFile(golden))(t)
	if got != string(want) {
		t.Errorf("packages that do work before main:\n%s\nrecorded (run with -update to accept):\n%s", got, want)
	}
}

// Memory is collected once at most, while packages set themselves up, and not by a hook:
// each time takes as long as the hook itself. The program packgen-hook has no such packages.
func TestNothingIsCollectedForAHook(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	oktest.Check(t, indexfile.Write(hook.IndexPath(home), manyEntries(1000)))
	cmd := exec.Command(program(t), "hook")
	// With one processor the collector counts what is allocated, and not what several
	// have set aside for it.
	cmd.Env = []string{"HOME=" + home, "GODEBUG=gctrace=1", "GOMAXPROCS=1"}
	cmd.Stdin = strings.NewReader(`{"prompt":"deploy word7 and word14 of topic77"}`)
	var trace strings.Builder
	cmd.Stderr = &trace
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "entry-7") {
		t.Fatalf("packgen hook: %s, %v\n%s", out, err, trace.String())
	}
	if strings.Contains(trace.String(), "gc 2 ") {
		t.Errorf("memory was collected:\n%s", trace.String())
	}
}

// initWork lists the packages of modules that allocate much before main.
func initWork(trace string) []string {
	var list []string
	for line := range strings.Lines(trace) {
		var name string
		var at, clock float64
		var bytes int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes,", &name, &at, &clock, &bytes); err != nil {
			continue
		}
		module, _, _ := strings.Cut(name, "/")
		if strings.Contains(module, ".") && bytes >= initFloor {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// manyEntries is an index of that many memories.
func manyEntries(n int) []byte {
	var text strings.Builder
	text.WriteString(`{"version":"1.0.0","generated":"x","entries":[`)
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":"entry-%d","path":"/notes/%d.md","keywords":["topic%d","word%d","word%d"],"patterns":[],"priority":"domain","summary":"topic %d","triggers":{},"tokens_est":300,"lines":40}`, i, i, i, i%11, i%47, i)
	}
	text.WriteString("]}")
	return []byte(text.String())
}
