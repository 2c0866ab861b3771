package check

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// Pulled looks through the text of a pack from elsewhere for what its readers should
// know before they use it: instructions to a model, invisible characters,
// secrets. No comment in the pack hides an instruction. What a compile has derived
// from a file is not reported again.
func Pulled(ctx context.Context, name string, fsys fs.FS, files []archive.File) ([]diag.Diagnostic, error) {
	found := make([][]diag.Diagnostic, len(files))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			data, err := fs.ReadFile(fsys, f.Path)
			if err != nil {
				return fmt.Errorf("look through %s of %s: %w", f.Path, name, err)
			}
			if text, ok := frontmatter.Legible(data); ok {
				found[i] = lint.ScanForeign(f.Path, text).Diagnostics
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	reported := map[string]bool{}
	var list []diag.Diagnostic
	for _, derived := range []bool{false, true} {
		for i, f := range files {
			if pack.LayerOf(f.Path).IsOutput() != derived {
				continue
			}
			for _, d := range found[i] {
				if derived && reported[d.ID+d.Message] {
					continue
				}
				reported[d.ID+d.Message] = true
				d.Pack = name
				list = append(list, d)
			}
		}
	}
	diag.Sort(list)
	return list, ctx.Err()
}

// Inspection is what a lock keeps of the findings of [Pulled].
func Inspection(found []diag.Diagnostic) *schema.LockedInspection {
	out := &schema.LockedInspection{Findings: []schema.LockedFinding{}}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b diag.Diagnostic) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	for _, d := range found {
		if d.Severity == diag.Info {
			continue
		}
		i := slices.IndexFunc(out.Findings, func(f schema.LockedFinding) bool { return f.Rule == d.ID && f.Severity == d.Severity })
		if i >= 0 {
			out.Findings[i].Count++
			continue
		}
		first := d.Path
		if d.Line > 0 {
			first += ":" + strconv.Itoa(d.Line)
		}
		out.Findings = append(out.Findings, schema.LockedFinding{Rule: d.ID, Severity: d.Severity, Count: 1, First: first})
	}
	slices.SortFunc(out.Findings, func(a, b schema.LockedFinding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), strings.Compare(a.Rule, b.Rule))
	})
	return out
}
