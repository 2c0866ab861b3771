//go:build unix

package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/repo"
)

// benchPages are the sizes of a full build. The first and the last say whether
// the time grows with the number of pages or faster.
var benchPages = []int{1000, 10000}

// generatedRepository writes a repository of packs with that many pages each.
func generatedRepository(tb testing.TB, packs, pages int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range packs {
		name := fmt.Sprintf("pack-%04d", i)
		oktest.Check(tb, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: pages, Seed: uint64(i + 1)}))
	}
	return dir
}

// packgenOnce runs a command line in a directory and returns what it prints.
func packgenOnce(b *testing.B, dir string, args ...string) string {
	b.Helper()
	var stdout, stderr strings.Builder
	if code := run(append([]string{"-C", dir}, args...), strings.NewReader(""), &stdout, &stderr); code > exitFindings {
		b.Fatalf("exit code %d\n%s", code, &stderr)
	}
	return stdout.String()
}

// process runs a program and returns its processor time in milliseconds, and the megabytes
// that it had in memory at most.
func process(b *testing.B, cmd *exec.Cmd) (cpu, peak float64) {
	b.Helper()
	if out, err := cmd.CombinedOutput(); err != nil || cmd.Process == nil {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return used(cmd)
}

func used(cmd *exec.Cmd) (cpu, peak float64) {
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6, float64(usage.Maxrss) / 1024
}

// median is the middle of a list, the upper one of two.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// BenchmarkBuild is a first build: nothing compiled, no site, no cache.
func BenchmarkBuild(b *testing.B) {
	for _, pages := range benchPages {
		for _, plain := range []bool{false, true} {
			name := fmt.Sprintf("pages=%d/highlight=%t", pages, !plain)
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					dir := generatedRepository(b, 1, pages)
					if plain {
						oktest.Write(b, dir, map[string]string{repo.ConfigName: "site:\n  highlight: false\n"})
					}
					runtime.GC()
					b.StartTimer()
					packgenOnce(b, dir, "build", "-q")
				}
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(pages)*1e6, "us/page")
			})
		}
	}
}

// BenchmarkRebuild is a build that finds nothing to do.
func BenchmarkRebuild(b *testing.B) {
	for _, pages := range benchPages {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			dir := generatedRepository(b, 1, pages)
			packgenOnce(b, dir, "build", "-q")
			for b.Loop() {
				packgenOnce(b, dir, "build", "-q")
			}
		})
	}
}

// BenchmarkEdit is what builds cost that follow a first one: as parts of its processor
// time (name/first), and in pages written (name-pages). Nothing changed, the text of a
// page, its title, a heading that five others link to, a page more, and a compile right
// after a build. In one large pack an edit costs more: the pack is joined as a whole.
func BenchmarkEdit(b *testing.B) {
	for _, shape := range []struct{ packs, pages int }{{100, 100}, {1, 10000}} {
		b.Run(fmt.Sprintf("pages=%d/packs=%d", shape.packs*shape.pages, shape.packs), func(b *testing.B) {
			dir := generatedRepository(b, shape.packs, shape.pages)
			e := newEdits(b, filepath.Join(dir, "packs", "pack-0000", "wiki"))
			first := processorTime(b, func() { packgenOnce(b, dir, "build", "-q") })
			n := 0
			for b.Loop() {
				n++
				for _, step := range []struct {
					name string
					edit func(b *testing.B, n int)
					verb string
				}{
					{"unchanged", func(*testing.B, int) {}, "build"},
					{"text", e.text, "build"},
					{"title", e.title, "build"},
					{"heading", e.heading, "build"},
					{"added", e.add, "build"},
					{"compile", func(*testing.B, int) {}, "compile"},
				} {
					step.edit(b, n)
					pages := 0
					b.ReportMetric(processorTime(b, func() { pages = pagesWritten(b, dir, step.verb) })/first, step.name+"/first")
					if step.verb == "build" {
						b.ReportMetric(float64(pages), step.name+"-pages")
					}
				}
			}
			b.ReportMetric(first, "first-s")
		})
	}
}

// edits changes the pages of a wiki.
type edits struct {
	page   string // the page whose text changes
	titled string // the page whose title changes
	linked string // the page with the heading
}

