package packpath

import "testing"

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
