package json

import (
	"errors"
	"fmt"
)

// Located adds to the error about a file its name and, where its text is not JSON, the
// place of the fault. Syntax reports which of the two it is.
func Located(name string, err error) (located error, syntax bool) {
	var fault *SyntaxError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s:%d:%d: %s", name, fault.Line, fault.Column, fault.Problem), true
	}
	return fmt.Errorf("%s: %w", name, err), false
}
