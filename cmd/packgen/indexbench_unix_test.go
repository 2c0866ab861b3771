//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// BenchmarkFewEntries measures whole processes that answer about few of 100,000 entries:
// what each takes of processor time over packgen version, which runs in turn with it, and
// of memory at most. A process is never less in memory than the one that starts it: this one
// stays small. The first answer makes the prebuilt form.
func BenchmarkFewEntries(b *testing.B) {
	dir, home := b.TempDir(), b.TempDir()
	own := filepath.Join(b.TempDir(), "packgen")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", own, ".").CombinedOutput(); err != nil {
		b.Fatalf("build packgen: %v\n%s", err, out)
	}
	writeFiles(b, dir, map[string]string{"packgen.yaml": "out: .claude/loadout\n", "packs/handbook/KNOWLEDGE.md": packgentest.Entry, ".claude/loadout/index.json": ""})
	index := filepath.Join(dir, ".claude", "loadout", "index.json")
	task := writeEntries(b, index, 100_000)
	for until := time.Now().Add(20 * time.Millisecond); time.Now().Before(until); { // files of one tick of the clock cannot be distinguished
	}
	run := func(b *testing.B, input string, args ...string) (cpu, peak float64) {
		cmd := exec.Command(own, append([]string{"-C", dir}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		in, errIn := cmd.StdinPipe()
		out, errOut := cmd.StdoutPipe()
		oktest.Check(b, errors.Join(errIn, errOut, cmd.Start()))
		_, err := io.WriteString(in, input)
		lines := bufio.NewReader(out)
		text, _ := lines.ReadString('\n')
		if input != "" { // the second line answers the call
			text, _ = lines.ReadString('\n')
		}
		in.Close()
		if strings.Contains(text, `"isError":true`) && !strings.Contains(input, "read_entry") {
			b.Fatal(text)
		}
		if _, rest := io.Copy(io.Discard, lines); err != nil || text == "" || rest != nil || cmd.Wait() != nil {
			b.Fatalf("packgen %v: %q, %v", args, text, err)
		}
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = float64(usage.Maxrss) / 1024
		}
		return float64(used.Microseconds()) / 1000, peak
	}
	call := func(tool, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments) + "\n"
	}
	quoted := fmt.Sprintf("%q", task)
	for _, c := range []struct {
		name, input string
		args        []string
	}{
		{"version", "", []string{"version"}},
		{"form", "", []string{"match", "--index", index, task}},
		{"match", "", []string{"match", "--index", index, task}},
		{"match-json", "", []string{"match", "--json", "--index", index, task}},
		{"match-weighted", "", []string{"match", "--matcher", "weighted", "--index", index, task}},
		{"plan", "", []string{"plan", task}},
		{"explain", "", []string{"explain", "entry-500"}},
		{"explain-task", "", []string{"explain", "entry-500", "--task", task}},
		{"mcp-none", call("no_such_tool", "{}"), []string{"mcp"}},
		{"mcp-match", call("match_knowledge", `{"task":`+quoted+`}`), []string{"mcp"}},
		{"mcp-explain", call("explain_match", `{"id":"entry-500","task":`+quoted+`}`), []string{"mcp"}},
		{"mcp-read", call("read_entry", `{"id":"entry-500"}`), []string{"mcp"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var cpu, memory []float64
			for b.Loop() {
				if c.name == "form" {
					oktest.Check(b, os.RemoveAll(filepath.Join(home, ".ai-loadout")))
				}
				empty, _ := run(b, "", "version")
				used, peak := run(b, c.input, c.args...)
				cpu, memory = append(cpu, used-empty), append(memory, peak)
			}
			b.ReportMetric(median(cpu), "ms-cpu/op")
			b.ReportMetric(median(memory), "peak-MB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// writeEntries writes an index of entries as a build makes them, one after another, and
// returns a task that hits some.
func writeEntries(b *testing.B, name string, entries int) (task string) {
	r := rand.New(rand.NewPCG(1, uint64(entries)))
	f, err := os.Create(name)
	oktest.Check(b, err)
	defer f.Close()
	out := bufio.NewWriter(f)
	words := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`"word%s"`, strings.Repeat("x", r.IntN(3))+strconv.Itoa(r.IntN(5000)))
		}
		return strings.Join(list, ", ")
	}
	fmt.Fprint(out, `{"version": "1.0.0", "generated": "2026-01-01T00:00:00.000Z", "entries": [`)
	for i := range entries {
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, `
    {
      "id": "entry-%d",
      "path": "packs/handbook/compiled/splits/wiki/area-%03d/what-the-service-does-%d.md",
      "keywords": [%s],
      "patterns": [],
      "priority": "domain",
      "summary": "What the service of number %d does when the region that it runs in answers no more, and who is asked then",
      "triggers": {"task": true, "plan": true, "edit": false},
      "tokens_est": %d,
      "lines": 40
    }`, i, i/100, i, words(8), i, 100+r.IntN(900))
	}
	fmt.Fprint(out, "\n]}\n")
	oktest.Check(b, out.Flush())
	return strings.ReplaceAll(strings.ReplaceAll(words(12), `"`, ""), ",", "")
}
