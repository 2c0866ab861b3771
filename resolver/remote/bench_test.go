package remote

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// Opening a cached pack of 1,000 documents: what resolve --from adds before the
// first file is read.
func BenchmarkOpenCached(b *testing.B) {
	s := publish(b, "kettle", "It boils.")
	all := s.all()
	delete(all, schema.PackManifestName)
	for i := range 1000 {
		all[fmt.Sprintf("documents/d%04d.md", i)] = fmt.Appendf(nil, "# %d\n", i)
	}
	m, err := schema.DecodePackManifest(s.manifest)
	oktest.Check(b, err)
	o := options(b)
	dir := filepath.Join(o.Dir, "kettle")
	for name, data := range all {
		write(b, filepath.Join(dir, filepath.FromSlash(name)), data)
	}
	files := mustOpen(b, "kettle", Options{Dir: o.Dir, Cache: o.Cache, Identify: true}).Files()
	m.Tree, m.Files = archive.TreeHash(files), nil
	for _, f := range files {
		m.Files = append(m.Files, schema.PublishedFile(f))
	}
	if all[schema.PackManifestName], err = schema.Encode(m); err != nil {
		b.Fatal(err)
	}
	write(b, filepath.Join(o.Dir, "kettle.zip"), zipped(b, all, ""))
	entry := mustOpen(b, "kettle.zip", o).Entry
	o.Locked = &entry
	for b.Loop() {
		a, err := Open(context.Background(), mustRef(b, "kettle.zip"), o)
		oktest.Check(b, err)
		_ = a.Views()
		a.Close()
	}
}