// newEdits links five pages to a heading of another.
func newEdits(b *testing.B, wiki string) *edits {
	pages, err := filepath.Glob(filepath.Join(wiki, "*", "*.md"))
	if err != nil || len(pages) < 20 {
		b.Fatal(err, len(pages))
	}
	e := &edits{page: pages[len(pages)/2], titled: pages[0], linked: pages[10]}
	write(b, e.linked, "\n## Renamed 0\n\nText below a heading.\n", os.O_APPEND)
	for _, from := range pages[11:16] {
		write(b, from, fmt.Sprintf("\nSee [the other page](%s#renamed-0).\n", filepath.Base(e.linked)), os.O_APPEND)
	}
	return e
}

func (e *edits) text(b *testing.B, n int) {
	write(b, e.page, fmt.Sprintf("\nSentence %d.\n", n), os.O_APPEND)
}

func (e *edits) title(b *testing.B, n int) {
	title := regexp.MustCompile(`(?m)^(title:|#) .*`)
	write(b, e.titled, title.ReplaceAllString(read(b, e.titled), fmt.Sprintf("$1 Title %d", n)), os.O_TRUNC)
}

func (e *edits) heading(b *testing.B, n int) {
	write(b, e.linked, strings.Replace(read(b, e.linked), fmt.Sprintf("## Renamed %d\n", n-1), fmt.Sprintf("## Renamed %d\n", n), 1), os.O_TRUNC)
}

func (e *edits) add(b *testing.B, n int) {
	write(b, filepath.Join(filepath.Dir(e.page), fmt.Sprintf("added-%d.md", n)), "# Added\n\nText.\n", os.O_EXCL)
}

func write(b *testing.B, name, text string, flags int) {
	b.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o666)
	oktest.Check(b, err)
	_, err = f.WriteString(text)
	oktest.Check(b, errors.Join(err, f.Close()))
}

// pagesWritten runs a verb and returns how many pages of the site it wrote.
func pagesWritten(b *testing.B, dir, verb string) (pages int) {
	b.Helper()
	var report struct {
		Output struct{ Changes []outputChange }
	}
	oktest.Check(b, json.Unmarshal([]byte(packgenOnce(b, dir, verb, "--json")), &report))
	for _, c := range report.Output.Changes {
		if path.Ext(c.Path) == ".html" && c.Operation != "deleted" {
			pages++
		}
	}
	return pages
}

