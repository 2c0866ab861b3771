package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
)

// exitMismatch is the exit code for a digest or a tree hash that is not the one
// that is recorded.
const exitMismatch = 3

// codeOf is the exit code of an error that was printed. A place that cannot be
// written refuses what was right to ask for: that is not wrong use.
func codeOf(err error) int {
	switch class := diag.ClassOf(err); {
	case class == diag.Mismatch:
		return exitMismatch
	case class == diag.Refused, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS):
		return exitFindings
	}
	return exitMisuse
}

// endCode ends a verb that has said all, with an exit code.
type endCode struct{ code int }

func (e *endCode) Error() string { return fmt.Sprintf("exit code %d", e.code) }
