package main

import (
	"errors"
	"fmt"
	"syscall"
)

// exitMismatch is the exit code for a digest or a tree hash that is not the one
// that is recorded.
const exitMismatch = 3

// withCode is an error that ends the verb with an exit code of its own.
type withCode struct {
	error
	code int
}

func (e *withCode) Unwrap() error { return e.error }

// exitWith gives an error an exit code. Without one it is exitMisuse.
func exitWith(code int, err error) error { return &withCode{err, code} }

// codeOf is the exit code of an error that was printed. A place that cannot be
// written refuses what was right to ask for: that is not wrong use.
func codeOf(err error) int {
	var coded *withCode
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS):
		return exitFindings
	}
	return exitMisuse
}

// endCode ends a verb that has said all, with an exit code.
type endCode struct{ code int }

func (e *endCode) Error() string { return fmt.Sprintf("exit code %d", e.code) }
