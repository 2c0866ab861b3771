// Package markdown reads one Markdown file of a pack: headings, sections,
// claims, anchors and links, each with its byte offset (agent-knowledge
// sections 6.3, 6.6, 7 and 8.2). It knows nothing of packs or of other files.
package markdown

import (
	"github.com/yuin/goldmark/ast"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// Document is one parsed Markdown file.
//
// Text is the file decoded: UTF-8, no byte-order mark, LF line ends; front
// matter included, so that offsets and lines hold for the whole file. All
// offsets in this package are byte offsets into Text.
type Document struct {
	Path        string            // pack-relative, for messages
	Text        []byte            //
	Body        int               // offset where the body starts, after the front matter
	Meta        *yaml.Node        // the front matter's mapping; nil when there is none
	Status      string            // front matter status, when it is a known pack status
	Root        ast.Node          // goldmark tree over Text: CommonMark, GFM tables, task items, our anchors and markers
	Blocks      []Block           // direct children of the document, in order
	Headings    []Heading         // headings that are direct children of the document, in order
	Units       []Unit            // claim units in reading order
	Anchors     []Anchor          // every anchor, usable or not, headings included, in order
	Links       []Link            // links, images and autolinks in order
	Diagnostics []diag.Diagnostic // front matter faults (metadata-invalid), anchor grammar (path-escape, anchor-unresolved)
}

// Block is a direct child of the document.
type Block struct {
	Start, End int  // offsets: start of its first line, end after its last line's line end
	Content    bool // a content block of section 6.3 rule 4
	Heading    int  // index into Headings, or -1
	Node       ast.Node
}

// Heading is a top-level heading with its section id (section 6.3).
type Heading struct {
	Level    int    // 1 to 6
	ID       string // unique in the document, given to all headings in order
	Text     string // heading text: plain text without closing {#id}; may be ""
	Start    int    // offset of the start of its line
	End      int    // offset after its last line's line end
	Boundary bool   // stands in the boundary class, itself or by a heading above (section 13.6)
}

// UnitKind says what block a claim unit is.
type UnitKind uint8

// The kinds of claim units (section 8.2.2, 7.2).
const (
	ListItem UnitKind = iota
	Paragraph
	TableRow
	Record // a YAML-like claim record (section 7.2)
)

// Unit is a block of running text that may be a claim.
type Unit struct {
	Kind      UnitKind
	Text      string   // plain text: the claim text; "" is no claim
	Line      string   // the item's first paragraph as written on one line, for compiled/facts.md; list items and records only
	Start     int      // offset of the block's first byte
	End       int      // offset after the last non-blank character of the block's own text: where a marker is appended
	Anchors   []Anchor // in order, unusable ones included
	Marker    string   // first known claim status marker, "" when none; "confirmed" changes nothing
	Boundary  bool     // stands under a boundary heading (section 13.6)
	Important bool     // an important claim by section 6.6, apart from anchor, marker, grounding and file: list item, not under a boundary heading, not quoted, not a task, not links only, not only introducing nested items, not nested under an anchored item
}

// Anchor is one part of an inline [source: …] (section 7.1).
type Anchor struct {
	Path     string // pack path; "" when unusable
	Fragment string // without "#"; "" when none
	Written  string // the part as written
	Offset   int    // of the bracket
	Usable   bool
}

// Link is a Markdown link, image or autolink.
type Link struct {
	Dest   string // destination as parsed
	Text   string // plain text
	Offset int
	Image  bool
}
