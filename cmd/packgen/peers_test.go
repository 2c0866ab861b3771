package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/pack/packtest"
)

// hugoModule is the generator that packgen is compared with, as the Go module
// proxy gives it.
const hugoModule = "github.com/gohugoio/hugo@v0.164.0"

// peerPages is the size of the pack of the comparison.
const peerPages = 10_000

// BenchmarkPeers builds the same generated pages with packgen and with Hugo in
// turn, each time into an empty folder and without a cache, and reports the
// medians and their ratio. Hugo renders a bare template; packgen also compiles,
// indexes and maps claims.
func BenchmarkPeers(b *testing.B) {
	if os.Getenv("PACKGEN_BENCH_PEERS") == "" {
		b.Skip("make bench-peers runs this: it needs Hugo and some minutes")
	}
	if runtime.GOOS != "linux" {
		b.Skip("peak memory is read as Linux reports it")
	}
	work := b.TempDir()
	packgen := filepath.Join(work, "bin", "packgen")
	command(b, "", nil, "go", "build", "-trimpath", "-o", packgen, "github.com/packgen/packgen/cmd/packgen")
	hugo := hugoBinary(b)
	for _, highlight := range []bool{true, false} {
		b.Run(fmt.Sprintf("Hugo/highlight=%t", highlight), func(b *testing.B) {
			peers(b, packgen, hugo, highlight)
		})
	}
}

// peers runs the two programs in turn, b.N times each.
func peers(b *testing.B, packgen, hugo string, highlight bool) {
	var ours, theirs []measured
	markdown, html := 0, 0
	for range b.N {
		repo := filepath.Join(b.TempDir(), "repo")
		pack := filepath.Join(repo, "packs", "generated")
		if err := packtest.Write(pack, packtest.Options{Pages: peerPages}); err != nil {
			b.Fatal(err)
		}
		writeFile(b, filepath.Join(repo, "packgen.yaml"), fmt.Sprintf("site:\n  highlight: %t\n", highlight))
		site := hugoSite(b, filepath.Join(pack, "wiki"), highlight)
		runtime.GC()
		ours = append(ours, command(b, repo, nil, packgen, "build", "-q"))
		theirs = append(theirs, command(b, site, []string{"HUGO_CACHEDIR=" + b.TempDir()}, hugo, "--quiet"))
		markdown = sizeOf(b, filepath.Join(pack, "wiki"), ".md")
		html = sizeOf(b, filepath.Join(repo, "public", "packs", "generated", "wiki"), ".html")
		os.RemoveAll(repo)
		os.RemoveAll(site)
	}
	mine, other := median(ours), median(theirs)
	b.ReportMetric(mine.wall.Seconds(), "packgen-s")
	b.ReportMetric(other.wall.Seconds(), "hugo-s")
	b.ReportMetric(mine.wall.Seconds()/other.wall.Seconds(), "time-ratio")
	b.ReportMetric(float64(mine.peak)/(1<<20), "packgen-MiB")
	b.ReportMetric(float64(other.peak)/(1<<20), "hugo-MiB")
	b.ReportMetric(float64(html)/float64(markdown), "html/md")
	b.ReportMetric(0, "ns/op")
}

// measured is what one process took.
type measured struct {
	wall time.Duration
	peak int64 // bytes of resident memory at most
}

// median returns the run with the median time; its peak is the median peak.
func median(runs []measured) measured {
	byTime := slices.Clone(runs)
	slices.SortFunc(byTime, func(x, y measured) int { return cmp.Compare(x.wall, y.wall) })
	byPeak := slices.Clone(runs)
	slices.SortFunc(byPeak, func(x, y measured) int { return cmp.Compare(x.peak, y.peak) })
	return measured{wall: byTime[len(runs)/2].wall, peak: byPeak[len(runs)/2].peak}
}

// command runs a program and measures it.
func command(b *testing.B, dir string, env []string, name string, args ...string) measured {
	b.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	start := time.Now()
	out, err := c.CombinedOutput()
	wall := time.Since(start)
	if err != nil {
		b.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	return measured{wall: wall, peak: usage.Maxrss << 10}
}

// hugoBinary finds Hugo on PATH, or builds it into the user's cache.
func hugoBinary(b *testing.B) string {
	b.Helper()
	if found, err := exec.LookPath("hugo"); err == nil {
		return found
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Skipf("no hugo on PATH and no cache folder to build it in: %v", err)
	}
	bin := filepath.Join(cache, "packgen-bench")
	built := filepath.Join(bin, "hugo")
	if _, err := os.Stat(built); err == nil {
		return built
	}
	install := exec.Command("go", "install", hugoModule)
	install.Env = append(os.Environ(), "GOBIN="+bin)
	if out, err := install.CombinedOutput(); err != nil {
		b.Skipf("no hugo on PATH and %s does not build: %v\n%s", hugoModule, err, out)
	}
	return built
}

// hugoSite is a site with a bare template over the same pages.
func hugoSite(b *testing.B, pages string, highlight bool) string {
	b.Helper()
	dir := b.TempDir()
	writeFile(b, filepath.Join(dir, "hugo.toml"), fmt.Sprintf(`baseURL = "https://example.org/"
disableKinds = ["taxonomy", "term", "RSS", "sitemap", "robotsTXT", "404"]
uglyURLs = true
[markup.highlight]
  codeFences = %t
  noClasses = false
`, highlight))
	bare := "<!doctype html><title>{{ .Title }}</title><body>{{ .Content }}</body>\n"
	for _, name := range []string{"single.html", "list.html", "home.html"} {
		writeFile(b, filepath.Join(dir, "layouts", "_default", name), bare)
	}
	if err := os.CopyFS(filepath.Join(dir, "content"), os.DirFS(pages)); err != nil {
		b.Fatal(err)
	}
	return dir
}

func writeFile(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
}

// sizeOf adds up the files below dir with that ending, in bytes.
func sizeOf(tb testing.TB, dir, ending string) int {
	tb.Helper()
	total := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ending) {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += int(info.Size())
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return total
}
