package compiler

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// benchPack writes a generated pack of 1,000 pages of about 6 KB.
func benchPack(b *testing.B) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "generated")
	oktest.Check(b, packtest.Write(dir, packtest.Options{Pages: 1000}))
	return dir
}

// BenchmarkCompile1000 is a full compile that writes everything.
func BenchmarkCompile1000(b *testing.B) {
	dir := benchPack(b)
	for b.Loop() {
		b.StopTimer()
		for _, made := range []string{"compiled", "indexes", "runs", stateName} {
			oktest.Check(b, os.RemoveAll(filepath.Join(dir, made)))
		}
		b.StartTimer()
		compileDir(b, dir, Options{})
	}
}

// BenchmarkCompile1000Unchanged is a full compile that finds nothing to write.
func BenchmarkCompile1000Unchanged(b *testing.B) {
	dir := benchPack(b)
	compileDir(b, dir, Options{})
	for b.Loop() {
		compileDir(b, dir, Options{})
	}
}

// BenchmarkCompile1000DryRun is the work without the writing.
func BenchmarkCompile1000DryRun(b *testing.B) {
	dir := benchPack(b)
	for b.Loop() {
		compileDir(b, dir, Options{DryRun: true})
	}
}
