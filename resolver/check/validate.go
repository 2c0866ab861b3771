package check

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// ValidatedFile is what the envelope says about one file.
type ValidatedFile struct {
	Path   string      `json:"path"`
	Schema schema.Kind `json:"schema"` // "" when it is not known
	Status string      `json:"status"` // valid, invalid, skipped
}

// ValidateFile checks one record; the finding is nil when it fits.
func ValidateFile(shown string, data []byte, kind schema.Kind) (ValidatedFile, *diag.Diagnostic) {
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
		if file.Schema == schema.KindRunList {
			return file, damagedList(filepath.ToSlash(shown), data)
		}
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
	fault := SchemaFault(shown, err)
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
