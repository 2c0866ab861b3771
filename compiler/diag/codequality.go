package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// The parts of a GitLab code quality report.
type (
	qualityIssue struct {
		Description string          `json:"description"`
		Check       string          `json:"check_name"`
		Fingerprint string          `json:"fingerprint"`
		Severity    string          `json:"severity"`
		Location    qualityLocation `json:"location"`
	}
	qualityLocation struct {
		Path  string       `json:"path"`
		Lines qualityLines `json:"lines"`
	}
	qualityLines struct {
		Begin int `json:"begin"`
	}
)

// CodeQuality writes diagnostics as a GitLab code quality report, which a merge
// request shows beside the lines they are about: every one, in their order, with the
// fingerprints of SARIF. GitLab wants a path and a line of each: a finding about a
// whole file is at its first line, one about no file in ".".
func CodeQuality(w io.Writer, list []Diagnostic, o FormatOptions) error {
	prints := fingerprints(list, o)
	issues := make([]qualityIssue, 0, len(list))
	for i, d := range list {
		path := o.path(d)
		if path == "" {
			path = "."
		}
		issues = append(issues, qualityIssue{
			Description: withAdvice(d), Check: d.ID, Fingerprint: prints[i],
			Severity: map[Severity]string{Error: "critical", Warning: "minor", Info: "info"}[d.Severity],
			Location: qualityLocation{Path: path, Lines: qualityLines{Begin: max(d.Line, 1)}},
		})
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(issues); err != nil {
		return fmt.Errorf("write the code quality report: %w", err)
	}
	if _, err := w.Write(EscapeJSON(text.Bytes())); err != nil {
		return fmt.Errorf("write the code quality report: %w", err)
	}
	return nil
}
