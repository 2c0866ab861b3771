package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
)

// exitMismatch is the exit code when a digest or tree hash differs from the recorded one.
const exitMismatch = 3

// codeOf returns the exit code of an error that was printed. A full or read-only disk and
// a link where packgen writes are refusals, not wrong use.
func codeOf(err error) int {
	switch class := diag.ClassOf(err); {
	case class == diag.Mismatch:
		return exitMismatch
	case class == diag.Refused, diag.DiskFull(err), errors.Is(err, syscall.EROFS), errors.Is(err, regularfile.ErrLink):
		return exitFindings
	}
	return exitMisuse
}

// endCode ends a command that has printed its errors, with an exit code.
type endCode struct{ code int }

func (e *endCode) Error() string { return fmt.Sprintf("exit code %d", e.code) }
