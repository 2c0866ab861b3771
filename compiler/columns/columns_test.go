package columns

import (
	"strings"
	"testing"
)

func TestTableAlignsByCharacters(t *testing.T) {
	tb := &Table{Right: map[int]bool{1: true}}
	tb.Add("NAME", "N", "X")
	tb.Add("日本", "12,000", "y")
	var out strings.Builder
	tb.Write(&out)
	if want := "NAME       N  X\n日本    12,000  y\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
