package gctuning

import "testing"

// A build may use what its files need, and with a million of them still less than 1.5 GB.
func TestTheLimitOfABuildGrowsWithWhatItHolds(t *testing.T) {
	for _, tt := range []struct {
		files, largest int64
		megabytes      int64
	}{
		{files: 10, largest: 10, megabytes: 128},
		{files: 10_000, largest: 100, megabytes: 284},
		{files: 100_000, largest: 1000, megabytes: 512},
		{files: 600_000, largest: 1000, megabytes: 713},
		{files: 1_000_000, largest: 1000, megabytes: 1100},
		{files: 100_000_000, largest: 1000, megabytes: 1100},
		{files: 150_000, largest: 100_000, megabytes: 1200},
	} {
		if got := limit(tt.files, tt.largest) >> 20; got != tt.megabytes {
			t.Errorf("%d files, %d in the largest pack: %d MB, not %d", tt.files, tt.largest, got, tt.megabytes)
		}
	}
}
