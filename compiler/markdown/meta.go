package markdown

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// ForeignID is the rule id of front matter that is not ours: a page keeps its text
// whatever is above it.
const ForeignID = "metadata-foreign"

// guideName is the file whose front matter is a contract.
const guideName = "KNOWLEDGE.md"

// readMeta takes over the front matter of a file. That of a page may have been written
// for another system: a block that is not YAML is a warning, and what can be read of it
// is kept; a single value that cannot be read is a remark.
func readMeta(d *Document, block frontmatter.Block, faults []diag.Diagnostic) {
	d.Body, d.Meta, d.Diagnostics = block.End, block.Node, faults
	if d.Path == guideName {
		readStatus(d, diag.Error, frontmatter.ID)
		return
	}
	switch {
	case block.Open:
		d.Meta = plainMeta(d.Text[:firstParagraph(d.Text)])
	case len(faults) > 0:
		if d.Meta = block.Suspect; d.Meta == nil || d.Meta.Kind != yaml.MappingNode {
			d.Meta = plainMeta(d.Text[:block.End])
		}
		first := faults[0]
		first.ID, first.Severity = ForeignID, diag.Warning
		first.Hint = "quote values with a colon, a brace or an asterisk; the page is built all the same"
		if d.Diagnostics = []diag.Diagnostic{first}; isTemplate(d.Text[:block.End], first.Line) {
			d.Diagnostics = nil
		}
	}
	frontmatter.HideComments(d.Meta)
	d.Diagnostics = append(d.Diagnostics, settleKeys(d.Path, d.Meta)...)
	readStatus(d, diag.Warning, ForeignID)
	if block.End == 0 || !frontmatter.IsDraft(bytes.NewReader(d.Text)) {
		return
	}
	d.Status = schema.Draft
	if block.Open { // its author is not done with it
		d.Diagnostics[0].ID, d.Diagnostics[0].Severity = ForeignID, diag.Warning
	}
}

// ownKeys are the keys of a page that mean something to packgen.
var ownKeys = []string{"title", "description", "keywords", "patterns", "priority", "triggers", "questions", "boundary", "status", "draft"}

// otherKeys are keys that are like one of ours and mean something else.
var otherKeys = []string{"question", "subtitle", "state", "pattern", "trigger"}

// settleKeys reads keys of ours in any case, and reports those that were most likely meant to
// be one.
func settleKeys(path string, node *yaml.Node) (list []diag.Diagnostic) {
	meta := frontmatter.NewMap(path, node, nil)
	for _, key := range meta.Keys() {
		lower := strings.ToLower(key.Value)
		switch {
		case slices.Contains(otherKeys, lower) || lower != key.Value && meta.Value(lower) != nil:
		case slices.Contains(ownKeys, lower):
			key.Value = lower
		default:
			if near := nearest.Within(lower, ownKeys, min(2, len(lower)/4)); near != "" && meta.Value(near) == nil {
				list = append(list, diag.Diagnostic{
					ID: ForeignID, Severity: diag.Warning, Path: path, Line: key.Line, Column: key.Column,
					Message: fmt.Sprintf("%s%q, which has no effect", foreignKey, key.Value), Hint: fmt.Sprintf("did you mean %q?", near),
				})
			}
		}
	}
	return list
}

// firstParagraph returns the offset of the first blank line, or the end of the text.
func firstParagraph(text []byte) int {
	if i := bytes.Index(text, []byte("\n\n")); i >= 0 {
		return i + 1
	}
	return len(text)
}

// isTemplate reports that a line of front matter has a value that another tool fills in
// before anybody reads it: {{date}}, <% tp.file.title %>, {% x %}.
func isTemplate(block []byte, number int) bool {
	for line := range bytes.Lines(block) {
		if number--; number > 0 {
			continue
		}
		_, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimLeft(value, " \t\"'")
		return bytes.HasPrefix(value, []byte("{{")) || bytes.HasPrefix(value, []byte("<%")) || bytes.HasPrefix(value, []byte("{%"))
	}
	return false
}

// maxPlainMeta is how many lines of a broken block are read one by one.
const maxPlainMeta = 200

// plainMeta reads the lines "key: value" of a block that is not YAML, values as text.
func plainMeta(block []byte) *yaml.Node {
	return metaLines(block, ":", func(value string) *yaml.Node {
		if value != "" && value[0] != ' ' && value[0] != '\t' {
			return nil
		}
		if value = unquote(strings.TrimSpace(value)); value == "" || strings.IndexByte("[{|>&*", value[0]) >= 0 {
			return nil
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: value}
	})
}

