package token

import (
	"testing"
	"unicode/utf16"
)

func TestEstimateCountsUTF16UnitsByFourRoundedUp(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{"🚀", 1},
		{"🚀🚀🚀", 2},
		{"éàü", 1},
		{"日本語です", 2},
	} {
		if got := Estimate(tt.text); got != tt.want {
			t.Errorf("Estimate(%q) = %d, want %d", tt.text, got, tt.want)
		}
		if got := Estimate([]byte(tt.text)); got != tt.want {
			t.Errorf("Estimate([]byte(%q)) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestUnitsOfLoneSurrogateIsOne(t *testing.T) {
	if got := Units("\xed\xa0\xbd"); got != 1 {
		t.Errorf("Units(lone surrogate) = %d, want 1", got)
	}
}

func FuzzUnitsEqualsUTF16Encode(f *testing.F) {
	f.Add("plain")
	f.Add("é🚀\xff\xc0\xf4\x90\x80\x80")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range s {
			if r == 0xFFFD {
				t.Skip("invalid UTF-8 is covered by the byte rule")
			}
		}
		if got, want := Units(s), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("Units(%q) = %d, want %d", s, got, want)
		}
	})
}
