package site

import (
	"bytes"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

const plainSVG = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20px"><rect width="1" height="1"/></svg>`

// A drawing that is left out is a finding, and so is each place that shows it or
// leads to it: no page has a picture or a link without its file.
func TestRefusedDrawingsLeaveNothingDangling(t *testing.T) {
	text := "# Main\n\n![Good](../assets/good.svg) ![Evil](../assets/evil.svg \"T\")\n\n[The drawing](../assets/evil.svg), [once more](../assets/good.svg).\n\n" +
		"![Kept](../sources/kept.png) ![Data](../assets/data.csv) ![Gone](../assets/gone.png)\n"
	guide := entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n")
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":        guide + "\n![Guide](assets/evil.svg)\n",
		"documents/main.md":   text,
		"assets/good.svg":     plainSVG,
		"assets/evil.svg":     "<svg xmlns=\"http://www.w3.org/2000/svg\">\n  <g><a onclick=\"x\"/></g></svg>",
		"assets/unused.svg":   "<svg>",
		"assets/data.csv":     "a\n",
		"sources/kept.png":    "x",
		"compiled/by-hand.md": "# By hand\n\n![Evil](../assets/evil.svg)\n",
	}})
	m.crawl()
	page := "packs/kettle/documents/main.html"
	m.has(page, `<img src="../assets/good.svg" alt="Good" width="30" height="20" loading="lazy">`)
	m.has(page, `<span class="lost" title="Not published on this site">Evil</span>`)
	m.has(page, `<a class=off title="Not published on this site">The drawing</a>`)
	m.has(page, `<span class="lost" title="Not published on this site">Kept</span>`)
	m.has(page, `<span class="lost" title="No such image in this pack">Gone</span>`)
	m.has("packs/kettle/index.html", `<span class="lost" title="Not published on this site">Guide</span>`)
	if _, ok := m.files["packs/kettle/assets/evil.svg"]; ok {
		t.Error("the drawing is published")
	}
	var got []string
	for _, d := range m.out.Diagnostics {
		got = append(got, d.ID+" "+d.Place())
	}
	want := []string{
		fmt.Sprintf("ref-broken KNOWLEDGE.md:%d:1", strings.Count(guide, "\n")+2),
		"svg-refused assets/evil.svg:2:6",
		"svg-refused assets/unused.svg:1:1",
		"ref-broken documents/main.md:3:29",
		"ref-broken documents/main.md:5:1",
		"ref-broken documents/main.md:7:1",
		"ref-broken documents/main.md:7:30",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("findings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, d := range m.out.Diagnostics {
		if strings.Contains(d.Message, "onclick") != (d.Path == "assets/evil.svg") {
			t.Errorf("%s says %q", d.Place(), d.Message)
		}
	}
}

// A page keeps room for a picture, so that nothing moves when it comes.
func TestPicturesHaveTheirSize(t *testing.T) {
	encoded := func(encode func(b *bytes.Buffer, m image.Image) error) string {
		var b bytes.Buffer
		oktest.Check(t, encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))))
		return b.String()
	}
	jpg := encoded(func(b *bytes.Buffer, m image.Image) error { return jpeg.Encode(b, m, nil) })
	webp := func(kind, body string) string {
		return "RIFF\x00\x00\x00\x00WEBP" + kind + "\x00\x00\x00\x00" + body + strings.Repeat("\x00", 30)
	}
	tests := map[string]struct {
		data string
		want bool
	}{
		"a.png":  {encoded(func(b *bytes.Buffer, m image.Image) error { return png.Encode(b, m) }), true},
		"a.gif":  {encoded(func(b *bytes.Buffer, m image.Image) error { return gif.Encode(b, m, nil) }), true},
		"a.jpg":  {jpg, true},
		"b.jpeg": {jpg[:2] + "\xff\xe1\x00\x08Exif\x00\x00" + jpg[2:], false},
		"a.webp": {webp("VP8 ", "\x00\x00\x00\x9d\x01\x2a\x1e\x00\x14\x00"), true},
		"b.webp": {webp("VP8L", "\x2f\x1d\xc0\x04\x00"), true},
		"c.webp": {webp("VP8X", "\x00\x00\x00\x00\x1d\x00\x00\x13\x00\x00"), true},
		"a.svg":  {plainSVG, true},
		"b.svg":  {`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 20"/>`, false},
		"c.svg":  {`<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="20"/>`, false},
		"d.svg":  {`<svg xmlns="http://www.w3.org/2000/svg" width="-30" height="20"/>`, false},
		"b.png":  {"no picture", false},
		"d.webp": {"RIFF", false},
		"a.avif": {"no picture", false},
	}
	pack := files{"KNOWLEDGE.md": entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"), "documents/main.md": "# Main\n\n"}
	for name, test := range tests {
		pack["assets/"+name] = test.data
		pack["documents/main.md"] += "![](../assets/" + name + ")\n"
	}
	m := generate(t, Options{}, map[string]files{"kettle": pack})
	for name, test := range tests {
		size := ""
		if test.want {
			size = ` width="30" height="20"`
		}
		m.has("packs/kettle/documents/main.html", `<img src="../assets/`+name+`" alt=""`+size+` loading="lazy">`)
	}
}
