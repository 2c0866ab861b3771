package nearest

import "testing"

func TestDistanceCountsInsertionsDeletionsAndReplacements(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"ready", "ready", 0},
		{"redy", "ready", 1},
		{"readdy", "ready", 1},
		{"raedy", "ready", 2},
		{"", "draft", 5},
		{"stale", "draft", 4},
	} {
		if got := Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := Distance(tt.b, tt.a); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
