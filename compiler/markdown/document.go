package markdown

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/schema"
)

// Document is one parsed Markdown file.
//
// Text is the file decoded: UTF-8, no byte-order mark, LF line ends; front
// matter included, so that offsets and lines hold for the whole file. All
// offsets in this package are byte offsets into Text.
type Document struct {
	Path         string              // pack-relative, for messages
	Text         []byte              // the file decoded, front matter included
	Body         int                 // offset where the body starts, after the front matter
	Meta         *yaml.Node          // the front matter's mapping; nil when there is none
	Status       schema.Status       // front matter status, when it is a known pack status
	MDX          bool                // it is a page of MDX: by its ending, or by what it imports
	Root         ast.Node            // goldmark tree over Text
	Blocks       []Block             // direct children of the document, in order
	Headings     []Heading           // headings that are direct children of the document, in order
	Units        []Unit              // claim units in reading order
	Anchors      []Anchor            // every anchor, usable or not, headings included, in order
	Links        []Link              // links, images and autolinks in order
	Targets      []string            // ids that links may point at beside those of Headings: of HTML, of headings in quotes and lists
	Inner        map[ast.Node]string // ids of headings that are in something, and of tabs; nil when there are none
	HTMLHeadings []HTMLHeading       // headings written in HTML, in order
	Diagnostics  []diag.Diagnostic   // front matter faults (metadata-invalid of KNOWLEDGE.md, metadata-foreign of pages), anchor grammar (path-escape, anchor-unresolved), limits (markdown-limit)

	lines     []int // offset of the start of each line, built by Position
	linesOnce sync.Once
}

// Link is a link, image or autolink of Markdown, a wiki link, or a link or image in
// HTML.
type Link struct {
	Dest     string // destination as parsed: escapes and entities decoded
	Fragment string // of a wiki link; that of other links is in Dest
	Label    string // of a wiki link, after "|"; "" when it has none, and of what is embedded
	Text     string // plain text; "" in HTML
	Offset   int    // of its first character
	Image    bool   // a picture, or what is embedded
	Wiki     bool   // [[…]]: Dest is the name of a page or file
}

// Parse reads one Markdown file from its decoded text (frontmatter.Decode). The
// text must not change while the document is in use. Parse is safe for
// concurrent use; faults of the file are in the document's Diagnostics.
func Parse(path string, text []byte) *Document {
	d := &Document{Path: path, Text: text}
	block, faults := frontmatter.Read(text, frontmatter.Options{Path: path})
	if block.End == 0 && path != guideName {
		block, faults = tomlBlock(text, path)
	}
	readMeta(d, block, faults)

	d.MDX = strings.HasSuffix(path, ".mdx.md") || importsComponents(text[block.End:])
	root, notes := parseTree(text, block, d.MDX)
	d.Root = root
	cutBlocks(d)
	readHeadings(d)
	w := walker{d: d}
	w.document()
	giveInnerIDs(d)
	for _, n := range notes {
		w.report(n.offset, n.id, n.severity, n.message, n.hint).Recorded = n.recorded
	}
	d.Diagnostics = append(d.Diagnostics, w.sorted()...)
	return d
}

// placed is a diagnostic with the offset it is about.
type placed struct {
	offset int
	diag.Diagnostic
}

// sorted returns the collected diagnostics in the order of their places.
func (w *walker) sorted() []diag.Diagnostic {
	slices.SortStableFunc(w.reports, func(a, b placed) int { return cmp.Compare(a.offset, b.offset) })
	list := make([]diag.Diagnostic, 0, len(w.reports))
	for _, r := range w.reports {
		r.Line, r.Column = w.d.Position(r.offset)
		list = append(list, r.Diagnostic)
	}
	return list
}

func (w *walker) report(offset int, id string, severity diag.Severity, message, hint string) *diag.Diagnostic {
	w.reports = append(w.reports, placed{offset, diag.Diagnostic{
		ID: id, Severity: severity, Path: w.d.Path, Message: message, Hint: hint,
	}})
	return &w.reports[len(w.reports)-1].Diagnostic
}
