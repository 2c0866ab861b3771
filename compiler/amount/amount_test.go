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
	for n, want := range map[int]string{0: "0 files, 0 days, 0 entries", 1: "1 file, 1 day, 1 entry", 2000: "2,000 files, 2,000 days, 2,000 entries"} {
		if got := Counted(n, "file") + ", " + Counted(n, "day") + ", " + Entries(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestSizeNeverReachesAThousandOfItsUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 4249: "4.2 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 1_300_000: "1.3 MB", 5_000_000_000_000: "5000.0 GB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestAWholeNumberMayBeWrittenInSeveralWays(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "20": 20, "20.0": 20, "2e1": 20, "-7": -7, "007": 7, "0x10": 16, "0o17": 15, "9007199254740991": maxWhole} {
		if got, ok := Whole(text); !ok || got != want {
			t.Errorf("%s is %d, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "x", "1.5", "1e300", "9007199254740992", "-9007199254740992", "1e-1", "NaN", "Inf", "1 "} {
		if got, ok := Whole(text); ok {
			t.Errorf("%s is %d", text, got)
		}
	}
}
