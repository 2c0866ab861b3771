package json

import (
	"math"

	"github.com/packgen/packgen/resolver/loadout"
)

// Rounded writes a number for people, with at most three digits after the point.
// JSON has every digit.
func Rounded(f float64) string {
	if r := math.Round(f*1000) / 1000; !math.IsInf(r, 0) {
		f = r
	}
	return string(loadout.AppendNumber(nil, f))
}
