//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/workspace"
)

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
	own := filepath.Join(bin, "packgen")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", own, ".").CombinedOutput(); err != nil {
		b.Fatalf("build packgen: %v\n%s", err, out)
	}
	source := generatedRepository(b, pages)
	for _, highlight := range []bool{true, false} {
		peers := []struct {
			name    string
			prepare func(dir string, highlight bool) *exec.Cmd
		}{
			{"packgen", func(dir string, highlight bool) *exec.Cmd { return packgenPeer(b, own, source, dir, highlight) }},
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
					if out, err := cmd.CombinedOutput(); err != nil {
						b.Fatalf("%v\n%s", err, out)
					}
					processor += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
					if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
						peak = max(peak, float64(usage.Maxrss)/1024)
					}
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
	writeFiles(b, dir, map[string]string{workspace.ConfigName: fmt.Sprintf("site:\n  highlight: %t\n", highlight)})
	return exec.Command(own, "-C", dir, "build", "-q")
}

// hugoPeer prepares a Hugo site of the same pages with the least template that
// shows them.
func hugoPeer(b *testing.B, hugo, source, dir string, highlight bool) *exec.Cmd {
	oktest.Check(b, os.CopyFS(filepath.Join(dir, "content"), os.DirFS(filepath.Join(source, "packs", "generated", "wiki"))))
	page := "<!doctype html><html lang=en><meta charset=utf-8><title>{{ .Title }}</title><body>%s</body></html>\n"
	writeFiles(b, dir, map[string]string{
		"hugo.toml": fmt.Sprintf("baseURL = \"https://example.org/\"\ntitle = \"Peers\"\n"+
			"disableKinds = [\"taxonomy\", \"term\", \"RSS\", \"sitemap\"]\n"+
			"[markup.highlight]\nnoClasses = false\ncodeFences = %t\n", highlight),
		"layouts/_default/single.html": fmt.Sprintf(page, "{{ .TableOfContents }}{{ .Content }}"),
		"layouts/_default/list.html":   fmt.Sprintf(page, "{{ .Content }}"),
	})
	return exec.Command(hugo, "--source", dir, "--quiet", "--noBuildLock")
}
