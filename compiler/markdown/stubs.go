package markdown

import "github.com/yuin/goldmark/ast"

// Parse reads one Markdown file. Filled in next.
func Parse(path string, text []byte) *Document { return &Document{Path: path, Text: text} }

// Position returns the 1-based line and column (in bytes) of an offset.
func (d *Document) Position(offset int) (line, column int) { return 1, 1 }

// IDs returns an allocator that knows every heading id of the document.
func (d *Document) IDs() *IDs { return NewIDs() }

// PlainText returns the plain text of a block or inline node (section 6.3).
func (d *Document) PlainText(n ast.Node) string { return "" }

// Lead returns the first line of the first top-level paragraph as written,
// without anchors and markers; "" when there is no paragraph (section 6.4).
func (d *Document) Lead() string { return "" }

// BoundaryItems returns the list items under a boundary heading in one-line
// form, without "- " (section 6.4, view boundaries).
func (d *Document) BoundaryItems() []string { return nil }

// ContextMap returns the entries of the context map (section 3.7).
func (d *Document) ContextMap() []MapEntry { return nil }

// MapEntry is one entry of a context map.
type MapEntry struct {
	Label  string   // item text without its backtick spans
	Paths  []string // clean pack paths as written: may end in "/" or carry "#section"
	Offset int      // of the item's text
}

// IDs gives section ids, each once (section 6.3).
type IDs struct{}

// NewIDs returns an allocator with no id in use.
func NewIDs() *IDs { return &IDs{} }

// Take returns id, or the first free of id-1, id-2, … when it is in use.
func (s *IDs) Take(id string) string { return id }

// Slug applies the id rule of section 6.3 to a heading text or explicit id.
func Slug(text string) string { return text }

// Stem returns the file stem for a section id: the id, shortened when it is
// longer than 80 bytes (section 6.3).
func Stem(id string) string { return id }

// ParseAnchor reads one anchor string, "<path>#<fragment>" (section 7.1). The
// error says why it is not usable; it wraps packpath.ErrEscape for a path-escape.
func ParseAnchor(s string) (Anchor, error) { return Anchor{}, nil }

// Class is a heading class of section 13.6.
type Class uint8

// The heading classes.
const (
	ClassBoundary Class = iota
	ClassVoice
	ClassValues
	ClassTaboos
	ClassPersonaBoundaries
	ClassUsage
)

// Has reports whether a title is in the class.
func (c Class) Has(title string) bool { return false }

// BoundaryTitle reports whether a title is in the boundary class.
func BoundaryTitle(title string) bool { return ClassBoundary.Has(title) }

// KindAnchor and KindMarker are the node kinds of [source: …] and [status: …].
var (
	KindAnchor = ast.NewNodeKind("SourceAnchor")
	KindMarker = ast.NewNodeKind("StatusMarker")
)

// AnchorNode is an inline [source: …].
type AnchorNode struct {
	ast.BaseInline
	Parts       []Anchor // empty parts left out
	Start, Stop int      // offsets of the bracket and after its end
}

// Kind returns KindAnchor.
func (n *AnchorNode) Kind() ast.NodeKind { return KindAnchor }

// Dump prints the node for debugging.
func (n *AnchorNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// MarkerNode is an inline [status: …] with a known claim status.
type MarkerNode struct {
	ast.BaseInline
	Value       string // one of the claim statuses, lower case
	Start, Stop int
}

// Kind returns KindMarker.
func (n *MarkerNode) Kind() ast.NodeKind { return KindMarker }

// Dump prints the node for debugging.
func (n *MarkerNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }
