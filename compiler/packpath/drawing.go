package packpath

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Refusal says why a drawing is not published, and where.
type Refusal struct {
	Why          string
	Line, Column int // 1-based; the column counts bytes
}

// IsDrawing reports an SVG, which [RefuseDrawing] looks at before it is published.
func IsDrawing(name string) bool { return strings.EqualFold(path.Ext(name), ".svg") }

// RefuseDrawing reads a drawing. One that is published can do nothing when it is
// opened by its own address: it has no script, no handler, no other document in
// it or after it.
func RefuseDrawing(r io.Reader) *Refusal {
	d := xml.NewDecoder(r)
	for {
		line, column := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			line, column = d.InputPos()
			return &Refusal{"it is not well-formed XML", line, column}
		}
		if why := refusesToken(token); why != "" {
			return &Refusal{why, line, column}
		}
	}
}

func refusesToken(token xml.Token) string {
	switch t := token.(type) {
	case xml.Directive:
		if !bytes.EqualFold(bytes.TrimSpace(t), []byte("DOCTYPE svg")) {
			return "a document type other than <!DOCTYPE svg>"
		}
	case xml.ProcInst:
		if t.Target != "xml" {
			return "the instruction <?" + clipped(t.Target) + "?>"
		}
	case xml.StartElement:
		return refusesElement(t)
	}
	return ""
}

func refusesElement(e xml.StartElement) string {
	switch strings.ToLower(e.Name.Local) {
	case "script", "foreignobject", "iframe", "object", "embed", "handler", "set", "animate", "style":
		return "the element <" + e.Name.Local + ">"
	}
	for _, a := range e.Attr {
		name, value := strings.ToLower(a.Name.Local), strings.TrimSpace(a.Value)
		if strings.HasPrefix(name, "on") {
			return "the handler " + clipped(a.Name.Local)
		}
		if (name == "href" || name == "src") && !strings.HasPrefix(value, "#") {
			return a.Name.Local + " leads out of the drawing"
		}
		if i := strings.Index(strings.ToLower(value), "url("); i >= 0 && !strings.HasPrefix(strings.TrimLeft(value[i+4:], ` "'`), "#") {
			return "url() in " + clipped(a.Name.Local) + " leads out of the drawing"
		}
	}
	return ""
}

// clipped shortens a name for a message.
func clipped(name string) string {
	const longest = 40
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return name
}
