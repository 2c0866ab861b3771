package check

import (
	"crypto/sha256"
	"encoding/hex"
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
)

const (
	idMapContradicts = "source-map-contradicts"
	sourceMapPath    = "indexes/source-map.json"
)

// records checks the records that lie in a pack against their schemas: every file
// of runs/, and the source map, which must not contradict the pack either
// (agent-knowledge sections 8.3, 9 and 17.4).
func records(p *pack.Pack, r *compiler.Result) ([]diag.Diagnostic, error) {
	reported := map[string]bool{} // what compile has reported already
	for _, d := range r.Diagnostics {
		reported[d.Path] = reported[d.Path] || d.ID == idSchema
	}
	var list []diag.Diagnostic
	lists := map[string]error{}
	for _, f := range p.List("runs") {
		if path.Dir(f.Path) != "runs" || path.Ext(f.Path) != ".json" || reported[f.Path] {
			continue
		}
		d, err := runFault(p, f.Path, lists)
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
// unknown one a remark. All are skipped by whatever reads them. Lists keeps what is
// wrong with those that records refer to.
func runFault(p *pack.Pack, name string, lists map[string]error) (*diag.Diagnostic, error) {
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
		run, err := schema.ReadRunAlone(data, p.ReadFile)
		if fault := new(schema.ListFault); errors.As(err, &fault) {
			return unusable(name, fault), nil
		}
		if err == nil {
			if d := listFault(p, run, name, lists); d != nil {
				return d, nil
			}
			return misnamed(run, name), nil
		}
	}
	var other *schema.ForeignError
	switch err := schema.Validate(kind, data); {
	case errors.As(err, &other):
		return foreign(diag.Warning, fmt.Sprintf("the record is not one of %s; another tool wrote it", other.Kind)), nil
	case err == nil && kind == schema.KindRunList:
		return damagedList(name, data), nil
	case err != nil:
		d := SchemaFault(name, err)
		d.Severity, d.Hint = diag.Warning, "delete it, or keep it for the tool that wrote it; packgen skips it"
		return &d, nil
	}
	return nil, nil
}

// listFault reports a run whose list is missing or damaged; nil for any other.
func listFault(p *pack.Pack, run *schema.Run, name string, lists map[string]error) *diag.Diagnostic {
	if run.Base == nil {
		return nil
	}
	list := schema.RunListPath(run.Base.List)
	err, known := lists[list]
	if !known {
		data, readErr := p.ReadFile(list)
		switch {
		case readErr != nil:
			err = errors.New("cannot be read")
		case !schema.HasSum(data, run.Base.List):
			err = errors.New("is damaged")
		}
		lists[list] = err
	}
	if err == nil {
		return nil
	}
	return unusable(name, &schema.ListFault{What: "list", Path: list, Err: err})
}

// unusable reports a run record whose ledger or list cannot be used.
func unusable(name string, fault *schema.ListFault) *diag.Diagnostic {
	return &diag.Diagnostic{
		ID: idSchema, Severity: diag.Warning, Path: name,
		Message: "the run record cannot be used: " + fault.Error(),
		Hint:    "restore the " + fault.What + " from version control, or delete the record; packgen skips it",
	}
}

// damagedList reports a list under the name of another text. Under another
// name it is only a copy.
func damagedList(name string, data []byte) *diag.Diagnostic {
	sum := sha256.Sum256(schema.WithLF(data))
	is, named := "runs/"+path.Base(name), schema.RunListPath(hex.EncodeToString(sum[:]))
	if !schema.IsRunListPath(is) || is == named {
		return nil
	}
	return &diag.Diagnostic{
		ID: idSchema, Severity: diag.Warning, Path: name,
		Message: "the list is damaged: its name is that of another text", Hint: "restore it from version control, or delete it",
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
	at := slices.IndexFunc(outputs, func(o schema.RunOutput) bool { return o.Path == sourceMapPath })
	if !p.Has(sourceMapPath) || at < 0 || !changed(outputs[at]) {
		return nil, nil
	}
	data, err := p.ReadFile(sourceMapPath)
	if errors.Is(err, pack.ErrTooLarge) {
		return []diag.Diagnostic{{ID: idSchema, Severity: diag.Error, Path: sourceMapPath, Message: tooLarge(sourceMapPath)}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", sourceMapPath, err)
	}
	m, err := schema.DecodeSourceMap(data)
	if err != nil {
		return []diag.Diagnostic{SchemaFault(sourceMapPath, err)}, nil
	}
	against := compiler.Contradictions(p, r, m)
	if len(against) == 0 {
		return nil, nil
	}
	d := diag.Diagnostic{
		ID: idMapContradicts, Severity: diag.Warning, Path: sourceMapPath,
		Message: "the source map contradicts the pack: " + strings.Join(against[:min(named, len(against))], "; "),
		Hint:    "run packgen compile, which writes it again; move anything that is only there into a document",
	}
	if more := len(against) - named; more > 0 {
		d.Message += fmt.Sprintf("; and %d more", more)
	}
	// After an edit of a document the map of the last compile is merely old, which
	// outputs-outdated says.
	if p.Has("compiled/index.json") && slices.ContainsFunc(slices.Delete(slices.Clone(outputs), at, at+1), changed) {
		d.Severity = diag.Info
	}
	return []diag.Diagnostic{d}, nil
}

// tooLarge is the message about a file of a pack that is too large to be read.
func tooLarge(name string) string {
	return "the file is larger than " + bytesize.Text(pack.SizeLimit(name))
}
