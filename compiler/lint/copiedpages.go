package lint

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// rawCopies compares texts, by their paths, with the files of sources/ and
// returns a warning raw-copy for each passage that was copied (agent-knowledge
// section 6.10). Sources are read once; texts may be asked for several times,
// once for each [maxCopyWords] of sources, and not at all when there are none.
// A source that is not text, or has more words than that, is skipped. The
// error is for a file that cannot be read, and for a context that ended.
func rawCopies(ctx context.Context, p *pack.Pack, texts iter.Seq2[string, []byte]) ([]diag.Diagnostic, error) {
	var list []diag.Diagnostic
	index := NewCopyIndex()
	compare := func() {
		if index.used == 0 {
			return
		}
		for name, text := range texts {
			list = append(list, CopyFindings(name, text, index.Find(text))...)
		}
	}
	for _, f := range p.List("sources") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Size > maxScanned {
			continue
		}
		text, ok, err := readText(p, f.Path)
		if err != nil {
			return nil, err
		}
		if ok && !index.Add(f.Path, text) {
			compare()
			index = NewCopyIndex()
			index.Add(f.Path, text)
		}
	}
	compare()
	return list, ctx.Err()
}

// findCopies looks for copied passages in the files of compiled/, except for those
// where the compile has found some.
func (r *run) findCopies(ctx context.Context) error {
	known := map[string]bool{}
	for _, d := range r.in.Diagnostics {
		if d.ID == idRawCopy {
			known[d.Path] = true
		}
	}
	var failed error
	views := func(yield func(string, []byte) bool) {
		for _, f := range r.pack.List("compiled") {
			if !strings.HasSuffix(f.Path, ".md") || known[f.Path] || f.Size > maxScanned {
				continue
			}
			text, ok, err := readText(r.pack, f.Path)
			if err != nil {
				failed = err
				return
			}
			if ok && !yield(f.Path, text) {
				return
			}
		}
	}
	list, err := rawCopies(ctx, r.pack, views)
	if err != nil {
		return err
	}
	r.list = slices.Concat(r.list, list)
	return failed
}
