package site

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// A hole stands in a rendered body for a picture, or the opening tag of a link,
// whose target is not known while the page is visited: other pages, their titles and their
// headings are still being read. It is filled when the page is put together.
//
// In the body it is: NUL, kind, then fields each ended by SOH, then NUL. NUL
// occurs nowhere else, because the writer replaces it in text.
type hole struct {
	kind     byte
	target   string // holePage: pack path; holeWiki: the name as written; holeSource: source path
	fragment string // decoded, without "#"
	line     int    // where the link stands, 1-based
	column   int    // 1-based, in bytes
	alt      string // holeImage: the text in place of the picture
	title    string // holeImage
}

// The kinds of holes.
const (
	holePage   = 'p' // a link to a Markdown file of the pack
	holeWiki   = 'w' // [[Page]]
	holeSource = 's' // a source anchor
	holeImage  = 'i' // a picture of the pack
)

const (
	holeMark  = 0
	fieldMark = 1
)

func (w *writer) hole(h hole) {
	w.b = append(w.b, holeMark, h.kind)
	for _, field := range []string{h.target, h.fragment, strconv.Itoa(h.line), strconv.Itoa(h.column), h.alt, h.title} {
		w.b = append(w.b, strings.Map(dropControl, field)...)
		w.b = append(w.b, fieldMark)
	}
	w.b = append(w.b, holeMark)
}

func dropControl(r rune) rune {
	if r < ' ' {
		return -1
	}
	return r
}

// fill appends body to w with every hole replaced by what open writes for it.
// That of a link is followed by its text and "</a>", so open writes an opening
// <a …> tag; for a picture open writes all of it.
func (w *writer) fill(body []byte, open func(w *writer, h hole)) error {
	for {
		before, rest, found := bytes.Cut(body, []byte{holeMark})
		w.b = append(w.b, before...)
		if !found {
			return nil
		}
		inside, after, found := bytes.Cut(rest, []byte{holeMark})
		if !found {
			return fmt.Errorf("fill links of a page: a hole has no end")
		}
		h, err := readHole(inside)
		if err != nil {
			return err
		}
		open(w, h)
		body = after
	}
}

func readHole(data []byte) (hole, error) {
	if len(data) == 0 {
		return hole{}, fmt.Errorf("fill links of a page: a hole is empty")
	}
	fields := strings.Split(string(data[1:]), "\x01")
	if len(fields) != 7 {
		return hole{}, fmt.Errorf("fill links of a page: a hole has %d fields", len(fields))
	}
	line, err := strconv.Atoi(fields[2])
	if err != nil {
		return hole{}, fmt.Errorf("fill links of a page: %w", err)
	}
	column, err := strconv.Atoi(fields[3])
	if err != nil {
		return hole{}, fmt.Errorf("fill links of a page: %w", err)
	}
	return hole{data[0], fields[0], fields[1], line, column, fields[4], fields[5]}, nil
}
