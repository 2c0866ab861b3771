package diag

import (
	"strings"

	"github.com/packgen/packgen/compiler/secret"
)

// Finding is a diagnostic as the JSON envelope holds it (agent-knowledge section
// 17.2), with what section 17.2 has no field for. The tags are those of package schema.
type Finding struct {
	Severity Severity `json:"severity" check:"required" enum:"error|warning|info"`
	Path     string   `json:"path" check:"required"`    // relative to the pack root, or to the repository when Pack is empty
	Message  string   `json:"message" check:"required"` // begins with the rule id in brackets
	ID       string   `json:"id,omitempty"`
	Pack     string   `json:"pack,omitempty"`
	Line     int      `json:"line,omitempty" min:"0"`   // 1-based
	Column   int      `json:"column,omitempty" min:"0"` // 1-based, in bytes
	Hint     string   `json:"hint,omitempty"`
}

// shown returns a diagnostic as it may be shown: likely secrets in its texts and in
// the names of files are cut to their first characters (agent-knowledge section
// 18.4). Rules redact what they quote; this covers what one of them forgets.
func shown(d Diagnostic) Diagnostic {
	d.Pack, d.Path = secret.RedactPath(d.Pack), secret.RedactPath(d.Path)
	d.Message, d.Hint = secret.Redact(d.Message), secret.Redact(d.Hint)
	return d
}

// withAdvice returns the message of a diagnostic as it may be shown, and what to do in
// a line of its own.
func withAdvice(d Diagnostic) string {
	d = shown(d)
	text := Printable(d.Message)
	if d.Hint != "" {
		text += "\n" + Printable(Advice(d.Hint))
	}
	return text
}

// Findings turns diagnostics into the envelope's form, in their order; never nil.
func Findings(list []Diagnostic) []Finding {
	out := make([]Finding, 0, len(list))
	for _, d := range list {
		d = shown(d)
		out = append(out, Finding{
			Severity: d.Severity, Path: d.Path, Message: d.Labelled(),
			ID: d.ID, Pack: d.Pack, Line: d.Line, Column: d.Column, Hint: d.Hint,
		})
	}
	return out
}

// FormatOptions say what the formats for other programs need to know. The zero value
// is ready to use.
type FormatOptions struct {
	// Path gives the path of a diagnostic from the repository root, with slashes;
	// nil leaves paths as they are.
	Path func(Diagnostic) string
	// Lines gives the line of a diagnostic, from which SARIF makes fingerprints
	// that survive edits elsewhere in the file; nil makes them of the message.
	Lines Lines
	// Rules explains rule ids, for SARIF and links in a summary; nil explains none.
	Rules func(id string) (RuleText, bool)
	// Limit is how many findings the formats with a limit show, worst first and each
	// rule with its share; 0 means the limit of that format.
	Limit int
	// Fails says which findings fail a test, for JUnit; nil means errors.
	Fails func(Diagnostic) bool
	// All is the command that prints every finding, named where some are left out;
	// "" names none.
	All string
}

// RuleText is what a report says about a rule.
type RuleText struct {
	Title    string   // a few words
	Means    string   // what a finding says
	Help     string   // why it matters and how to fix it
	Severity Severity // of an ordinary finding
}

// path returns the path to show of a diagnostic.
func (o FormatOptions) path(d Diagnostic) string {
	if o.Path != nil {
		return secret.RedactPath(o.Path(d))
	}
	return secret.RedactPath(d.Path)
}

// normalLine is a line as fingerprints see it: blanks collapsed and trimmed.
func normalLine(s string) string { return strings.Join(strings.Fields(s), " ") }
