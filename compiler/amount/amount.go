package amount

import (
	"fmt"
	"strconv"
	"strings"
)

// Grouped writes a number with a comma every three digits.
func Grouped[T int | int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Size writes a number of bytes in units of 1,000: "812 B", "4.2 kB", "1.3 MB".
func Size(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	value, units := float64(bytes), [...]string{"B", "kB", "MB", "GB"}
	unit := 0
	for value >= 999.95 && unit < len(units)-1 { // it would be rounded to 1000.0
		value /= 1000
		unit++
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// Counted writes a number and its noun: "1 split", "4 splits", "2 entries", "3 days".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, found := strings.CutSuffix(noun, "y"); found && !strings.HasSuffix(stem, "a") {
		noun = stem + "ie"
	}
	return Grouped(n) + " " + noun + "s"
}

// Entries is [Counted] for entries.
func Entries(n int) string { return Counted(n, "entry") }

// Milliseconds writes a duration.
func Milliseconds(ms float64) string {
	if ms >= 1000 {
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return fmt.Sprintf("%.0f ms", ms)
}
