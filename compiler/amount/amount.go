// Package amount writes numbers for people: 1,234, 1.2 MB, 3 files.
package amount

import (
	"fmt"
	"strconv"
)

// Grouped writes a number with a comma every three digits.
func Grouped[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Size writes a number of bytes in decimal units.
func Size(bytes int64) string {
	switch {
	case bytes < 1000:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	case bytes < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// Counted writes a number with its noun in the right form.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Grouped(n) + " " + noun + "s"
}

// Entries is [Counted] for entries.
func Entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return Grouped(n) + " entries"
}

// Milliseconds writes a duration.
func Milliseconds(ms float64) string {
	if ms >= 1000 {
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
