//go:build !wasm

package loadout

import "strconv"

// parseNumber reads a decimal number as JSON writes it, correctly rounded.
func parseNumber(text string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
