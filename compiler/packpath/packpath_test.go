package packpath

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckDistinguishesEscapesFromUncleanPaths(t *testing.T) {
	for _, tt := range []struct {
		path string
		want error
	}{
		{"sources/s.md", nil},
		{"a", nil},
		{"a/..b/c..", nil},
		{"a/b c/日本.md", nil},
		{"ab:c", nil},
		{strings.Repeat("a", MaxBytes), nil},

		{"/etc/passwd", ErrEscape},
		{"/", ErrEscape},
		{"..", ErrEscape},
		{"../x.md", ErrEscape},
		{"a/../b", ErrEscape},
		{"a/..", ErrEscape},
		{"a//../b", ErrEscape},
		{`a\b`, ErrEscape},
		{"C:/x", ErrEscape},
		{"c:x", ErrEscape},
		{"a\x00b", ErrEscape},
		{"a\tb", ErrEscape},
		{"a\u0085b", ErrEscape},
		{"a\x7fb", ErrEscape},

		{"", ErrUnclean},
		{".", ErrUnclean},
		{"./a", ErrUnclean},
		{"a/./b", ErrUnclean},
		{"a//b", ErrUnclean},
		{"a/", ErrUnclean},
		{"https://e.org/a", ErrUnclean},
		{"a\xff", ErrUnclean},
		{strings.Repeat("a", MaxBytes+1), ErrUnclean},
	} {
		err := Check(tt.path)
		if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("Check(%q) = %v, want %v", tt.path, err, tt.want)
		}
	}
}
