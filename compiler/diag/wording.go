package diag

import "fmt"

// GivenTwice is the message for a key that one object or mapping holds twice, in
// whatever format: one fault reads the same everywhere.
func GivenTwice(key string, firstLine int) string {
	return fmt.Sprintf("key %q is given twice; the first is on line %d", key, firstLine)
}
