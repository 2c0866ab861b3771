package exchange

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/frontmatter"
)

// head is the front matter of a file, changed line by line so that everything else in it
// keeps its bytes.
type head struct {
	lines []string // with their line ends, without the markers
	keys  map[string]span
	body  []byte
}

// span is where a key and its value are among the lines.
type span struct {
	first, end int
	value      *yaml.Node
}

// readHead takes a file apart; ok is false when its front matter cannot be read.
func readHead(text []byte) (h *head, ok bool) {
	block, _ := frontmatter.Read(text, frontmatter.Options{})
	h = &head{keys: map[string]span{}, body: text[block.End:]}
	if block.End == 0 {
		return h, true
	}
	all := slices.Collect(strings.Lines(string(text[:block.End])))
	h.lines = all[1 : len(all)-1]
	if block.Node == nil {
		return h, strings.TrimSpace(strings.Join(h.lines, "")) == ""
	}
	if block.Node.Style&yaml.FlowStyle != 0 {
		return h, len(block.Node.Content) == 0
	}
	content := block.Node.Content
	for i := 0; i+1 < len(content); i += 2 {
		end := len(h.lines)
		if i+2 < len(content) {
			end = content[i+2].Line - 2
		}
		h.keys[content[i].Value] = span{content[i].Line - 2, end, content[i+1]}
	}
	return h, true
}

// text returns the value of a key that is a single text; "" otherwise.
func (h *head) text(key string) string {
	if s, ok := h.keys[key]; ok && s.value.Kind == yaml.ScalarNode && s.value.Tag != "!!null" {
		return s.value.Value
	}
	return ""
}

func (h *head) has(key string) bool {
	_, ok := h.keys[key]
	return ok
}

// remove takes a key out, with its value.
func (h *head) remove(key string) {
	s, ok := h.keys[key]
	if !ok {
		return
	}
	h.lines = slices.Delete(h.lines, s.first, s.end)
	delete(h.keys, key)
	h.move(s.end, s.first-s.end)
}

// move notes that the lines from one on have moved.
func (h *head) move(from, by int) {
	for key, s := range h.keys {
		if s.first >= from {
			h.keys[key] = span{s.first + by, s.end + by, s.value}
		}
	}
}

// set gives a key the value of these lines, in its place or at the end. A line that is
// not the first of them is indented.
func (h *head) set(key string, value ...string) {
	lines := make([]string, 0, len(value))
	for i, v := range value {
		if i == 0 {
			v = strings.TrimRight(key+": "+v, " ")
		}
		lines = append(lines, v+"\n")
	}
	at := len(h.lines)
	if s, ok := h.keys[key]; ok {
		at = s.first
		h.remove(key)
	}
	h.lines = slices.Insert(h.lines, at, lines...)
	h.move(at, len(lines))
	h.keys[key] = span{at, at + len(lines), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Join(value, "\n")}}
}

// bytes is the front matter with a body.
func (h *head) bytes(body []byte) []byte {
	if len(h.lines) == 0 {
		return body
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	for _, l := range h.lines {
		b.WriteString(strings.TrimSuffix(l, "\n") + "\n")
	}
	b.WriteString("---\n")
	b.Write(body)
	return b.Bytes()
}
