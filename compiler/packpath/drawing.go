package packpath

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/invisible"
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

// The further ways the path of a published file can be refused. Every error of
// [CheckPublished] wraps one of these or one of those of [Check].
var (
	// errName marks a name that some system cannot hold, takes for another one, or
	// gives a meaning of its own.
	errName = errors.New("a name that is not safe everywhere")
	// ErrGit is an [errName]: a name of the folder of a git repository.
	ErrGit = fmt.Errorf("%w", errName)
	// ErrLayout marks a path outside the layout of a pack, which is a closed list.
	ErrLayout = errors.New("no part of a pack")
)

// folders are the folders of a pack (agent-knowledge section 2), and those of a
// role, which a pack with a boot.yml is.
var folders = []string{
	"answers", "assets", "briefs", "compiled", "documents", "evals", "indexes",
	"ontology", "runs", "schemas", "skills", "sources", "wiki",
}

// rootFiles are the files at the root of a pack, by their exact names.
var rootFiles = []string{"KNOWLEDGE.md", "boot.yml"}

// notices are the stems of further files at the root, which describe the pack as a
// whole: in lower or upper case or with a capital, alone or with one of noticeExts.
var (
	notices    = []string{"changelog", "copying", "licence", "license", "notice", "readme"}
	noticeExts = []string{"", ".md", ".txt"}
)

// obeyed are files that agents treat as instructions in whatever folder they find
// them. Letter case counts: a page may be about agents and be called agents.md.
// Where the file system does not distinguish the two, whoever writes a pack to disk
// looks with [Obeyed].
var obeyed = []string{
	"AGENT.md", "AGENTS.md", "AGENTS.override.md", "CLAUDE.local.md", "CLAUDE.md",
	"CRUSH.local.md", "CRUSH.md", "GEMINI.md", "QWEN.md", "WARP.md",
}

// configuring are files by which tools start programs in whatever folder they find
// them, in any letter case. A folder with a HEAD can be a git repository without a
// name that starts with a dot.
var configuring = []string{
	"crush.json", "head", "mise.local.toml", "mise.toml", "opencode.json", "opencode.jsonc",
}

// Obeyed returns the names of files that agents treat as instructions in whatever
// folder they find them.
func Obeyed() []string { return slices.Clone(obeyed) }

// IsObeyed reports the name of a file that agents treat as instructions, or tools for their
// configuration, in whatever folder they find it. Letter case does not count: some file
// systems do not distinguish it.
func IsObeyed(name string) bool {
	name = read(name)
	same := func(other string) bool { return strings.EqualFold(other, name) }
	return slices.ContainsFunc(obeyed, same) || slices.ContainsFunc(configuring, same)
}

// CheckFile returns nil when no tool obeys a file of this name wherever it finds it. It is
// the part of [CheckPublished] for files that are read where they lie.
func CheckFile(name string) error { return checkFile(name) }

// CheckPublished returns nil when a file of a published pack may have this path:
// a clean pack path, in a folder of the format or one of its root files, without a
// name that starts with a dot, that [CheckName] refuses, that holds characters which
// nobody sees, or that a tool obeys wherever it finds it. Every reader and every writer
// of published packs holds paths to this rule. The error wraps [ErrLayout], [errName],
// [ErrEscape] or [ErrUnclean].
func CheckPublished(path string) error {
	if err := Check(path); err != nil {
		return err
	}
	for part := range strings.SplitSeq(path, "/") {
		if err := CheckName(part); err != nil {
			return err
		}
		if runs := invisible.Find([]byte(part)); len(runs) > 0 {
			return fmt.Errorf("%w: a name in it holds U+%04X, which is invisible", errName, runs[0].First)
		}
		if strings.HasPrefix(Visible(part), ".") {
			return fmt.Errorf("%w: %q starts with a dot, as files do that tools obey", errName, part)
		}
	}
	top, rest, below := strings.Cut(path, "/")
	switch {
	case !below && !isRootFile(top):
		return fmt.Errorf("%w: %q is not one of the files at its root: %s", ErrLayout, top, rootList)
	case below && !slices.Contains(folders, top):
		return fmt.Errorf("%w: %q is not one of its folders: %s", ErrLayout, top, strings.Join(folders, ", "))
	case below:
		return checkFile(rest[strings.LastIndexByte(rest, '/')+1:])
	}
	return nil
}

