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
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return "json"
	case ".sarif":
		return "sarif"
	case ".md":
		return "markdown"
	case ".xml":
		return "junit"
	}
	return ""
}

// Render writes findings in a format for another program, or as text.
func Render(w io.Writer, format string, list []diag.Diagnostic, o diag.FormatOptions) error {
	var err error
	switch format {
	case "sarif":
		err = diag.SARIF(w, compiler.Version, list, o)
	case "github":
		err = diag.GitHub(w, list, o)
	case "gitlab":
		err = diag.CodeQuality(w, list, o)
	case "junit":
		err = diag.JUnit(w, list, o)
	case "markdown":
		err = diag.Markdown(w, list, o)
	default:
		err = diag.Render(w, list, diag.RenderOptions{Path: o.Path})
	}
	if err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	return nil
}
