package main

import (
	"strings"
	"testing"
)

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
