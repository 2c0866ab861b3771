package markdown

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

// Anchor is one part of an inline [source: …] (agent-knowledge section 7.1).
type Anchor struct {
	Path     string // pack path; "" when unusable
	Fragment string // without "#"; "" when none
	Written  string // the part as written
	Offset   int    // of the bracket
	Usable   bool
}

// String returns the anchor string of records, "<path>#<fragment>" or "<path>".
func (a Anchor) String() string {
	if a.Fragment == "" {
		return a.Path
	}
	return a.Path + "#" + a.Fragment
}

// errNotEvidence marks a clean path that is not below sources/, documents/ or
// wiki/, the folders an anchor may point into.
var errNotEvidence = errors.New("not below sources/, documents/ or wiki/")

// parseAnchor reads one anchor string, "<path>#<fragment>" (agent-knowledge
// section 7.1). White space around it is dropped. The error says why the anchor
// is not usable; it wraps packpath.ErrEscape (a path-escape), or
// packpath.ErrUnclean or errNotEvidence (an anchor-unresolved).
func parseAnchor(s string) (Anchor, error) {
	s = strings.TrimSpace(s)
	path, fragment, _ := strings.Cut(s, "#")
	a := Anchor{Written: s, Fragment: fragment}
	if err := packpath.Check(path); err != nil {
		return a, err
	}
	top, below, _ := strings.Cut(path, "/")
	if below == "" || (top != "sources" && top != "documents" && top != "wiki") {
		return a, fmt.Errorf("%q is %w", path, errNotEvidence)
	}
	a.Path, a.Usable = path, true
	return a, nil
}

// parseAnchors reads the inside of an inline anchor: anchor strings separated
// by ";". Empty parts are skipped.
func parseAnchors(inside string, offset int) []Anchor {
	var list []Anchor
	for part := range strings.SplitSeq(inside, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		a, _ := parseAnchor(part)
		a.Offset = offset
		list = append(list, a)
	}
	return list
}

// reportAnchor adds the diagnostic of an anchor that is not usable.
func (w *walker) reportAnchor(a Anchor) {
	if a.Usable {
		return
	}
	message := `"` + a.Written + `"`
	const fix = "write a path below sources/, documents/ or wiki/, relative to the pack"
	switch _, err := parseAnchor(a.Written); {
	case errors.Is(err, packpath.ErrEscape):
		w.report(a.Offset, "path-escape", diag.Error, message, fix).Say("the anchor %s leads out of the pack", message)
	case strings.Contains(a.Written, "://"):
		w.report(a.Offset, "anchor-unresolved", diag.Warning, message, "save what it shows below sources/, and name that file").
			Say("the anchor %s is a web address; an anchor names a file of the pack", message)
	default:
		w.report(a.Offset, "anchor-unresolved", diag.Warning, message, cmp.Or(nearestLayer(a.Written), fix)).
			Say("the anchor %s names no file of sources/, documents/ or wiki/", message)
	}
}

// nearestLayer suggests the layer that the first folder of an anchor was most likely meant to
// name; "" when none is like it.
func nearestLayer(written string) string {
	folder, rest, ok := strings.Cut(written, "/")
	if near := nearest.Name(strings.ToLower(folder), []string{"sources", "documents", "wiki"}); ok && near != "" {
		return fmt.Sprintf("did you mean %q?", near+"/"+rest)
	}
	return ""
}

// claimStatus returns the claim status that a marker's value names, or "".
func claimStatus(value string) schema.Status {
	status := schema.Status(strings.ToLower(value))
	if !slices.Contains(schema.ClaimStatuses(), status) {
		return ""
	}
	return status
}

// unknownStatus is the note about a marker with a value that is not a claim status.
func unknownStatus(offset int, value string) note {
	hint := "write confirmed, inferred, disputed, stale, missing or source-required"
	if near := schema.ClosestStatus(value, schema.ClaimStatuses()); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return note{
		offset: offset, id: "anchor-unresolved", severity: diag.Warning,
		message:  `the claim status "` + value + `" is not known`,
		recorded: `Unknown claim status "` + value + `".`,
		hint:     hint,
	}
}

// Unanchored reports a finding about a source or a status in the text of a claim that
// cannot be used: it says too why the claim has none.
func Unanchored(d *diag.Diagnostic) bool { return d.ID == "anchor-unresolved" || d.ID == "path-escape" }

