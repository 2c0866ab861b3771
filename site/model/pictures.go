package model

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/site/article"
)

// maxPictureHead is how far into a picture its size is looked for, in bytes.
const maxPictureHead = 1 << 20 // 1 MiB

// PictureSize returns the width and height of a picture in pixels, so that a page
// keeps room for it; 0 when its file does not say. Each file is read once.
func PictureSize(ps *Pack, name string) (width, height int) {
	once, _ := ps.memo.pictures.LoadOrStore(name, sync.OnceValue(func() image.Config {
		f, _, err := ps.Pack.OpenFile(name)
		if err != nil {
			return image.Config{}
		}
		defer f.Close()
		c := sizeOf(bufio.NewReader(io.LimitReader(f, maxPictureHead)), name)
		if c.Width <= 0 || c.Height <= 0 || c.Width > article.MaxPictureSide || c.Height > article.MaxPictureSide {
			return image.Config{}
		}
		return c
	}))
	c := once.(func() image.Config)()
	return c.Width, c.Height
}

// sizeOf reads the size off the head of a picture; it is zero where that fails.
func sizeOf(r *bufio.Reader, name string) image.Config {
	var c image.Config
	var err error
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		c, err = png.DecodeConfig(r)
	case ".gif":
		c, err = gif.DecodeConfig(r)
	case ".jpg", ".jpeg":
		// A camera may note there that the picture is to be turned.
		if head, _ := r.Peek(64); bytes.Contains(head, []byte("Exif\x00")) {
			return image.Config{}
		}
		c, err = jpeg.DecodeConfig(r)
	case ".webp":
		c = webpSize(r)
	case ".svg":
		c = svgSize(r)
	}
	if err != nil {
		return image.Config{}
	}
	return c
}

// webpSize reads the head of a WebP file: a RIFF container whose first chunk is
// lossy (VP8), lossless (VP8L) or extended (VP8X).
func webpSize(r *bufio.Reader) image.Config {
	head, _ := r.Peek(30)
	if len(head) < 30 || string(head[:4]) != "RIFF" || string(head[8:12]) != "WEBP" {
		return image.Config{}
	}
	const side14 = 1<<14 - 1 // 14 bits of a side
	switch body := head[20:]; string(head[12:16]) {
	case "VP8 ":
		return image.Config{Width: int(binary.LittleEndian.Uint16(body[6:])) & side14, Height: int(binary.LittleEndian.Uint16(body[8:])) & side14}
	case "VP8L":
		bits := binary.LittleEndian.Uint32(body[1:])
		return image.Config{Width: int(bits&side14) + 1, Height: int(bits>>14&side14) + 1}
	case "VP8X":
		side := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 + 1 }
		return image.Config{Width: side(body[4:]), Height: side(body[7:])}
	}
	return image.Config{}
}

// svgSize reads width and height of a drawing, where both are plain numbers.
func svgSize(r io.Reader) (c image.Config) {
	d := xml.NewDecoder(r)
	for {
		token, err := d.Token()
		if err != nil {
			return image.Config{}
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range root.Attr {
			n, err := strconv.Atoi(strings.TrimSuffix(a.Value, "px"))
			switch {
			case err != nil:
			case a.Name.Local == "width":
				c.Width = n
			case a.Name.Local == "height":
				c.Height = n
			}
		}
		return c
	}
}

// IsImage reports a file that a page may show as a picture.
func IsImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg":
		return true
	}
	return false
}

// Refusal returns what is wrong with a drawing, nil when nothing is. Each file is
// read once; one that cannot be read is found out when it is published.
func Refusal(ps *Pack, name string) *packpath.Refusal {
	once, _ := ps.memo.drawings.LoadOrStore(name, sync.OnceValue(func() *packpath.Refusal {
		f, _, err := ps.Pack.OpenFile(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		return packpath.RefuseDrawing(bufio.NewReader(f))
	}))
	return once.(func() *packpath.Refusal)()
}
