package check

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
)

// Formats are the formats of a report, as --format names them. JSON is the command's
// own envelope, which Render does not write.
var Formats = [...]string{"text", "json", "sarif", "github", "gitlab", "junit", "markdown"}

// FormatOf returns the format that the name of a report's file says, or "".
func FormatOf(name string) string {
	return map[string]string{".json": "json", ".sarif": "sarif", ".md": "markdown", ".xml": "junit"}[strings.ToLower(filepath.Ext(name))]
}

// renderers write the formats that are not text.
var renderers = map[string]func(io.Writer, []diag.Diagnostic, diag.FormatOptions) error{
	"github": diag.GitHub, "gitlab": diag.CodeQuality, "junit": diag.JUnit, "markdown": diag.Markdown,
	"sarif": func(w io.Writer, list []diag.Diagnostic, o diag.FormatOptions) error {
		return diag.SARIF(w, compiler.Version, list, o)
	},
}

// Render writes findings in a format for another program, or as text.
func Render(w io.Writer, format string, list []diag.Diagnostic, o diag.FormatOptions) error {
	render := renderers[format]
	if render == nil {
		render = func(w io.Writer, list []diag.Diagnostic, o diag.FormatOptions) error {
			return diag.Render(w, list, diag.RenderOptions{Path: o.Path})
		}
	}
	if err := render(w, list, o); err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	return nil
}
