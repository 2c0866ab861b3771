package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// BenchmarkResolve is the resolve verb except for starting a process: one pack of
// about 1,000 splits, and 200 packs of about 50, of which all are named.
func BenchmarkResolve(b *testing.B) {
	for _, size := range []struct{ packs, pages int }{{1, 230}, {200, 17}} {
		dir := b.TempDir()
		args := []string{"-C", dir, "resolve", "--budget", "100000", "How does the scheduler retry a stale queue, and what limits the cache?"}
		for i := range size.packs {
			name := fmt.Sprintf("pack-%03d", i)
			oktest.Check(b, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: size.pages}))
			args = append(args, "--pack", name)
		}
		var stderr strings.Builder
		if code := run([]string{"-C", dir, "compile", "-q"}, strings.NewReader(""), io.Discard, &stderr); code > exitFindings {
			b.Fatalf("exit code %d\n%s", code, stderr.String())
		}
		b.Run(fmt.Sprintf("packs=%d", size.packs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if code := run(args, strings.NewReader(""), io.Discard, io.Discard); code != exitDone {
					b.Fatalf("exit code %d", code)
				}
			}
		})
	}
}

// BenchmarkResolveProcess is the resolve verb as a process of its own, from what is kept
// of a pack: the processor time that it takes over an empty program, which runs in turn
// with it, and what packgen version takes of that.
func BenchmarkResolveProcess(b *testing.B) {
	dir := b.TempDir()
	source, empty, own := filepath.Join(dir, "empty.go"), filepath.Join(dir, "empty"), filepath.Join(dir, "packgen")
	oktest.Check(b, os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o666))
	for name, from := range map[string]string{empty: source, own: "."} {
		if out, err := exec.Command("go", "build", "-trimpath", "-o", name, from).CombinedOutput(); err != nil {
			b.Fatalf("build %s: %v\n%s", from, err, out)
		}
	}
	processor := func(b *testing.B, name string, args ...string) float64 {
		cmd := exec.Command(name, args...)
		if err := cmd.Run(); err != nil {
			b.Fatalf("%s %v: %v", name, args, err)
		}
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1e3
	}
	for _, splits := range []int{1_000, 30_000} {
		repository := filepath.Join(dir, fmt.Sprint(splits))
		oktest.Check(b, packtest.Write(filepath.Join(repository, "packs", "pack"), packtest.Options{Name: "pack", Pages: splits * 230 / 1_000}))
		if code := run([]string{"-C", repository, "compile", "-q"}, strings.NewReader(""), io.Discard, io.Discard); code > exitFindings {
			b.Fatalf("exit code %d", code)
		}
		query := []string{"-C", repository, "resolve", "How does the scheduler retry a stale queue, and what limits the cache?"}
		processor(b, own, query...) // after a compile of many splits, the first query keeps what the others read
		b.Run(fmt.Sprint("splits=", splits), func(b *testing.B) {
			var all, start []float64
			for b.Loop() {
				none := processor(b, empty)
				all, start = append(all, processor(b, own, query...)-none), append(start, processor(b, own, "version")-none)
			}
			b.ReportMetric(median(all), "cpu-ms")
			b.ReportMetric(median(start), "version-cpu-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}
