package frontmatter

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// HideComments takes the comments of HTML and of Obsidian out of the texts below a node: what
// a page does not show, its title, description and questions do not say. An item of a list
// that is nothing else goes. Patterns are no text, and what is between backquotes is code.
func HideComments(n *yaml.Node) {
	if n == nil {
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Value = WithoutComments(n.Value)
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && (i%2 == 0 || n.Content[i-1].Value == "patterns") {
			continue
		}
		said := c.Value != ""
		if HideComments(c); said && c.Value == "" && n.Kind == yaml.SequenceNode {
			n.Content[i] = nil
		}
	}
	n.Content = slices.DeleteFunc(n.Content, func(c *yaml.Node) bool { return c == nil })
}

// WithoutComments is a text without the comments of HTML and of Obsidian in it.
func WithoutComments(s string) string {
	if !strings.Contains(s, "<!--") && !strings.Contains(s, "%%") {
		return s
	}
	for _, mark := range [...][2]string{{"<!--", "-->"}, {"%%", "%%"}} {
		var b strings.Builder
		rest, code := s, false
		for {
			at := strings.Index(rest, mark[0])
			if at < 0 {
				break
			}
			inside := rest[at+len(mark[0]):]
			end := strings.Index(inside, mark[1])
			if end < 0 {
				break
			}
			code = code != (strings.Count(rest[:at], "`")%2 == 1)
			if close := strings.IndexByte(inside, '`'); code && close >= 0 {
				b.WriteString(rest[:at+len(mark[0])+close+1])
				rest, code = inside[close+1:], false
				continue
			}
			if mark[0] == "%%" && (!strings.ContainsAny(inside[:end], " \t\n") || endsInWord(rest[:at]) || startsWord(inside[end+2:])) {
				b.WriteString(rest[:at+len(mark[0])])
				rest = inside
				continue
			}
			before := rest[:at]
			rest = inside[end+len(mark[1]):]
			if rest == "" || strings.IndexByte("\"'\n],", rest[0]) >= 0 {
				before = strings.TrimRight(before, " ")
			}
			b.WriteString(before)
			if before == "" || strings.IndexByte("\"'\n[ ", before[len(before)-1]) >= 0 {
				rest = strings.TrimPrefix(rest, " ")
			}
		}
		s = b.String() + rest
	}
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

func endsInWord(s string) bool { return s != "" && isWord(s[len(s)-1]) }

func startsWord(s string) bool { return s != "" && isWord(s[0]) }

func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
