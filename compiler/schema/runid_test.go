package schema

import (
	"slices"
	"testing"
	"time"
)

func TestRunIDIsDashedUTCWithANumberFromTheSecondOn(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 30, 0, 999, time.FixedZone("CEST", 7200))
	for n, want := range map[int]string{
		0: "compile-2026-05-01T10-30-00Z", 1: "compile-2026-05-01T10-30-00Z", 2: "compile-2026-05-01T10-30-00Z-2", 12: "compile-2026-05-01T10-30-00Z-12",
	} {
		if got := RunID(at, n); got != want {
			t.Errorf("RunID(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestBothTimestampSpellingsAreRead(t *testing.T) {
	at := time.Date(2026, 5, 7, 10, 0, 0, 0, time.UTC)
	for stem, want := range map[string]RunName{
		"compile-2026-05-07T10-00-00Z":          {"compile", at, 1},
		"compile-20260507T100000Z":              {"compile", at, 1},
		"compile-20260507T100000Z-3":            {"compile", at, 3},
		"context-2026-05-07T10-00-00Z-10":       {"context", at, 10},
		"eval-discovery-2026-05-07T10-00-00Z-2": {"eval-discovery", at, 2},
	} {
		got, err := ParseRunName(stem)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", stem, got, err)
		}
	}
	for _, stem := range []string{
		"", "compile", "compile-", "2026-05-07T10-00-00Z", "-2026-05-07T10-00-00Z", "compile2026-05-07T10-00-00Z", "compile-2026-13-07T10-00-00Z",
		"compile-2026-05-07T10-00-00", "compile-2026-05-07T10-00-00Z-1", "compile-2026-05-07T10-00-00Z-02", "compile-2026-05-07T10-00-00Z-", "compile-2026-05-07T10-00-00Z2",
		"compile-2026-05-07T10-00-00Z--2", "compile-2026-05-07T10-00-00Z-99999999999999999999", "health-2026-05-07", "compile-2026-05-07T10:00:00Z",
	} {
		if got, err := ParseRunName(stem); err == nil {
			t.Errorf("%s was read as %v", stem, got)
		}
	}
}

func TestRunsAreOrderedByTimeThenNumber(t *testing.T) {
	want := []string{"compile-2026-05-01T10-30-00Z", "compile-20260501T103000Z-2", "compile-2026-05-01T10-30-00Z-9", "compile-2026-05-01T10-30-00Z-10", "compile-20260501T103001Z"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		x, _ := ParseRunName(a)
		y, _ := ParseRunName(b)
		return CompareRunNames(x, y)
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func FuzzParseRunName(f *testing.F) {
	f.Add("compile-2026-05-01T10-30-00Z-2")
	f.Add("context-20260507T100000Z")
	f.Fuzz(func(t *testing.T, stem string) {
		r, err := ParseRunName(stem)
		if err != nil {
			return
		}
		again, err := ParseRunName(r.String())
		if err != nil || again != r {
			t.Errorf("%q gives %v, then %v (%v)", stem, r, again, err)
		}
	})
}
