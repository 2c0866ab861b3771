package markdown

import (
	"bytes"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

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
