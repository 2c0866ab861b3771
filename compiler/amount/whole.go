package amount

import (
	"math"
	"strconv"
	"strings"
)

// maxWhole is the greatest whole number that every reader of JSON reads exactly.
const maxWhole = 1<<53 - 1

// Whole reads a whole number as JSON and YAML write one: 20, 20.0, 2e1, 0x14. It is false for
// other text, and for a number beyond 9,007,199,254,740,991.
func Whole(text string) (int64, bool) {
	base := 10
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0o") {
		base = 0 // YAML has these too
	}
	n, err := strconv.ParseInt(text, base, 64)
	if err != nil {
		var value float64
		if value, err = strconv.ParseFloat(text, 64); math.Trunc(value) != value || math.Abs(value) > maxWhole {
			return 0, false
		}
		n = int64(value)
	}
	return n, err == nil && n <= maxWhole && n >= -maxWhole
}
