package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
)

const idMapContradicts = "source-map-contradicts"

// records checks the records that lie in a pack against their schemas: every file
// of runs/, and the source map, which must not contradict the pack either
// (agent-knowledge sections 8.3, 9 and 17.4).
func records(p *pack.Pack, r *compiler.Result) ([]diag.Diagnostic, error) {
	reported := map[string]bool{} // what compile has reported already
	for _, d := range r.Diagnostics {
		reported[d.Path] = reported[d.Path] || d.ID == idSchema
	}
	var list []diag.Diagnostic
	for _, f := range p.List("runs") {
		if path.Dir(f.Path) != "runs" || path.Ext(f.Path) != ".json" || reported[f.Path] {
			continue
		}
		d, err := runFault(p, f.Path)
		if err != nil {
			return nil, err
		}
		if d != nil {
			list = append(list, *d)
		}
	}
	found, err := mapFaults(p, r)
	return append(list, found...), err
}

// runFault checks one record of runs/. Records are for audit: one that cannot be
// used, by a fault or because another tool wrote it, is a warning, and an
// unknown one a remark. All are skipped by whatever reads them.
func runFault(p *pack.Pack, name string) (*diag.Diagnostic, error) {
	data, err := p.ReadFile(name)
	if errors.Is(err, pack.ErrTooLarge) {
		return &diag.Diagnostic{ID: idSchema, Severity: diag.Warning, Path: name, Message: tooLarge(name), Hint: "delete it"}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	foreign := func(severity diag.Severity, message string) *diag.Diagnostic {
		return &diag.Diagnostic{ID: idSchema, Severity: severity, Path: name, Message: message, Hint: "leave it: packgen skips it"}
	}
	kind, err := schema.Infer(name, data)
	if err != nil {
		return foreign(diag.Info, "neither the file name nor its keys say which record this is"), nil
	}
	if kind == schema.KindCompileRun { // the many and large ones are read once
		run, err := schema.ReadRun(data, p.ReadFile)
		if fault := new(schema.LedgerFault); errors.As(err, &fault) {
			return unusable(name, fault), nil
		}
		if err == nil {
			return misnamed(run, name), nil
		}
	}
	var other *schema.ForeignError
	switch err := schema.Validate(kind, data); {
	case errors.As(err, &other):
		return foreign(diag.Warning, fmt.Sprintf("the record is not one of %s; another tool wrote it", other.Kind)), nil
	case err != nil:
		d := eval.SchemaFault(name, err)
		d.Severity, d.Hint = diag.Warning, "delete it, or keep it for the tool that wrote it; packgen skips it"
		return &d, nil
	}
	return nil, nil
}

// unusable reports a run record whose ledger cannot be used.
func unusable(name string, fault *schema.LedgerFault) *diag.Diagnostic {
	return &diag.Diagnostic{
		ID: idSchema, Severity: diag.Warning, Path: name,
		Message: "the run record cannot be used: " + fault.Error(),
		Hint:    "restore the ledger from version control, or delete the record; packgen skips it",
	}
}

// misnamed reports a compile run that says it is another one than its file's name
// does (agent-knowledge section 9), since runs are ordered by their names; nil when
// both agree.
func misnamed(run *schema.Run, name string) *diag.Diagnostic {
	if run.RunID == strings.TrimSuffix(path.Base(name), ".json") {
		return nil
	}
	return &diag.Diagnostic{
		ID: idSchema, Severity: diag.Warning, Path: name,
		Message: fmt.Sprintf("the record says it is %q", run.RunID), Hint: "give the file the name of its run_id, or delete it",
	}
}

// mapFaults looks at a source map that a compile would change.
func mapFaults(p *pack.Pack, r *compiler.Result) ([]diag.Diagnostic, error) {
	changed := func(o schema.RunOutput) bool { return o.Operation != "unchanged" }
	outputs := r.Outputs()
	at := slices.IndexFunc(outputs, func(o schema.RunOutput) bool { return o.Path == pack.SourceMapPath })
	if !p.Has(pack.SourceMapPath) || at < 0 || !changed(outputs[at]) {
		return nil, nil
	}
	data, err := p.ReadFile(pack.SourceMapPath)
	if errors.Is(err, pack.ErrTooLarge) {
		return []diag.Diagnostic{{ID: idSchema, Severity: diag.Error, Path: pack.SourceMapPath, Message: tooLarge(pack.SourceMapPath)}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", pack.SourceMapPath, err)
	}
	m, err := schema.DecodeSourceMap(data)
	if err != nil {
		return []diag.Diagnostic{eval.SchemaFault(pack.SourceMapPath, err)}, nil
	}
	against := compiler.Contradictions(p, r, m)
	if len(against) == 0 {
		return nil, nil
	}
	d := diag.Diagnostic{
		ID: idMapContradicts, Severity: diag.Warning, Path: pack.SourceMapPath,
		Message: "the source map contradicts the pack: " + fewOf(against, "; ", "; and "),
		Hint:    "run packgen compile, which writes it again; move anything that is only there into a document",
	}
	// After an edit of a document the map of the last compile is merely old, which
	// outputs-outdated says.
	if p.Has(pack.IndexPath) && slices.ContainsFunc(slices.Delete(slices.Clone(outputs), at, at+1), changed) {
		d.Severity = diag.Info
	}
	return []diag.Diagnostic{d}, nil
}

// tooLarge is the message about a file of a pack that is too large to be read.
func tooLarge(name string) string {
	return "the file is larger than " + bytesize.Text(pack.SizeLimit(name))
}

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
