package pack

import (
	"fmt"

	"github.com/packgen/packgen/compiler/nearest"
)

// suggest returns a hint that names the nearest of the known words, or the
// other hint when none is near: at most a third of the letters may differ.
func suggest(word string, all []string, otherwise string) string {
	const longest = 40 // no word we know is longer; distances of long ones are dear
	best, limit := "", len(word)/3+1
	for _, known := range all {
		if len(word) <= longest {
			if d := nearest.Distance(word, known); d < limit {
				best, limit = known, d
			}
		}
	}
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", best)
}
