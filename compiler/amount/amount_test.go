package amount

import "testing"

func TestGroupedHasACommaEveryThreeDigits(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestCountedHasTheFormOfItsNumber(t *testing.T) {
	for n, want := range map[int]string{0: "0 files, 0 entries", 1: "1 file, 1 entry", 2000: "2,000 files, 2,000 entries"} {
		if got := Counted(n, "file") + ", " + Entries(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
