package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// build builds a program.
func build(tb testing.TB, to, source string) string {
	tb.Helper()
	if out, err := exec.Command("go", "build", "-o", to, source).CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return to
}

// Every way of being called that is not a prompt is silent and ends well: an exit
// code of 2 would block what the user wrote.
func TestTheProgramIsSilentAndEndsWell(t *testing.T) {
	program := build(t, filepath.Join(t.TempDir(), "packgen-hook"), ".")
	home := t.TempDir()
	oktest.Check(t, indexfile.Write(hook.IndexPath(home), entries(3)))
	const event = `{"prompt":"topic1 word1"}`
	for _, c := range []struct {
		name, home, input string
		args              []string
		answers           bool
	}{
		{name: "a prompt", home: home, input: event, answers: true},
		{name: "odd flags", home: home, input: event, args: []string{"--no-such", "-x", "help", "--reserve"}, answers: true},
		{name: "text in place of pointers", home: home, input: event, args: []string{"--inject"}, answers: true}, // its files are missing
		{name: "no home", input: event},
		{name: "a home that is a file", home: filepath.Join(home, ".ai-loadout", "index.json"), input: event},
		{name: "no event", home: home},
		{name: "half an event", home: home, input: event[:9]},
		{name: "a flood", home: home, input: strings.Repeat("x", 17<<20)},
		{name: "help", home: home, input: "", args: []string{"--help"}},
	} {
		cmd := exec.Command(program, c.args...)
		cmd.Env = []string{"HOME=" + c.home, "USERPROFILE=" + c.home}
		cmd.Stdin = strings.NewReader(c.input)
		var out, faults bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &faults
		if err := cmd.Run(); err != nil || faults.Len() > 0 || (out.Len() > 0) != c.answers {
			t.Errorf("%s: %v, it says %q and %q", c.name, err, out.String(), faults.String())
		}
	}
}

// No memory is collected for a prompt: that takes as long as the hook itself.
func TestNothingIsCollectedForAPrompt(t *testing.T) {
	program := build(t, filepath.Join(t.TempDir(), "packgen-hook"), ".")
	home := t.TempDir()
	oktest.Check(t, indexfile.Write(hook.IndexPath(home), entries(1000)))
	cmd := exec.Command(program)
	cmd.Env = []string{"HOME=" + home, "GODEBUG=gctrace=1", "GOMAXPROCS=1"}
	cmd.Stdin = strings.NewReader(`{"prompt":"deploy word7 and word14 of topic77"}`)
	var trace strings.Builder
	cmd.Stderr = &trace
	out, err := cmd.Output()
	if err != nil || len(out) == 0 || strings.Contains(trace.String(), "gc 1 ") {
		t.Errorf("it says %q, %v\n%s", out, err, trace.String())
	}
}

// BenchmarkProcess measures whole processes, in turn with an empty Go program: what
// the hook adds to a prompt, in wall time and in processor time.
func BenchmarkProcess(b *testing.B) {
	dir := b.TempDir()
	program := build(b, filepath.Join(dir, "packgen-hook"), ".")
	source := filepath.Join(dir, "empty", "main.go")
	oktest.Check(b, os.MkdirAll(filepath.Dir(source), 0o777))
	oktest.Check(b, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666))
	empty := build(b, filepath.Join(dir, "nothing"), source)
	for _, n := range []int{1_000, 10_000} {
		home := filepath.Join(dir, fmt.Sprint(n))
		oktest.Check(b, indexfile.Write(hook.IndexPath(home), entries(n)))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var wall, cpu []float64
			for b.Loop() {
				emptyWall, emptyCPU := run(b, empty, home, "")
				w, c := run(b, program, home, `{"session_id":"s","prompt":"deploy word7 and word14 of topic77 to the build cache"}`)
				wall, cpu = append(wall, w-emptyWall), append(cpu, c-emptyCPU)
			}
			b.ReportMetric(middle(wall), "ms-wall/op")
			b.ReportMetric(middle(cpu), "ms-cpu/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// entries is an index of that many memories with words as real ones have them: some in
// many entries, some in one.
func entries(n int) []byte {
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

// run runs a program and returns what it took, in milliseconds.
func run(b *testing.B, program, home, input string) (wall, cpu float64) {
	cmd := exec.Command(program)
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

func middle(list []float64) float64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[len(list)/2]
}
