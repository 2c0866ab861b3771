package frontmatter

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// HideComments takes the comments of HTML and of Obsidian out of the texts below a node: what
// a page does not show, its title, description and questions do not say. An item of a list
// that is nothing else goes. Patterns are kept as they are, and so is code between backquotes.
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
	said := without(s, "<!--", "-->", func(_, _, _ string) bool { return true })
	said = without(said, "%%", "%%", func(before, comment, after string) bool {
		return strings.ContainsAny(comment, " \t\n") && !endsInWord(before) && !startsWord(after)
	})
	if said != s && strings.TrimSpace(said) == "" {
		return ""
	}
	return said
}

// without is a text without what is between two marks, where that is a comment.
func without(s, mark, end string, isComment func(before, comment, after string) bool) string {
	var b strings.Builder
	code := false
	for rest := s; ; {
		before, inside, ok := strings.Cut(rest, mark)
		if !ok {
			return b.String() + rest
		}
		code = code != (strings.Count(before, "`")%2 == 1)
		if close := strings.IndexByte(inside, '`'); code && close >= 0 {
			b.WriteString(before + mark + inside[:close+1])
			rest, code = inside[close+1:], false
			continue
		}
		comment, after, ok := strings.Cut(inside, end)
		switch {
		case !ok:
			return b.String() + rest
		case isComment(before, comment, after):
			rest = join(&b, before, after)
		default:
			b.WriteString(before + mark)
			rest = inside
		}
	}
}

// join writes what is before a comment, and returns what is after it: of the spaces around
// it one stays, where words are on both sides.
func join(b *strings.Builder, before, after string) string {
	if after == "" || strings.IndexByte("\"'\n],", after[0]) >= 0 {
		before = strings.TrimRight(before, " ")
	}
	b.WriteString(before)
	if before == "" || strings.IndexByte("\"'\n[ ", before[len(before)-1]) >= 0 {
		after = strings.TrimPrefix(after, " ")
	}
	return after
}

func endsInWord(s string) bool { return s != "" && isWord(s[len(s)-1]) }

func startsWord(s string) bool { return s != "" && isWord(s[0]) }

func isWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
