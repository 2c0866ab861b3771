package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/workspace"
)

// BenchmarkLoadIndex reads an index of 100,000 entries from disk, ready to be
// matched against.
func BenchmarkLoadIndex(b *testing.B) {
	dir := b.TempDir()
	layOutStack(b, dir, 100_000)
	text := filepath.Join(dir, ".claude", "loadout", "index.json")
	data, err := os.ReadFile(text)
	oktest.Check(b, err)
	ix, err := indexjson.Read(data)
	oktest.Check(b, err)
	if data, err = loadout.NewMatcher(ix).Marshal(); err != nil {
		b.Fatal(err)
	}
	binary := filepath.Join(dir, "index.bin")
	oktest.Check(b, os.WriteFile(binary, data, 0o666))
	a := &app{Workspace: workspace.Workspace{Dir: dir}, stderr: io.Discard}
	for name, file := range map[string]string{"bin": binary, "json": text} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := a.ReadMatcher(file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
