package markdown

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// record turns the unit of a list item into a claim record when its text
// starts with the key "claim" (agent-knowledge section 7.2): text from claim,
// anchors from source, marker from status. Lines without a known key continue
// the value before them.
func (w *walker) record(n ast.Node, u *Unit) {
	if !strings.HasPrefix(u.Text, "claim:") {
		return
	}
	values := map[string]string{}
	key := ""
	for _, line := range w.textLines(n) {
		if name, value, ok := recordKey(line); ok {
			key = name
			values[key] = value
			continue
		}
		values[key] = strings.TrimSpace(values[key] + " " + line)
	}
	u.Kind, u.Text = Record, unquote(values["claim"])

	from := len(w.d.Anchors) - len(u.Anchors)
	for _, a := range parseAnchors(unquote(values["source"]), w.keyOffset(n, "source:")) {
		w.reportAnchor(a)
		w.d.Anchors = append(w.d.Anchors, a)
	}
	u.Anchors = w.d.Anchors[from:len(w.d.Anchors):len(w.d.Anchors)]
	slices.SortStableFunc(u.Anchors, func(a, b Anchor) int { return cmp.Compare(a.Offset, b.Offset) })

	if value := unquote(values["status"]); value != "" && u.Marker == "" {
		if u.Marker = claimStatus(value); u.Marker == "" {
			n := unknownStatus(w.keyOffset(n, "status:"), value)
			w.report(n.offset, n.id, n.severity, n.message, n.hint).Recorded = n.recorded
		}
	}
	u.Line = recordLine(u)
}

// textLines returns the plain text of each line of a paragraph. Markup that
// runs over a line end keeps its lines together.
func (w *walker) textLines(n ast.Node) []string {
	var lines []string
	w.plain.reset()
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.plain.node(c)
		if t, ok := c.(*ast.Text); ok && (t.SoftLineBreak() || t.HardLineBreak()) || c.NextSibling() == nil {
			lines = append(lines, string(collapse(w.plain.buf)))
			w.plain.reset()
		}
	}
	return lines
}

// keyOffset returns the offset of the last line of a paragraph that starts with
// a key, or of the paragraph.
func (w *walker) keyOffset(n ast.Node, key string) int {
	lines := n.Lines()
	for i := lines.Len() - 1; i >= 0; i-- {
		if line := lines.At(i); bytes.HasPrefix(line.Value(w.d.Text), []byte(key)) {
			return line.Start
		}
	}
	return lines.At(0).Start
}

// recordKey splits "key: value" for the keys of a record.
func recordKey(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || (value != "" && value[0] != ' ') {
		return "", "", false
	}
	switch key {
	case "claim", "status", "source", "updated":
		return key, strings.TrimSpace(value), true
	}
	return "", "", false
}

// unquote removes one pair of outer quotes.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// recordLine writes a record as text and anchor, as compiled/facts.md holds it.
func recordLine(u *Unit) string {
	var usable []string
	for _, a := range u.Anchors {
		if a.Usable {
			usable = append(usable, a.String())
		}
	}
	if len(usable) == 0 {
		return u.Text
	}
	return u.Text + " [source: " + strings.Join(usable, "; ") + "]"
}
