package render

import "testing"

func TestChainNamesALayerOnceHoweverOftenItHasAnID(t *testing.T) {
	many := make([]string, 130_000)
	for i := range many {
		many[i] = "session"
	}
	for _, tt := range []struct {
		names []string
		want  string
	}{
		{[]string{"global", "project"}, "global → project"},
		{[]string{"global", "global", "org"}, "global → global → org"},
		{append([]string{"project"}, many...), "project → session (130,000 times)"},
	} {
		if got := chain(tt.names); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
