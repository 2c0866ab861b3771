package pack

import (
	"fmt"

	"github.com/packgen/packgen/compiler/nearest"
)

// suggest returns a hint that names the nearest of the known words, or the
// other hint when none is near: at most a third of the letters may differ.
func suggest(word string, all []string, otherwise string) string {
	best := nearest.Within(word, all, len(word)/3)
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", best)
}
