package bytesize

import (
	"math"
	"testing"
)

func TestSizesAreWrittenInTheLargestUnitTheyFill(t *testing.T) {
	for n, want := range map[int64]string{
		-5: "-5 bytes", 0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1 KiB", 1434: "1.4 KiB", 64 << 10: "64 KiB",
		1<<20 - 1: "1 MiB", 64 << 20: "64 MiB", 67_108_865: "64 MiB", 70_000_000: "66.8 MiB", 5 << 30: "5 GiB", 1 << 40: "1 TiB",
		math.MaxInt64: "8 EiB",
	} {
		if got := Text(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