// The node kinds of our two inline forms.
var (
	KindAnchor = ast.NewNodeKind("SourceAnchor") // an AnchorNode
	KindMarker = ast.NewNodeKind("StatusMarker") // a MarkerNode
)

// AnchorNode is an inline [source: …].
type AnchorNode struct {
	ast.BaseInline
	Parts       []Anchor // in order, empty parts left out; may be empty
	Start, Stop int      // offsets of the opening bracket and after the closing one
}

// Kind returns KindAnchor.
func (n *AnchorNode) Kind() ast.NodeKind { return KindAnchor }

// Dump prints the node for debugging.
func (n *AnchorNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// MarkerNode is an inline [status: …] whose value is a claim status.
type MarkerNode struct {
	ast.BaseInline
	Value       schema.Status // the claim status, in lower case
	Start, Stop int           // offsets of the opening bracket and after the closing one
}

// Kind returns KindMarker.
func (n *MarkerNode) Kind() ast.NodeKind { return KindMarker }

// Dump prints the node for debugging.
func (n *MarkerNode) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// parseBracket is the goldmark inline parser of both forms. It runs before the
// link parser and leaves to it whatever is neither.
func parseBracket(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, segment := block.PeekLine()
	isAnchor := hasKeyword(line, "[source:")
	if !isAnchor && !hasKeyword(line, "[status:") {
		return nil
	}
	start := segment.Start
	inside, stop, ok := readBracket(block, len("[source:"))
	if !ok || block.Peek() == '(' {
		return nil
	}
	if isAnchor {
		return &AnchorNode{Parts: parseAnchors(inside, start), Start: start, Stop: stop}
	}
	value := strings.TrimSpace(inside)
	status := claimStatus(value)
	if status == "" {
		addNote(pc, unknownStatus(start, value))
		return nil
	}
	return &MarkerNode{Value: status, Start: start, Stop: stop}
}

// hasKeyword reports whether line starts with a keyword in any case.
func hasKeyword(line []byte, keyword string) bool {
	return len(line) >= len(keyword) && bytes.EqualFold(line[:len(keyword)], []byte(keyword))
}

// readBracket reads up to the closing bracket, over line ends, after skipping n
// bytes. It returns what is inside and the offset after the bracket.
func readBracket(block text.Reader, n int) (inside string, stop int, ok bool) {
	block.Advance(n)
	var earlier []byte
	for {
		line, _ := block.PeekLine()
		if line == nil {
			return "", 0, false
		}
		end := bytes.IndexAny(line, "[]")
		if end < 0 {
			earlier = append(earlier, line...)
			block.AdvanceLine()
			continue
		}
		if line[end] == '[' {
			return "", 0, false
		}
		block.Advance(end + 1)
		_, after := block.Position()
		return string(append(earlier, line[:end]...)), after.Start, true
	}
}

// kindAttributes is the kind of an Attributes.
var kindAttributes = ast.NewNodeKind("Attributes")

// Attributes is a list such as { #id .class width=300 } after a link, a picture, a
// heading or alone on its line, as MkDocs and Kramdown read it. It is not shown.
type Attributes struct {
	ast.BaseInline
	ID     string            // after "#" or "id="; "" when there is none
	Values map[string]string // key=value, keys in lower case; nil when there are none
}

// Kind returns kindAttributes.
func (n *Attributes) Kind() ast.NodeKind { return kindAttributes }

// Dump prints the node for debugging.
func (n *Attributes) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// AttributesOf returns the attributes that follow an inline node; nil when there are
// none.
func AttributesOf(n ast.Node) *Attributes {
	a, _ := n.NextSibling().(*Attributes)
	return a
}

// maxAttributes is the longest list of attributes, in bytes.
const maxAttributes = 512

// parseAttributes reads an Attributes where it belongs to something.
func parseAttributes(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	end := bytes.IndexByte(line[:min(len(line), maxAttributes)], '}')
	if end < 2 {
		return nil
	}
	last := parent.LastChild()
	rest := bytes.TrimSpace(line[end+1:])
	heading := parent.Kind() == ast.KindHeading && len(rest) == 0
	first := bytes.TrimLeft(line[1:end], " ")
	alone := len(rest) == 0 && len(first) > 0 && bytes.IndexByte([]byte(":.#"), first[0]) >= 0 && (last == nil || isLineEnd(last))
	if !heading && !alone && !takesAttributes(last) && block.PrecendingCharacter() != ':' { // after an icon
		return nil
	}
	if heading && line[1] == '#' {
		return nil // {#id}, which every heading may end in (agent-knowledge section 6.3)
	}
	n := &Attributes{}
	if !n.read(string(line[1:end])) {
		return nil
	}
	block.Advance(end + 1)
	return n
}

// takesAttributes reports an inline node that attributes may follow.
func takesAttributes(n ast.Node) bool {
	if n == nil {
		return false
	}
	switch n.Kind() {
	case ast.KindLink, ast.KindImage, ast.KindCodeSpan, ast.KindEmphasis, ast.KindAutoLink, kindWikiLink:
		return true
	}
	return false
}

func isLineEnd(n ast.Node) bool {
	t, ok := n.(*ast.Text)
	return ok && (t.SoftLineBreak() || t.HardLineBreak())
}

// read reads the inside of the braces; false when it is not a list of attributes.
func (n *Attributes) read(inside string) bool {
	inside = strings.TrimSpace(strings.TrimPrefix(inside, ":"))
	if inside == "" {
		return false
	}
	for inside != "" {
		word := inside
		if i := strings.IndexAny(inside, " \t"); i > 0 {
			word = inside[:i]
		}
		switch {
		case len(word) > 1 && word[0] == '#':
			n.ID = word[1:]
		case len(word) > 1 && word[0] == '.' && util.IsAlphaNumeric(word[1]):
		default:
			key, value, ok := strings.Cut(inside, "=")
			if !ok || key == "" || strings.ContainsAny(key, " \t\"'{.:#") {
				if strings.HasPrefix(word, "data-") { // a flag of MkDocs
					break
				}
				return false
			}
			word, value = readValue(key, value)
			if strings.EqualFold(key, "id") {
				n.ID = value
				break
			}
			if n.Values == nil {
				n.Values = map[string]string{}
			}
			n.Values[strings.ToLower(key)] = value
		}
		inside = strings.TrimLeft(inside[len(word):], " \t")
	}
	return true
}

// readValue reads the value after "key=" and returns both as written, too.
func readValue(key, rest string) (written, value string) {
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return key + "=" + rest[:end+2], rest[1 : end+1]
		}
	}
	if i := strings.IndexAny(rest, " \t"); i >= 0 {
		rest = rest[:i]
	}
	return key + "=" + rest, rest
}

