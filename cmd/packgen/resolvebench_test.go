package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

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
			if err := packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: size.pages}); err != nil {
				b.Fatal(err)
			}
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
