package highlight

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/site/spool"
)

func newHighlighter(t *testing.T, dir string) *Highlighter {
	t.Helper()
	s, err := spool.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return New(s, dir)
}

func TestCodeIsPaintedOnce(t *testing.T) {
	dir := t.TempDir()
	code := []byte("func main() { return \"<b>\" } // done\n")
	const want = `<b>func</b> main() { <b>return</b> <u>"&lt;b&gt;"</u> } <i>// done</i>`
	h := newHighlighter(t, dir)
	for range 3 {
		if got, ok := h.Paint("go", code); !ok || strings.TrimSpace(string(got)) != want {
			t.Fatalf("got %q, %v; want %q", got, ok, want)
		}
	}
	if n := h.made.Load(); n != 1 {
		t.Errorf("the block was highlighted %d times", n)
	}
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	again := newHighlighter(t, dir)
	if got, ok := again.Paint("golang", code); !ok || strings.TrimSpace(string(got)) != want {
		t.Errorf("from the cache: got %q, %v", got, ok)
	}
	if n := again.made.Load(); n != 0 {
		t.Errorf("a cached block was highlighted %d times", n)
	}
	if err := again.Save(); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedCacheIsIgnored(t *testing.T) {
	code := []byte("func main() {}\n")
	dir := t.TempDir()
	first := newHighlighter(t, dir)
	want, _ := first.Paint("go", code)
	want = bytes.Clone(want)
	if err := first.Save(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, cacheFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		damaged := bytes.Clone(whole)
		damaged[n] ^= 0x41
		for _, data := range [][]byte{damaged, whole[:n]} {
			if err := os.WriteFile(file, data, 0o666); err != nil {
				t.Fatal(err)
			}
			h := newHighlighter(t, dir)
			if got, ok := h.Paint("go", code); !ok || !bytes.Equal(got, want) {
				t.Fatalf("byte %d: got %q, %v; want %q", n, got, ok, want)
			}
			if h.cache.file != nil {
				h.cache.file.Close()
			}
		}
	}
}

func TestWhatIsNotPainted(t *testing.T) {
	h := newHighlighter(t, t.TempDir())
	for name, test := range map[string]struct{ language, code string }{
		"unknown language": {"nosuchthing", "x"},
		"no language":      {"", "x"},
		"plain text":       {"text", "x"},
		"a block too big":  {"go", strings.Repeat("x", maxPainted+1)},
	} {
		if _, ok := h.Paint(test.language, []byte(test.code)); ok {
			t.Errorf("%s is highlighted", name)
		}
	}
	var off *Highlighter
	if _, ok := off.Paint("go", []byte("x")); ok {
		t.Error("code is highlighted although highlighting is off")
	}
}
