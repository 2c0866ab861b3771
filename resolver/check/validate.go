package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// ValidatedFile is what the envelope says about one file.
type ValidatedFile struct {
	Path   string      `json:"path"`
	Schema schema.Kind `json:"schema"` // "" when it is not known
	Status string      `json:"status"` // valid, invalid, skipped
}

// maxRecord is the size limit of a record, in bytes.
const maxRecord = 64 << 20

// ValidateFiles checks records, named from the repository root. An empty kind is inferred
// from each file. The findings are sorted.
func ValidateFiles(w *repo.Repo, names []string, kind schema.Kind) ([]ValidatedFile, []diag.Diagnostic, error) {
	files, findings := make([]ValidatedFile, 0, len(names)), []diag.Diagnostic{}
	for _, name := range names {
		data, err := atomicfile.Read(w.Paths.Abs(name), maxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, diag.Absent("file", name, "name a run record: they are in runs/ of a pack")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read record %s: %w", name, err)
		}
		file, fault := validateFile(w.Paths.Rel(w.Paths.Abs(name)), data, kind)
		files = append(files, file)
		if fault != nil {
			findings = append(findings, *fault)
		}
	}
	diag.Sort(findings)
	return files, findings, nil
}

// validateFile checks one record; the finding is nil when it fits.
func validateFile(shown string, data []byte, kind schema.Kind) (ValidatedFile, *diag.Diagnostic) {
	file := ValidatedFile{Path: shown, Schema: kind, Status: "invalid"}
	var err error
	if kind == "" {
		if file.Schema, err = schema.Infer(shown, data); err != nil {
			return file, &diag.Diagnostic{
				ID: "schema-invalid", Severity: diag.Error, Path: shown,
				Message: "neither the file name nor its keys say which record this is", Hint: "name the schema with --schema",
			}
		}
	}
	err = schema.Validate(file.Schema, data)
	var foreign *schema.ForeignError
	switch {
	case err == nil:
		file.Status = "valid"
		return file, misnamedRun(file.Schema, shown, data)
	case errors.As(err, &foreign) && kind != "":
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Error, Path: shown,
			Message: fmt.Sprintf("the record has none of the fields of %s", kind), Hint: "leave --schema out to tell it from its name and keys",
		}
	case errors.As(err, &foreign):
		file.Status = "skipped"
		return file, &diag.Diagnostic{
			ID: "schema-invalid", Severity: diag.Warning, Path: shown,
			Message: fmt.Sprintf("the record is not one of %s; another tool wrote it", foreign.Kind), Hint: "leave it: packgen skips it",
		}
	}
	fault := eval.SchemaFault(shown, err)
	return file, &fault
}

// misnamedRun reports a compile run under the name of another one. Under a name
// that no run has it is only a copy.
func misnamedRun(kind schema.Kind, shown string, data []byte) *diag.Diagnostic {
	if kind != schema.KindCompileRun || !strings.HasPrefix(filepath.Base(shown), "compile-") {
		return nil
	}
	run, err := schema.DecodeRun(data)
	if err != nil {
		return nil
	}
	return misnamed(run, shown)
}
