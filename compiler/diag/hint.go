package diag

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
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
