package diag

import (
	"errors"
	"fmt"
	"strings"
)

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
// attached last, or "" without one.
func HintOf(err error) string {
	if h := (*hinted)(nil); errors.As(err, &h) {
		return h.hint
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

// ClassOf returns the class that an error was given last; [Misuse] without one.
func ClassOf(err error) Class {
	if c := (*classed)(nil); errors.As(err, &c) {
		return c.class
	}
	return Misuse
}