// processorTime returns the seconds of processor time that a function takes, with those
// of the collector.
func processorTime(b *testing.B, do func()) float64 {
	b.Helper()
	runtime.GC()
	seconds := func() float64 {
		var u syscall.Rusage
		oktest.Check(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	}
	before := seconds()
	do()
	return seconds() - before
}

// BenchmarkMemory is how much memory builds take at most, each in a process of its own: a
// first build, the same again, and one after an edit of a page. PACKGEN_MEMORY names other
// shapes, as packs x pages of each, such as "1x100000 200x1000".
func BenchmarkMemory(b *testing.B) {
	for _, shape := range strings.Fields(cmp.Or(os.Getenv("PACKGEN_MEMORY"), "1x1000 10x100 40x100")) {
		var packs, pages int
		if _, err := fmt.Sscanf(shape, "%dx%d", &packs, &pages); err != nil {
			b.Fatalf("%q is not a shape: %v", shape, err)
		}
		b.Run(shape, func(b *testing.B) {
			dir := generatedRepository(b, packs, pages)
			list := oktest.Value(filepath.Glob(filepath.Join(dir, "packs", "*", "wiki", "*", "*.md")))(b)
			build := func() float64 {
				_, peak := process(b, exec.Command(program(b), "-C", dir, "build", "-q"))
				return peak
			}
			cold, again, edit := build(), build(), 0.0
			for n := 0; b.Loop(); n++ {
				write(b, list[len(list)/2], fmt.Sprintf("\nSentence %d.\n", n), os.O_APPEND)
				edit = max(edit, build())
			}
			b.ReportMetric(cold, "cold-MB")
			b.ReportMetric(again, "unchanged-MB")
			b.ReportMetric(edit, "edit-MB")
		})
	}
}

// BenchmarkFewEntries measures whole processes that answer about few of 100,000 entries:
// what each takes of processor time over packgen version, which runs in turn with it, and
// of memory at most. A process is never less in memory than the one that starts it: this one
// stays small. The first answer makes the prebuilt form.
func BenchmarkFewEntries(b *testing.B) {
	dir, home := b.TempDir(), b.TempDir()
	oktest.Write(b, dir, map[string]string{"packgen.yaml": "out: .claude/loadout\n", "packs/handbook/KNOWLEDGE.md": packgentest.Entry, ".claude/loadout/index.json": ""})
	index := filepath.Join(dir, ".claude", "loadout", "index.json")
	task := writeEntries(b, index, 100_000)
	for until := time.Now().Add(20 * time.Millisecond); time.Now().Before(until); { // files of one tick of the clock cannot be distinguished
	}
	run := func(b *testing.B, input string, args ...string) (cpu, peak float64) {
		cmd := exec.Command(program(b), append([]string{"-C", dir}, args...)...)
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
		return used(cmd)
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
				full, peak := run(b, c.input, c.args...)
				cpu, memory = append(cpu, full-empty), append(memory, peak)
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
	f := oktest.Value(os.Create(name))(b)
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

// BenchmarkPeersPlan runs "packgen plan" and "ai-loadout resolve", whole
// processes in turn, over a stack of one layer with 10,000 entries, and reports
// the medians. PEERS names a node_modules folder that holds the original.
func BenchmarkPeersPlan(b *testing.B) {
	folder := os.Getenv("PEERS")
	if folder == "" {
		b.Skip("PEERS names no node_modules folder with @mcptoolshop/ai-loadout")
	}
	peer := filepath.Join(folder, ".bin", "ai-loadout")
	if _, err := os.Stat(peer); err != nil {
		b.Skipf("no original: %v", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		b.Skipf("no Node: %v", err)
	}
	dir := b.TempDir()
	task := writeEntries(b, filepath.Join(dir, ".claude", "loadout", "index.json"), 10_000)
	commands := [][]string{
		{program(b), "plan", task},
		{program(b), "plan", "--json", task},
		{peer, "resolve", "--json"},
	}
	var wall, processor [3][]float64 // milliseconds
	for b.Loop() {
		for i, args := range commands {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "AI_LOADOUT_ORG=", "AI_LOADOUT_SESSION=")
			start := time.Now()
			cpu, _ := process(b, cmd)
			wall[i], processor[i] = append(wall[i], time.Since(start).Seconds()*1e3), append(processor[i], cpu)
		}
	}
	for i, name := range []string{"plan", "plan-json", "resolve"} {
		b.ReportMetric(median(wall[i]), name+"-ms")
		b.ReportMetric(median(processor[i]), name+"-cpu-ms")
	}
	b.ReportMetric(median(wall[0])/median(wall[2]), "plan/resolve")
	b.ReportMetric(median(wall[1])/median(wall[2]), "plan-json/resolve")
	b.ReportMetric(0, "ns/op")
}

// hugoModule is the generator that packgen is measured against, at a version
// that builds with our toolchain.
const hugoModule = "github.com/gohugoio/hugo@v0.160.0"

// BenchmarkPeers builds the same pages with packgen and with Hugo and a bare
// template, in turn, each as a process of its own. It runs when
// PACKGEN_BENCH_PEERS is set and needs the Go module proxy.
func BenchmarkPeers(b *testing.B) {
	if os.Getenv("PACKGEN_BENCH_PEERS") == "" {
		b.Skip("set PACKGEN_BENCH_PEERS=1; make bench-peers does")
	}
	pages := 10000
	if n, err := strconv.Atoi(os.Getenv("PACKGEN_BENCH_PAGES")); err == nil && n > 0 {
		pages = n
	}
	bin := b.TempDir()
	install := exec.Command("go", "install", hugoModule)
	install.Env = append(os.Environ(), "GOBIN="+bin)
	if out, err := install.CombinedOutput(); err != nil {
		b.Skipf("cannot install Hugo: %v\n%s", err, out)
	}
	source := generatedRepository(b, 1, pages)
	for _, highlight := range []bool{true, false} {
		peers := []struct {
			name    string
			prepare func(dir string, highlight bool) *exec.Cmd
		}{
			{"packgen", func(dir string, highlight bool) *exec.Cmd { return packgenPeer(b, program(b), source, dir, highlight) }},
			{"hugo", func(dir string, highlight bool) *exec.Cmd {
				return hugoPeer(b, filepath.Join(bin, "hugo"), source, dir, highlight)
			}},
		}
		for _, p := range peers {
			b.Run(fmt.Sprintf("%s/pages=%d/highlight=%t", p.name, pages, highlight), func(b *testing.B) {
				var peak, processor float64
				for b.Loop() {
					b.StopTimer()
					cmd := p.prepare(b.TempDir(), highlight)
					runtime.GC()
					b.StartTimer()
					cpu, memory := process(b, cmd)
					processor, peak = processor+cpu/1e3, max(peak, memory)
				}
				b.ReportMetric(peak, "peak-MB")
				b.ReportMetric(processor/float64(b.N), "cpu-s/op")
				b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/op")
			})
			time.Sleep(time.Second) // let the disk settle before the next one
		}
	}
}

// packgenPeer prepares a build of a copy of the pages.
func packgenPeer(b *testing.B, own, source, dir string, highlight bool) *exec.Cmd {
	oktest.Check(b, os.CopyFS(dir, os.DirFS(source)))
	oktest.Write(b, dir, map[string]string{repo.ConfigName: fmt.Sprintf("site:\n  highlight: %t\n", highlight)})
	return exec.Command(own, "-C", dir, "build", "-q")
}

// hugoPeer prepares a Hugo site of the same pages with the least template that
// shows them.
func hugoPeer(b *testing.B, hugo, source, dir string, highlight bool) *exec.Cmd {
	oktest.Check(b, os.CopyFS(filepath.Join(dir, "content"), os.DirFS(filepath.Join(source, "packs", "pack-0000", "wiki"))))
	page := "<!doctype html><html lang=en><meta charset=utf-8><title>{{ .Title }}</title><body>%s</body></html>\n"
	oktest.Write(b, dir, map[string]string{
		"hugo.toml": fmt.Sprintf("baseURL = \"https://example.org/\"\ntitle = \"Peers\"\n"+
			"disableKinds = [\"taxonomy\", \"term\", \"RSS\", \"sitemap\"]\n"+
			"[markup.highlight]\nnoClasses = false\ncodeFences = %t\n", highlight),
		"layouts/_default/single.html": fmt.Sprintf(page, "{{ .TableOfContents }}{{ .Content }}"),
		"layouts/_default/list.html":   fmt.Sprintf(page, "{{ .Content }}"),
	})
	return exec.Command(hugo, "--source", dir, "--quiet", "--noBuildLock")
}

// BenchmarkResolveProcess is the resolve verb as a process of its own, from what is kept
// of a pack: the processor time that it takes over an empty program, which runs in turn
// with it, and what packgen version takes of that.
func BenchmarkResolveProcess(b *testing.B) {
	dir := b.TempDir()
	source, empty := filepath.Join(dir, "empty.go"), filepath.Join(dir, "empty")
	writeText(b, source, "package main\n\nfunc main() {}\n")
	process(b, exec.Command("go", "build", "-trimpath", "-o", empty, source))
	processor := func(name string, args ...string) float64 {
		cpu, _ := process(b, exec.Command(name, args...))
		return cpu
	}
	for _, splits := range []int{1_000, 30_000} {
		repository := generatedRepository(b, 1, splits*230/1_000)
		packgenOnce(b, repository, "compile", "-q")
		query := []string{"-C", repository, "resolve", "How does the scheduler retry a stale queue, and what limits the cache?"}
		processor(program(b), query...) // after a compile of many splits, the first query keeps what the others read
		b.Run(fmt.Sprint("splits=", splits), func(b *testing.B) {
			var all, start []float64
			for b.Loop() {
				none := processor(empty)
				all, start = append(all, processor(program(b), query...)-none), append(start, processor(program(b), "version")-none)
			}
			b.ReportMetric(median(all), "cpu-ms")
			b.ReportMetric(median(start), "version-cpu-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