// Class is a heading class of agent-knowledge section 13.6.
type Class uint8

// The heading classes.
const (
	ClassBoundary          Class = iota // limits of use, rules, taboos
	ClassVoice                          // tone and style of a persona
	ClassValues                         // values and beliefs of a persona
	ClassTaboos                         // what a persona never does
	ClassPersonaBoundaries              // where a persona's role ends
	ClassUsage                          // how to use the pack
)

// classWords are what the titles of the classes contain, in lower case.
var classWords = [...][]string{
	ClassBoundary:          {"boundar", "limit", "compliance", "constraint", "taboo", "do not", "禁忌", "边界", "红线"},
	ClassVoice:             {"voice", "tone", "style", "口吻", "语气", "表达"},
	ClassValues:            {"value", "belief", "价值观"},
	ClassTaboos:            {"taboo", "禁忌", "红线"},
	ClassPersonaBoundaries: {"boundar", "limit", "边界"},
	ClassUsage:             {"usage", "how to use", "应用指南"},
}

// Has reports whether a title is in the class, whatever its case.
func (c Class) Has(title string) bool {
	title = strings.ToLower(title)
	return slices.ContainsFunc(classWords[c], func(word string) bool { return strings.Contains(title, word) })
}

// IsBoundary reports whether a title is a boundary title and nothing more: each of
// its words is one that names boundaries, or holds such words together ("Limits",
// "Runtime boundaries", "Limits and constraints"). A title that merely contains such
// a word has another topic ("Rate limiting", "Compliance of JSON parsers").
func IsBoundary(title string) bool {
	title = strings.ToLower(strings.TrimSpace(title))
	for _, word := range []string{"禁忌", "边界", "红线"} {
		if strings.HasSuffix(title, word) { // the last word of a Chinese title says what it is
			return true
		}
	}
	found := false
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(title, "do not", "donot"), func(r rune) bool { return !unicode.IsLetter(r) }) {
		names := isIn(word, "boundary boundaries limit limits limitation limitations constraint constraints compliance taboo taboos donot")
		if !names && !isIn(word, "and or of the our its this use pack runtime known general") {
			return false
		}
		found = found || names
	}
	return found
}
