package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

const faultsPage = "reference/faults.md"

// faultRows are the rows of the fault figures: what torturetest.Start calls a fault, what
// people call it, and what must be.
var faultRows = []struct{ key, fault, must string }{
	{"kill", "`kill -9` at random", "no file half, none lost, the next run equal to a fresh one"},
	{"disk", "each write of a build fails", "every file old or new, the error names the file, the next run equal to a fresh one"},
	{"processes", "two to eight processes on one repository and store", "right bytes, or `another run is writing there`"},
	{"power", "power cut: writes since the last sync are lost", "as killed"},
	{"hostile", "hostile archives, registries, servers, messages", "nothing outside, no panic, within the limits of size"},
	{"browser", "hostile Markdown in a browser", "nothing runs"},
	{"secrets", "planted secrets", "in no output, log or cache"},
	{"fences", "fence escapes", "no content leaves its element"},
	{"fuzz", "fuzzing; rounds are executions", "nothing found"},
}

// byTime adds up the figures of the fuzz targets that ran for the same time, the longest
// first.
func byTime(list []torturetest.Figure) (sums []torturetest.Figure) {
	targets := map[int64]int{}
	for _, f := range list {
		if targets[f.Seconds]++; targets[f.Seconds] == 1 {
			sums = append(sums, torturetest.Figure{Fault: f.Fault, Seconds: f.Seconds})
		}
		for i := range sums {
			if sums[i].Seconds == f.Seconds {
				sums[i].Count += f.Count
				sums[i].Found += f.Found
			}
		}
	}
	slices.SortFunc(sums, func(a, b torturetest.Figure) int { return cmp.Compare(b.Seconds, a.Seconds) })
	for i := range sums {
		sums[i].Part = fmt.Sprintf("%d targets for %v each", targets[sums[i].Seconds], time.Duration(sums[i].Seconds)*time.Second)
	}
	return sums
}

// The table in the manual has the figures that make torture wrote, and no others.
func TestManualHasTheFaultFigures(t *testing.T) {
	t.Parallel()
	root, err := torturetest.Root()
	oktest.Check(t, err)
	figures, err := torturetest.Figures(root)
	oktest.Check(t, err)
	fuzzed, err := torturetest.FuzzFigures(root)
	oktest.Check(t, err)
	figures = append(figures, byTime(fuzzed)...)
	page := manualPage(t, faultsPage)
	head, _, ok := strings.Cut(page, "\n\n| Fault |")
	if !ok {
		t.Fatalf("%s has no table", faultsPage)
	}
	head += "\n"
	var want strings.Builder
	want.WriteString("\n| Fault | Of | Rounds | Wrong | Must be |\n| --- | --- | --- | --- | --- |\n")
	for _, row := range faultRows {
		seen := false
		for _, f := range figures {
			if f.Fault == row.key {
				seen = true
				fmt.Fprintf(&want, "| %s | %s | %s | %s | %s |\n", row.fault, f.Part, amount.Grouped(f.Count), amount.Grouped(f.Found), row.must)
			}
		}
		if !seen {
			fmt.Fprintf(&want, "| %s | | not run | | %s |\n", row.fault, row.must)
		}
	}
	for _, f := range figures {
		if !slices.ContainsFunc(faultRows, func(r struct{ key, fault, must string }) bool { return r.key == f.Fault }) {
			t.Errorf("%s has no row", f.Fault)
		}
	}
	if *update {
		oktest.Check(t, os.WriteFile(filepath.Join(manual, faultsPage), []byte(head+want.String()), 0o644))
		return
	}
	if page != head+want.String() {
		t.Error("the fault figures are not up to date: go test ./cmd/packgen -run TestManualHasTheFaultFigures -update")
	}
}
