package packpath

import (
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Refusal says why a drawing is not published, and where.
type Refusal struct {
	Why          string
	Line, Column int // 1-based; the column counts bytes
}

// IsDrawing reports an SVG, which [RefuseDrawing] looks at before it is published.
func IsDrawing(name string) bool { return strings.EqualFold(path.Ext(name), ".svg") }

// svgSpace is the namespace of SVG: a browser draws nothing that is not in it.
const svgSpace = "http://www.w3.org/2000/svg"

// RefuseDrawing reads a drawing. One that is published can do nothing when it is
// opened by its own address: it consists of what draws, and of data that no browser
// acts upon.
func RefuseDrawing(r io.Reader) *Refusal {
	d := xml.NewDecoder(r)
	var s drawing
	for {
		line, column := d.InputPos()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if !s.rooted {
				return &Refusal{"it has no element", line, column}
			}
			return nil
		}
		if err != nil {
			line, column = d.InputPos()
			return &Refusal{"it is not well-formed XML", line, column}
		}
		if why := s.refuses(token); why != "" {
			return &Refusal{why, line, column}
		}
	}
}

// drawing is what was read of one.
type drawing struct {
	depth  int  // of open elements
	rooted bool // the root was read
	styles bool // the open element is <style>
	style  strings.Builder
}

func (s *drawing) refuses(token xml.Token) string {
	switch t := token.(type) {
	case xml.Directive:
		if !documentType().Match(t) {
			return "a document type other than <!DOCTYPE svg>"
		}
	case xml.ProcInst:
		if t.Target != "xml" {
			return "the instruction <?" + clipped(t.Target) + "?>"
		}
	case xml.CharData:
		if s.styles {
			s.style.Write(t)
		}
	case xml.StartElement:
		return s.opens(t)
	case xml.EndElement:
		s.depth--
		if s.styles {
			s.styles = false
			if why := refusesStyle(s.style.String()); why != "" {
				return why + " in <style>"
			}
		}
	}
	return ""
}

// documentType is the one that editors write: without declarations of its own.
var documentType = lazily(`(?i)^DOCTYPE\s+svg\s*(?:PUBLIC\s+"-//W3C//DTD SVG [^"]*"\s*"https?://www\.w3\.org/[^"]*"\s*)?$`)

// opens judges the start of an element.
func (s *drawing) opens(e xml.StartElement) string {
	if s.depth == 0 && (s.rooted || e.Name != xml.Name{Space: svgSpace, Local: "svg"}) {
		return `it is not one <svg xmlns="` + svgSpace + `">`
	}
	if s.styles {
		return "an element in <style>"
	}
	s.depth++
	s.rooted = true
	if !draws(e) && !slices.ContainsFunc(inertSpaces, func(space string) bool { return strings.HasPrefix(e.Name.Space, space) }) {
		if e.Name.Space != svgSpace {
			return "the element <" + clipped(e.Name.Local) + "> of another language"
		}
		return "the element <" + clipped(e.Name.Local) + ">"
	}
	if s.styles = e.Name.Space == svgSpace && e.Name.Local == "style"; s.styles {
		s.style.Reset()
	}
	for _, a := range e.Attr {
		if why := refusesAttribute(e.Name.Local, a); why != "" {
			return why
		}
	}
	return ""
}

// drawn are the elements of SVG that draw, arrange or describe. What runs, embeds or
// changes an address is not among them.
var drawn = strings.Fields(`
	svg g defs symbol use switch view a style title desc metadata
	path rect circle ellipse line polyline polygon image marker pattern mask clipPath
	text tspan textPath flowRoot flowRegion flowPara flowSpan
	font font-face font-face-src font-face-name glyph missing-glyph hkern vkern
	linearGradient radialGradient stop meshgradient meshrow meshpatch solidColor hatch hatchpath
	filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting
	feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
	feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight
	feSpecularLighting feSpotLight feTile feTurbulence animateMotion mpath`)

// draws reports an element of SVG that is published. An animation moves things, and sets
// no other attribute.
func draws(e xml.StartElement) bool {
	if e.Name.Space != svgSpace {
		return false
	}
	if e.Name.Local != "animateTransform" {
		return slices.Contains(drawn, e.Name.Local)
	}
	for _, a := range e.Attr {
		if a.Name.Local == "attributeName" && !strings.HasSuffix(strings.ToLower(a.Value), "transform") {
			return false
		}
	}
	return true
}

