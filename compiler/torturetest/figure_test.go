package torturetest

import "testing"

// A run of make torture that names rows runs no other row.
func TestRowsThatAreNotNamedAreSkipped(t *testing.T) {
	for _, tt := range []struct {
		rounds, rows string
		kill, fuzz   bool // whether they run
		records      bool // whether the fuzz targets write figures
	}{
		{"", "", true, true, false},
		{"all", "", true, true, true},
		{"50", "kill", true, false, false},
		{"50", "kill/split,disk", true, false, false},
		{"50", "kill/push", false, false, false},
		{"50", "disk,fuzz", false, true, true},
	} {
		t.Setenv(variable, tt.rounds)
		t.Setenv(rows, tt.rows)
		records := false
		runs := map[string]bool{}
		t.Run(tt.rows, func(t *testing.T) {
			t.Run("kill", func(t *testing.T) { Start(t, "kill", "split", 1, 50); runs["kill"] = true })
			t.Run("fuzz", func(t *testing.T) { records = Wanted(t, "fuzz"); runs["fuzz"] = true })
		})
		if runs["kill"] != tt.kill || runs["fuzz"] != tt.fuzz || records != tt.records {
			t.Errorf("PACKGEN_TORTURE=%q, rows %q: %v, figures of fuzzing %t", tt.rounds, tt.rows, runs, records)
		}
	}
}
