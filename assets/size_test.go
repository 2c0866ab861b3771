package assets

import (
	"bytes"
	"compress/gzip"
	"slices"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// What a page that is read loads is small; the rest is loaded when it is used.
func TestReadingPageLoadsAtMost15KB(t *testing.T) {
	b := oktest.Value(Build(Options{}))(t)
	sum := 0
	for _, f := range b.Files {
		if !slices.Contains(b.Style, f.Path) && !slices.Contains(b.Script, f.Path) {
			continue
		}
		var packed bytes.Buffer
		w := oktest.Value(gzip.NewWriterLevel(&packed, gzip.BestCompression))(t)
		if _, err := w.Write(f.Data); err != nil {
			t.Fatal(err)
		}
		oktest.Check(t, w.Close())
		t.Logf("%s: %d bytes, %d packed", f.Path, len(f.Data), packed.Len())
		sum += packed.Len()
	}
	if sum == 0 || sum > 15<<10 {
		t.Errorf("a page that is read loads %d bytes of script and style, packed: at most %d", sum, 15<<10)
	}
}

// A file that a stylesheet names is asked for after the stylesheet has come: on a slow
// line the first paint waits for it twice as long.
func TestStylesheetsNameNoFile(t *testing.T) {
	b := oktest.Value(Build(Options{}))(t)
	for _, f := range b.Files {
		if slices.Contains(slices.Concat(b.Style, b.Role, b.MatchStyle), f.Path) && bytes.Contains(f.Data, []byte("url(")) {
			t.Errorf("%s names a file", f.Path)
		}
	}
}
