package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

// Text writes a number of bytes in the largest unit that it fills: "512 bytes",
// "64 MiB", and with one decimal what is not a whole number of units: "1.4 KiB". A
// negative number is written in bytes.
func Text(n int64) string {
	const step = 1024
	if n < step {
		if n == 1 {
			return "1 byte"
		}
		return fmt.Sprintf("%d bytes", n)
	}
	units := [...]string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	value, unit := float64(n)/step, 0
	for value >= step && unit < len(units)-1 {
		value, unit = value/step, unit+1
	}
	text := strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
	if text == "1024" && unit < len(units)-1 { // 1023.96 is rounded up
		text, unit = "1", unit+1
	}
	return text + " " + units[unit]
}
