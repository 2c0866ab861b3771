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

func TestOnlyHarmlessFilesAreShown(t *testing.T) {
	for name, want := range map[string]bool{
		"a.png": true, "a.MP4": true, "b/song.mp3": true, "a.pdf": true, "a.zip": true, "board.canvas": true, "a.tar.gz": true, "a.ipynb": true,
		"a.html": false, "a.htm": false, "a.xhtml": false, "a.js": false, "a.mjs": false, "a.css": false, "a.xml": false, "a.wasm": false,
		"a.swf": false, "a.svgz": false, "a": false, ".png/x": false, "a.exe": false, "a.php": false, "a.mht": false,
		"a.html.gz": false, "a.HTML.canvas": false, "a.b.xml.xz": false, "a.js.bib": false, "html.gz": true, "a.html.md": true, "a.svg.png": true,
	} {
		if got := CanShow(name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}