// inertSpaces begin the namespaces of what editors keep in a drawing for themselves, and
// of descriptions. No browser knows their elements.
var inertSpaces = []string{
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#",
	"http://purl.org/dc/", "http://creativecommons.org/ns#", "http://web.resource.org/cc/",
	"http://www.inkscape.org/namespaces/", "http://sodipodi.sourceforge.net/", "http://inkscape.sourceforge.net/",
	"http://ns.adobe.com/", "adobe:ns:meta/", "http://www.bohemiancoding.com/sketch/", "http://www.figma.com/",
	"http://www.serif.com/", "http://schemas.microsoft.com/visio/", "https://boxy-svg.com", "http://krita.org/namespaces/",
	"http://vectornator.io", "http://xml.openoffice.org/svg/", "http://sun.com/xmlns/staroffice/", "http://www.openswatchbook.org/",
	"https://www.freecad.org/", "http://www.freecadweb.org/", "http://www.vectornator.io", "http://www.corel.com/",
}

// reaching are attributes that name addresses, beside href and src, or move what addresses
// are relative to.
var reaching = []string{"base", "ping", "srcset", "srcdoc", "poster", "action", "formaction", "data"}

// refusesAttribute judges an attribute, of whichever namespace it is.
func refusesAttribute(element string, a xml.Attr) string {
	name, value := strings.ToLower(a.Name.Local), strings.TrimSpace(a.Value)
	switch {
	case a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns":
		return ""
	case strings.HasPrefix(name, "on"):
		return "the handler " + clipped(a.Name.Local)
	case !inertAttribute(a.Name.Space) && slices.Contains(reaching, name):
		return "the attribute " + clipped(a.Name.Local)
	case name == "href" || name == "src":
		if !strings.HasPrefix(value, "#") && !((element == "image" || element == "feImage") && dataPicture().MatchString(value)) {
			return a.Name.Local + " leads out of the drawing"
		}
		return ""
	case inertAttribute(a.Name.Space) || name == "content" || strings.HasPrefix(name, "data-") || strings.HasPrefix(name, "aria-"):
		return "" // for editors and programs: no browser reads it as style
	}
	if why := refusesStyle(value); why != "" {
		return why + " in " + clipped(a.Name.Local)
	}
	return ""
}

// inertAttribute reports a namespace whose attributes no browser knows, href aside.
func inertAttribute(space string) bool {
	return space != "" && space != svgSpace && space != "http://www.w3.org/XML/1998/namespace"
}

// Pictures and fonts that a drawing holds in itself; not a drawing in a drawing.
var (
	dataPicture = lazily(`(?i)^data:image/(?:png|jpe?g|gif|webp|avif)[;,]`)
	dataFont    = lazily(`^data:(?:font/|application/(?:x-)?font)`)
)

// loads are what loads something in a style, beside url().
var loads = []string{"@import", "image-set(", "image(", "src("}

// refusesStyle judges a style as it is written and as its escapes read. Comments are judged
// too: they do not end a word, so that none can hide one.
func refusesStyle(text string) string {
	for _, text := range []string{strings.ToLower(text), strings.ToLower(unescaped(text))} {
		for _, word := range loads {
			if strings.Contains(text, word) {
				return word + strings.Repeat(")", strings.Count(word, "("))
			}
		}
		for _, rest, found := strings.Cut(text, "url("); found; _, rest, found = strings.Cut(rest, "url(") {
			to := strings.TrimLeft(rest, " \t\r\n\f\"'")
			if !strings.HasPrefix(to, "#") && !dataPicture().MatchString(to) && !dataFont().MatchString(to) {
				return "url() that leads out of the drawing,"
			}
		}
	}
	return ""
}

// escape is a character that a style writes as its number, or that a backslash precedes.
var escape = lazily(`\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[ \t\r\n\f])?|\r\n|[^0-9A-Fa-f])`)

// unescaped replaces the escapes of a style by the characters that they write.
func unescaped(text string) string {
	return escape().ReplaceAllStringFunc(text, func(e string) string {
		if n, err := strconv.ParseUint(strings.TrimSpace(e[1:]), 16, 32); err == nil {
			return string(rune(n))
		}
		return strings.Trim(e[1:], "\r\n\f")
	})
}

// clipped shortens a name for a message.
func clipped(name string) string {
	const longest = 40
	if runes := []rune(name); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return name
}

// lazily returns a regular expression that is compiled when it is first used: most commands
// look at no drawing, and all of them start.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
