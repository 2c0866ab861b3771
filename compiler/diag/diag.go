package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity orders diagnostics. The zero value is Info.
type Severity uint8

// The severities of agent-knowledge section 6.10.
const (
	Info Severity = iota
	Warning
	Error
)

// String returns the word used in records, envelopes and on a terminal.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "info"
}

// MarshalText returns the word, as JSON holds it.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word.
func (s *Severity) UnmarshalText(word []byte) error {
	for _, known := range []Severity{Info, Warning, Error} {
		if known.String() == string(word) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("%q is not one of info, warning, error", word)
}

// Diagnostic is one finding about one file.
type Diagnostic struct {
	ID       string // stable kebab-case rule id, such as "claim-unsourced"
	Severity Severity
	Pack     string // pack name, or "" when the file belongs to no pack
	Path     string // slash path, relative to the pack root (to the repository when Pack is "")
	Line     int    // 1-based line in the file; 0 when the finding is about the whole file
	Column   int    // 1-based column in bytes; 0 when unknown
	Message  string // what is wrong, as a sentence, without the id
	Hint     string // how to fix it; may be empty
	Recorded string // what run records say instead of Message, where the format fixes that; "" when it does not
	Implied  bool   // another finding about the same place says so too: run records alone hold it
}

// Say gives the diagnostic a sentence for readers; run records keep the message that it
// has.
func (d *Diagnostic) Say(format string, args ...any) {
	d.Recorded, d.Message = d.Message, fmt.Sprintf(format, args...)
}

// Record returns the message as run records hold it: the id in brackets, then
// the text (section 6.10; the published schema has no field for an id).
func (d Diagnostic) Record() string {
	return "[" + d.ID + "] " + cmp.Or(d.Recorded, d.Message)
}

// Labelled returns the message for readers, after the id in brackets.
func (d Diagnostic) Labelled() string { return "[" + d.ID + "] " + d.Message }

// Place returns "path", "path:line" or "path:line:column".
func (d Diagnostic) Place() string {
	switch {
	case d.Line > 0 && d.Column > 0:
		return fmt.Sprintf("%s:%d:%d", d.Path, d.Line, d.Column)
	case d.Line > 0:
		return fmt.Sprintf("%s:%d", d.Path, d.Line)
	}
	return d.Path
}

// Sort orders diagnostics as section 6.11 says: severity (errors first), then
// the bytes of path and of the recorded message; place breaks ties.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		if a.Severity != b.Severity {
			return cmp.Compare(b.Severity, a.Severity)
		}
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		if c := compareRecords(&a, &b); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// compareRecords compares the recorded messages of two diagnostics.
func compareRecords(a, b *Diagnostic) int {
	if a.ID == b.ID {
		return strings.Compare(cmp.Or(a.Recorded, a.Message), cmp.Or(b.Recorded, b.Message))
	}
	return strings.Compare(a.Record(), b.Record())
}

// ComparePlaces orders diagnostics by where they are: pack, path, line and column,
// and by what they say where that is the same.
func ComparePlaces(a, b Diagnostic) int {
	if c := cmp.Or(strings.Compare(a.Pack, b.Pack), strings.Compare(a.Path, b.Path)); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), compareRecords(&a, &b))
}

// Count returns how many of the diagnostics have that severity.
func Count(list []Diagnostic, s Severity) int {
	n := 0
	for _, d := range list {
		if d.Severity == s {
			n++
		}
	}
	return n
}