// metaLines reads the lines of a block that are a key, a sign and a value; nil when it has none.
// Read gives the value of a line, nil for one that it does not know.
func metaLines(block []byte, sign string, read func(value string) *yaml.Node) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 2, Column: 1}
	seen := map[string]bool{}
	number := 0
	for line := range bytes.Lines(block) {
		if number++; number > maxPlainMeta {
			break
		}
		written, value, ok := strings.Cut(strings.TrimRight(string(line), " \t\r\n"), sign)
		key := written
		if sign == "=" {
			key = strings.TrimSpace(key)
		}
		if !ok || key == "" || seen[key] || strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			continue
		}
		node := read(value)
		if node == nil {
			continue
		}
		seen[key] = true
		node.Line, node.Column = number, len(written)+2
		m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key, Line: number, Column: 1}, node)
	}
	if len(m.Content) == 0 {
		return nil
	}
	return m
}

// These are how the findings begin about a status that no pack knows, and about a key that is
// like one that packs know.
const (
	foreignStatus = `the status "`
	foreignKey    = "front matter has the key "
)

// IsForeign reports a finding that means nothing in a folder that was written for another
// system: its status and its keys are its own.
func IsForeign(d diag.Diagnostic) bool {
	return d.ID == ForeignID && (strings.HasPrefix(d.Message, foreignStatus) || strings.HasPrefix(d.Message, foreignKey))
}

// Unclosed reports a page whose front matter is never closed. All of its text is that, and
// the finding is an error of the page, of a draft a warning.
func (d *Document) Unclosed() bool {
	return d.Path != guideName && slices.ContainsFunc(d.Diagnostics, func(x diag.Diagnostic) bool { return x.Message == frontmatter.Unclosed })
}

// statusHint says which words a status may be.
const statusHint = "use draft, ready, needs-review, stale, disputed or archived"

// readStatus reads the front matter key "status".
func readStatus(d *Document, severity diag.Severity, id string) {
	if d.Meta == nil {
		return
	}
	meta := frontmatter.NewMap(d.Path, d.Meta, nil)
	v := meta.Value("status")
	status, ok := meta.String("status")
	meta = frontmatter.NewMap(d.Path, d.Meta, &d.Diagnostics)
	switch {
	case ok && slices.Contains(schema.PackStatuses(), schema.Status(status)):
		d.Status = schema.Status(status)
	case ok:
		message, hint := fmt.Sprintf("the status %q is not known", status), statusHint
		switch near := schema.ClosestStatus(status, schema.PackStatuses()); {
		case frontmatter.DraftWord(status):
			message, hint = fmt.Sprintf("the status %q is not known; the page counts as a draft", status), "write status: draft"
		case near != "":
			message, hint = fmt.Sprintf("the status %q is not known; did you mean %s?", status, near), "write status: "+string(near)
		}
		meta.Report("status", id, severity, message, hint)
	case v != nil:
		if id == ForeignID {
			severity = diag.Info
		}
		meta.Report("status", id, severity, fmt.Sprintf("the status is %s, not a word; it is ignored", strictyaml.Type(v)), statusHint)
	}
}

// metaValue returns the value of a key of the front matter; nil when it is absent or null.
// "a.b" is the key b of the mapping a.
func metaValue(d *Document, key string) *yaml.Node {
	v := field(d.Meta, key)
	if outer, inner, nested := strings.Cut(key, "."); nested {
		v = field(field(d.Meta, outer), inner)
	}
	if v == nil || strictyaml.Type(v) == strictyaml.Null {
		return nil
	}
	return v
}

// MetaString returns a text of the front matter by the first of several keys that has
// one; "" when none has. A number is the text that it is written as. "a.b" is the key b of
// the mapping a.
func (d *Document) MetaString(keys ...string) string {
	for _, key := range keys {
		if v := metaValue(d, key); v != nil && v.Kind == yaml.ScalarNode && strings.TrimSpace(v.Value) != "" {
			return v.Value
		}
	}
	return ""
}

// MetaNumber returns the number of the front matter under the first of several keys that
// has one; false when none has. "a.b" is the key b of the mapping a.
func (d *Document) MetaNumber(keys ...string) (float64, bool) {
	for _, key := range keys {
		v := metaValue(d, key)
		if v == nil || v.Kind != yaml.ScalarNode {
			continue
		}
		if n, err := strconv.ParseFloat(v.Value, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n, true
		}
	}
	return 0, false
}

