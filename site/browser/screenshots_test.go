package browser_test

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/compiler/oktest"
)

var shots = flag.String("shots", "", "write screenshots of the main pages into this `DIR`")

// mainPages are those that README.md and the manual show, by the names of their pictures.
var mainPages = map[string]string{
	"catalog": "index.html",
	"pack":    "packs/packgen-manual/index.html",
	"page":    "packs/packgen-manual/documents/how-to/cite-sources.html",
	"match":   "match.html",
}

// maxShot is how many bytes a picture of a page may have.
const maxShot = 100_000

// TestScreenshots writes the pictures of the main pages when it is asked for them (make
// shots); otherwise it checks those of the manual.
func TestScreenshots(t *testing.T) {
	if *shots == "" {
		for name := range mainPages {
			data, err := os.ReadFile(filepath.Join("../../packs/packgen-manual/assets", name+".png"))
			if err != nil {
				t.Error(err)
			} else if _, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || len(data) > maxShot {
				t.Errorf("%s.png has %d bytes, of %d: %v", name, len(data), maxShot, err)
			}
		}
		return
	}
	b := startBrowser(t)
	own := buildOwnSite(t)
	s := serve(t, own, subPath)
	p := newTab(t, b)
	p.prefer("light")
	p.do(chromedp.EmulateViewport(1280, 760))
	for _, name := range slices.Sorted(maps.Keys(mainPages)) {
		p.open(s.url(mainPages[name]))
		if name == "match" {
			p.ask("coverage", "cite the source of a claim")
		}
		p.eval(`document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0)))))`, nil)
		r := oktest.Value(chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "png"}))(t)
		picture := oktest.Value(png.Decode(bytes.NewReader(r.Data)))(t)
		var small bytes.Buffer
		oktest.Check(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, paletted(picture)))
		oktest.Check(t, os.WriteFile(filepath.Join(*shots, name+".png"), small.Bytes(), 0o644))
		t.Logf("%s.png: %d bytes", name, small.Len())
	}
}

// paletted reduces a picture to the 256 colours that it has most of, each rounded.
func paletted(picture image.Image) *image.Paletted {
	const step = 4 // of a channel, of 256
	round := func(c color.Color) color.RGBA {
		r, g, b, _ := c.RGBA()
		of := func(v uint32) uint8 { return uint8(min(255, (v>>8)/step*step+step/2)) }
		return color.RGBA{of(r), of(g), of(b), 255}
	}
	bounds := picture.Bounds()
	counts := map[color.RGBA]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[round(picture.At(x, y))]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range most[:min(len(most), 256)] {
		palette = append(palette, c)
	}
	out, places := image.NewPaletted(bounds, palette), map[color.RGBA]uint8{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := round(picture.At(x, y))
			place, known := places[c]
			if !known {
				place = uint8(palette.Index(c))
				places[c] = place
			}
			out.SetColorIndex(x, y, place)
		}
	}
	return out
}
