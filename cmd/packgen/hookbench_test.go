package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// BenchmarkHookProcess runs the prompt hook as an agent does, as a process of its
// own, and an empty program beside it. It reports medians: of the wall time over
// the empty program, and of the processor time over it, in milliseconds.
func BenchmarkHookProcess(b *testing.B) {
	dir := b.TempDir()
	command := buildProgram(b, filepath.Join(dir, "packgen"), ".")
	source := filepath.Join(dir, "empty", "main.go")
	if err := os.MkdirAll(filepath.Dir(source), 0o777); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	empty := buildProgram(b, filepath.Join(dir, "nothing"), source)
	for _, entries := range []int{1_000, 10_000} {
		home := filepath.Join(dir, fmt.Sprint(entries))
		if err := indexfile.Write(hook.IndexPath(home), manyEntries(entries)); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			var wall, cpu, emptyWall, emptyCPU []float64
			for b.Loop() {
				w, c := timeProcess(b, empty, home, "")
				emptyWall, emptyCPU = append(emptyWall, w), append(emptyCPU, c)
				w, c = timeProcess(b, command, home, `{"session_id":"s","prompt":"deploy word7 and word14 of topic77 to the build cache"}`, "hook")
				wall, cpu = append(wall, w), append(cpu, c)
			}
			b.ReportMetric(middleOf(wall)-middleOf(emptyWall), "ms-wall/op")
			b.ReportMetric(middleOf(cpu)-middleOf(emptyCPU), "ms-cpu/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func buildProgram(b *testing.B, to, source string) string {
	b.Helper()
	if out, err := exec.Command("go", "build", "-o", to, source).CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return to
}

// manyEntries is an index of entries with seven keywords each.
func manyEntries(n int) []byte {
	var text strings.Builder
	text.WriteString(`{"version":"1.0.0","generated":"2026-01-01T00:00:00.000Z","entries":[`)
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":"entry-%d","path":"/home/user/memory/topic-%d.md","keywords":["topic%d","word%d","word%d","word%d","word%d","word%d","word%d"],`,
			i, i, i, i%11, i%47, i%101, i%211, i%307, i%401)
		fmt.Fprintf(&text, `"patterns":[],"priority":"domain","summary":"What to do when topic %d comes up","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":300,"lines":40}`, i)
	}
	text.WriteString("]}")
	return []byte(text.String())
}

// timeProcess runs a process and returns its wall and processor time in
// milliseconds.
func timeProcess(b *testing.B, program, home, input string, args ...string) (wall, cpu float64) {
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"HOME=" + home}
	cmd.Stdin = strings.NewReader(input)
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if err != nil || input != "" && len(out) == 0 {
		b.Fatalf("%s: %q, %v", program, out, err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(took) / 1e6, float64(used) / 1e6
}

func middleOf(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