// NavigationLabel is what the navigation of another system calls the page, from its front
// matter; "" when it says nothing.
func (d *Document) NavigationLabel() string {
	return d.MetaString("sidebar_label", "nav_title", "short_title", "linkTitle", "sidebar.label")
}

// NavigationPlace is the place among its neighbours that the front matter gives the page;
// false when it gives none.
func (d *Document) NavigationPlace() (float64, bool) {
	return d.MetaNumber("order", "nav_order", "sidebar_position", "weight", "position", "sidebar.order")
}

// MetaList returns the texts of the front matter under several keys: lists, single
// texts, and texts with commas when split is set.
func (d *Document) MetaList(split bool, keys ...string) []string {
	var list []string
	for _, key := range keys {
		v := metaValue(d, key)
		if v == nil {
			continue
		}
		values := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			values = v.Content
		}
		for _, item := range values {
			if item.Kind != yaml.ScalarNode || strictyaml.Type(item) == strictyaml.Null {
				continue
			}
			parts := []string{item.Value}
			if split {
				parts = strings.Split(item.Value, ",")
			}
			for _, p := range parts {
				if p = strings.TrimSpace(p); p != "" {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// maxRedirects is how many former addresses of a page are kept.
const maxRedirects = 50

// Addresses returns the paths without ending at which another system shows the page: those
// of [Document.Redirects], and a slug that is a name in the folder of the page.
func (d *Document) Addresses() []string {
	list := d.Redirects()
	for i := range list {
		list[i] = strings.TrimSuffix(list[i], "/index")
	}
	if slug := d.MetaString("slug"); slug != "" && len(slug) <= 200 && !strings.ContainsAny(slug, "/\\?#:*{}<>\"'\x00\n") && !strings.HasPrefix(slug, ".") {
		list = append(list, path.Join(path.Dir(d.Path), slug))
	}
	return list
}

// Redirects returns the paths below documents/ or wiki/ at which the page was, or
// is in another system, without ending: from redirect_from, aliases that are paths,
// slug and permalink. One that begins with documents/ or wiki/ is a path of the pack; any
// other is below the folder of the two that the page is in.
func (d *Document) Redirects() []string {
	if d.Meta == nil {
		return nil
	}
	top, _, _ := strings.Cut(d.Path, "/")
	own := strings.TrimSuffix(d.Path, ".md")
	var list []string
	for _, written := range d.MetaList(false, "redirect_from", "redirects", "aliases", "slug", "permalink") {
		if !strings.Contains(written, "/") || strings.Contains(written, "://") || strings.ContainsAny(written, "\\?#:*{}<>\"'\x00\n") || len(written) > 200 {
			continue
		}
		p := path.Clean("/" + written)
		for _, ending := range []string{"/index.html", ".html", ".md", "/index"} {
			p = strings.TrimSuffix(p, ending)
		}
		p = strings.Trim(p, "/")
		if strings.HasSuffix(written, "/") && p != "" { // a folder, of which this is the page
			p += "/index"
		}
		below := top + "/" + p
		if first, _, _ := strings.Cut(written, "/"); (first == "documents" || first == "wiki") && strings.HasPrefix(p, first+"/") { // a path of the pack
			below = p
		}
		if p == "" || strings.HasPrefix(p, ".") || strings.Contains(p, "/.") || below == own || len(list) >= maxRedirects {
			continue
		}
		list = append(list, below)
	}
	return list
}

// kindKeys is the kind of a Keys.
var kindKeys = ast.NewNodeKind("Keys")

// Keys is ++ctrl+alt+del++, keys that are pressed together, as MkDocs writes them.
type Keys struct {
	ast.BaseInline
	Names []string // as shown: "Ctrl", "Alt", "Del"
}

// Kind returns kindKeys.
func (n *Keys) Kind() ast.NodeKind { return kindKeys }

// Dump prints the node for debugging.
func (n *Keys) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// String is how the keys are written in text.
func (n *Keys) String() string { return strings.Join(n.Names, "+") }

// keyNames are how keys are shown whose names are others, and keyWords the rest of the names.
var keyNames = map[string]string{
	"control": "Ctrl", "cmd": "⌘", "command": "⌘", "escape": "Esc", "delete": "Del", "insert": "Ins", "slash": "/", "backslash": `\`,
	"comma": ",", "period": ".", "dot": ".", "plus": "+", "minus": "-", "question-mark": "?",
}

const keyWords = "ctrl esc del ins alt shift tab enter return space backspace home end up down left right windows win meta option fn super menu pause" +
	" page-up page-down caps-lock num-lock scroll-lock print-screen f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12"

// keyName returns how a key is shown; "" for any other word.
func keyName(word string) string {
	if way, ok := strings.CutPrefix(word, "arrow-"); ok && isIn(way, "up down left right") {
		word = way
	}
	switch {
	case len(word) == 1:
		return strings.ToUpper(word)
	case !isIn(word, keyWords):
		return keyNames[word]
	}
	parts := strings.Split(word, "-")
	for i, part := range parts {
		parts[i] = strings.ToUpper(part[:1]) + part[1:]
	}
	return strings.Join(parts, " ")
}

// maxKeys is the longest Keys, in bytes.
const maxKeys = 80

// parseKeys reads Keys.
func parseKeys(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) < 5 || line[1] != '+' || block.PrecendingCharacter() == '+' {
		return nil
	}
	end := bytes.Index(line[2:min(len(line), maxKeys)], []byte("++"))
	if end < 1 {
		return nil
	}
	n := &Keys{}
	for word := range strings.SplitSeq(string(line[2:2+end]), "+") {
		name := keyName(strings.ToLower(word))
		if name == "" || word == " " {
			return nil
		}
		n.Names = append(n.Names, name)
	}
	block.Advance(end + 4)
	return n
}

// Property is a line of the front matter that says something about the subject of a
// page.
type Property struct {
	Key    string
	Values []Value
}

// Value is a text of a property.
type Value struct {
	Text         string
	Line, Column int // 1-based
}

// Limits of the properties of a page.
const (
	maxProperties = 40
	maxValues     = 50
)

// machinery are keys of front matter that say how a page is made, not what it is about.
var machinery = []string{
	"title", "description", "keywords", "patterns", "priority", "triggers", "summary", "status", "language", "trust",
	"aliases", "alias", "cssclasses", "cssclass", "publish", "permalink", "slug", "layout", "template",
	"sidebar_label", "sidebar_position", "sidebar", "weight", "nav_order", "order", "position", "redirect_from", "redirects",
	"draft", "id", "hide", "icon", "search", "pagination_next", "pagination_prev", "kanban-plugin", "excalidraw-plugin",
}

// Properties returns what the front matter says about the subject of a page. In a vault
// of Obsidian, where pages link as [[Page]], that is all that is not about the making of
// the page; elsewhere front matter is for the program that makes the site, tags left out.
func (d *Document) Properties() []Property {
	if d.Meta == nil || d.Meta.Kind != yaml.MappingNode {
		return nil
	}
	vault := slices.ContainsFunc(d.Links, func(l Link) bool { // not what other systems include
		return l.Wiki && bytes.HasPrefix(bytes.TrimPrefix(d.Text[l.Offset:], []byte("!")), []byte("[["))
	})
	var list []Property
	for i := 0; i+1 < len(d.Meta.Content); i += 2 {
		if values := propertyValues(d.Meta.Content[i+1]); len(values) > 0 {
			list = append(list, Property{d.Meta.Content[i].Value, values})
			vault = vault || slices.ContainsFunc(values, func(v Value) bool { return strings.Contains(v.Text, "[[") })
		}
	}
	list = slices.DeleteFunc(list, func(p Property) bool {
		key := strings.ToLower(p.Key)
		return key != "tags" && key != "tag" && (!vault || slices.Contains(machinery, key))
	})
	return list[:min(len(list), maxProperties)]
}

// propertyValues lists the texts of a value: its own, or those of a list.
func propertyValues(v *yaml.Node) []Value {
	items := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		items = v.Content
	}
	var values []Value
	for _, item := range items {
		text := strings.TrimSpace(item.Value)
		if item.Kind == yaml.ScalarNode && item.Tag != "!!null" && text != "" && len(values) < maxValues {
			values = append(values, Value{text, item.Line, item.Column})
		}
	}
	return values
}

// Hugo and Zola write front matter as TOML between two lines "+++". Of it the lines
// "key = value" above the first table are read: texts, numbers, true and false, and
// lists of texts in one line. That is what a page says of itself there.

var tomlMarker = []byte("+++")

// tomlBlock finds such front matter. End is 0 when there is none.
func tomlBlock(text []byte, path string) (block frontmatter.Block, faults []diag.Diagnostic) {
	line, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok || !bytes.Equal(bytes.TrimRight(line, " \t"), tomlMarker) {
		return block, nil
	}
	at := len(text) - len(rest)
	for at < len(text) && at < frontmatter.MaxPageBytes {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if bytes.Equal(bytes.TrimRight(text[at:end], " \t\n"), tomlMarker) {
			block.End = end
			block.Node = tomlMeta(text[:at])
			return block, nil
		}
		at = end
	}
	return frontmatter.UnclosedBlock(text, path)
}

// tomlMeta reads the lines of a block, the marker before them included, up to its first table.
func tomlMeta(block []byte) *yaml.Node {
	if i := bytes.Index(block, []byte("\n[")); i >= 0 {
		block = block[:i+1]
	}
	return metaLines(block, "=", func(value string) *yaml.Node { return tomlValue(strings.TrimSpace(value)) })
}

// tomlValue reads a value; nil for one of another kind.
func tomlValue(value string) *yaml.Node {
	inside, ok := strings.CutPrefix(value, "[")
	if !ok {
		node, rest := tomlScalar(value)
		if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
			return nil
		}
		return node
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for {
		inside = strings.TrimLeft(inside, " \t,")
		if inside == "" {
			return nil
		}
		if inside[0] == ']' {
			return list
		}
		item, rest := tomlScalar(inside)
		if item == nil {
			return nil
		}
		list.Content, inside = append(list.Content, item), rest
	}
}

// tomlScalar reads the scalar that a text starts with, and returns what follows it.
func tomlScalar(s string) (node *yaml.Node, rest string) {
	if s == "" || strings.HasPrefix(s, `"""`) || strings.HasPrefix(s, "'''") {
		return nil, s
	}
	text := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle}
	switch s[0] {
	case '"':
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, s
		}
		text.Value, _ = strconv.Unquote(quoted) // it is quoted: QuotedPrefix has seen to that
		return text, s[len(quoted):]
	case '\'':
		value, rest, ok := strings.Cut(s[1:], "'")
		if !ok {
			return nil, s
		}
		text.Value = value
		return text, rest
	}
	end := strings.IndexAny(s, " \t,]#")
	if end < 0 {
		end = len(s)
	}
	plain := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s[:end]}
	if plain.Value == "true" || plain.Value == "false" {
		plain.Tag = "!!bool"
	} else if _, err := strconv.ParseFloat(plain.Value, 64); err == nil {
		plain.Tag = "!!float"
		if _, err := strconv.Atoi(plain.Value); err == nil {
			plain.Tag = "!!int"
		}
	}
	return plain, s[end:]
}

// FrontPage is what the front page of VitePress or Starlight says in its front matter.
type FrontPage struct {
	Name    string
	Text    string
	Tagline string
	Links   []FrontLink // where a reader goes from here
	Parts   []FrontLink // features
}

// FrontLink is a link, or a text, of a front page.
type FrontLink struct{ Title, Dest, About string }

// maxFront is how many links and parts of a front page are shown.
const maxFront = 40

// FrontPage returns what the front matter says of a front page; nil for other pages.
func (d *Document) FrontPage() *FrontPage {
	hero, features := field(d.Meta, "hero"), field(d.Meta, "features")
	if hero == nil && features == nil {
		return nil
	}
	p := &FrontPage{Name: cmp.Or(scalar(hero, "name"), scalar(hero, "title")), Text: scalar(hero, "text"), Tagline: scalar(hero, "tagline")}
	for _, n := range items(field(hero, "actions")) {
		p.Links = append(p.Links, FrontLink{Title: scalar(n, "text"), Dest: scalar(n, "link")})
	}
	for _, n := range items(features) {
		p.Parts = append(p.Parts, FrontLink{scalar(n, "title"), scalar(n, "link"), scalar(n, "details")})
	}
	return p
}

// field is the value of a key of a mapping; nil when there is none.
func field(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// items are the values of a list.
func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content[:min(len(n.Content), maxFront)]
}

// scalar is a text of a mapping; "" when there is none.
func scalar(n *yaml.Node, key string) string {
	v := field(n, key)
	if v == nil || v.Kind != yaml.ScalarNode {
		return ""
	}
	return v.Value
}
