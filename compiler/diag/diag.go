package diag

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
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

// Advice returns a hint as it is printed: an imperative after "fix:", a question such as
// "did you mean x?" as it is.
func Advice(hint string) string {
	if hint == "" || strings.HasPrefix(hint, "did you mean ") {
		return hint
	}
	return "fix: " + hint
}

// hinted is an error with a second sentence that says what to do about it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }

// WithHint attaches to an error what the reader can do about it.
func WithHint(err error, format string, args ...any) error {
	return &hinted{err: err, hint: fmt.Sprintf(format, args...)}
}

// HintOf returns what an error says the reader can do about it: the hint that was
// attached last, otherwise the advice of an error that has a method of that name, or "".
func HintOf(err error) string {
	if h := (*hinted)(nil); errors.As(err, &h) {
		return h.hint
	}
	if e := (interface{ Advice() string })(nil); errors.As(err, &e) {
		return e.Advice()
	}
	return ""
}

// WithoutHint returns the error that the outermost hint was attached to, or the
// error itself when it has none.
func WithoutHint(err error) error {
	if h := (*hinted)(nil); errors.As(err, &h) {
		return h.err
	}
	return err
}

// absent is the error about a path that does not exist.
type absent struct{ what, path string }

func (a absent) Error() string        { return "no " + a.what + " at " + a.path }
func (a absent) Is(target error) bool { return target == fs.ErrNotExist }

// Absent returns the error about a path that was named and does not exist, an
// [fs.ErrNotExist], with what can be done about it. What is a noun, such as "index".
func Absent(what, path, hint string, args ...any) error {
	return WithHint(absent{what, path}, hint, args...)
}

// Class is what an error is to whoever gave the command. It decides the exit code
// (agent-knowledge section 17.3).
type Class int

const (
	Misuse   Class = iota // wrong arguments, or an environment that does not allow the work
	Refused               // the command was right, and what it asked for is refused
	Mismatch              // a digest or a tree hash is not the recorded one
)

// classed is an error with a class.
type classed struct {
	error
	class Class
}

func (c *classed) Unwrap() error { return c.error }

// WithClass gives an error a class.
func WithClass(class Class, err error) error { return &classed{err, class} }

// Refuse makes an error a refusal.
func Refuse(err error) error { return WithClass(Refused, err) }

// DiskFull reports whether an error says that a disk, or what a user may have of it, is full.
func DiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// ClassOf returns the class that an error was given last; [Misuse] without one.
func ClassOf(err error) Class {
	if c := (*classed)(nil); errors.As(err, &c) {
		return c.class
	}
	return Misuse
}

// ShellWord quotes text for a shell.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if !strings.HasPrefix(s, "-") && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(Printable(s), "'", `'\''`) + "'"
}

// GivenTwice is the message for a key that one object or mapping holds twice, in
// whatever format: one fault reads the same everywhere.
func GivenTwice(key string, firstLine int) string {
	return fmt.Sprintf("key %q is given twice; the first is on line %d", key, firstLine)
}

// Cut returns the start of a text in at most that many bytes, whole characters.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Clip is Cut for a message: an ellipsis takes the place of what is left out.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Cut(text, most) + "…"
}

// OneLine is Clip for a text of several lines, which it returns on one.
func OneLine(text string, most int) string {
	return Clip(strings.Join(strings.Fields(text), " "), most)
}
