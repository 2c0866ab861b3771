package main

import (
	"strings"
	"testing"
)

func TestGroupedHasACommaEveryThreeDigits(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestTableAlignsByCharacters(t *testing.T) {
	tb := &table{right: map[int]bool{1: true}}
	tb.add("NAME", "N", "X")
	tb.add("日本", "12,000", "y")
	var out strings.Builder
	tb.write(&out)
	if want := "NAME       N  X\n日本    12,000  y\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