const rootList = "KNOWLEDGE.md, boot.yml, and LICENSE, NOTICE, COPYING, README or CHANGELOG, alone or with .md or .txt"

// isRootFile reports a file that may be at the root of a pack.
func isRootFile(name string) bool {
	if slices.Contains(rootFiles, name) {
		return true
	}
	stem, ext := name, ""
	if i := strings.IndexByte(name, '.'); i >= 0 {
		stem, ext = name[:i], name[i:]
	}
	i := slices.Index(notices, strings.ToLower(stem))
	return i >= 0 && slices.Contains(noticeExts, ext) &&
		(stem[1:] == notices[i][1:] || stem == strings.ToUpper(notices[i]))
}

// read returns a name as people and some systems read it: without invisible characters,
// and without the blanks and dots at its end that Windows drops.
func read(name string) string {
	name = strings.Map(func(r rune) rune {
		if isIgnored(r) || unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, name)
	return strings.TrimRightFunc(strings.TrimLeftFunc(name, unicode.IsSpace), func(r rune) bool { return r == '.' || unicode.IsSpace(r) })
}

// checkFile checks the name of a file below a folder of the pack.
func checkFile(name string) error {
	name = read(name)
	switch {
	case slices.Contains(obeyed, name):
		return fmt.Errorf("%w: agents take a file named %s for instructions wherever they find it", errName, name)
	case slices.ContainsFunc(configuring, func(c string) bool { return strings.EqualFold(c, name) }):
		return fmt.Errorf("%w: tools take a file named %s for their configuration wherever they find it", errName, name)
	}
	return nil
}

// CheckName returns nil when one name of a path is the same name on every system:
// not one that Windows reserves for a device, cannot hold, or shortens; not git's
// own folder in any spelling. It allows other names that start with a dot, which a
// site may hold. The error wraps [errName]; empty names, "." and ".." are for
// [Check].
func CheckName(name string) error {
	shown := Visible(name)
	switch i := strings.IndexAny(name, `<>:"|?*\`); {
	case i >= 0:
		return fmt.Errorf("%w: %q holds %q, which Windows forbids", errName, name, name[i])
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " "):
		return fmt.Errorf("%w: %q ends in a dot or a blank, which Windows drops", errName, name)
	case isDevice(name):
		return fmt.Errorf("%w: %q is one that Windows reserves for a device", errName, name)
	case strings.EqualFold(shown, ".git") || isGitShort(shown):
		return fmt.Errorf("%w: %q is the folder that git keeps for itself", ErrGit, name)
	}
	return nil
}

// isGitShort reports the short names that Windows may give the folder .git.
func isGitShort(name string) bool {
	const stem = "git~"
	return len(name) > len(stem) && strings.EqualFold(name[:len(stem)], stem) &&
		strings.Trim(name[len(stem):], "0123456789") == ""
}

// longestDevice is the most bytes that the name of a device has: CONOUT$, or CONIN$ with
// a letter of two bytes of which the upper case is I.
const longestDevice = 7

// isDevice reports the names that are devices on Windows, whatever their letter
// case and extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.TrimRight(stem, " ")
	if len(stem) > longestDevice {
		return false
	}
	stem = strings.ToUpper(stem)
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	port, isPort := strings.CutPrefix(stem, "COM")
	if !isPort {
		port, isPort = strings.CutPrefix(stem, "LPT")
	}
	return isPort && utf8.RuneCountInString(port) == 1 && strings.Contains("0123456789¹²³", port)
}

// Visible returns a name without the characters that the file system of macOS leaves
// out when it compares names.
func Visible(name string) string {
	if strings.IndexFunc(name, isIgnored) < 0 {
		return name
	}
	return strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, name)
}

// isIgnored reports a character that is left out when names are compared.
func isIgnored(r rune) bool {
	switch {
	case r < 0x200C:
		return false
	case r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x206A && r <= 0x206F, r == 0xFEFF:
		return true
	}
	return false
}
