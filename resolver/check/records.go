package check

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
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
