package injection

import (
	"bytes"

	"github.com/packgen/packgen/compiler/prose"
)

// maxLabel is the longest label of a link, or anchor, that is dropped, in bytes: Markdown
// has none that is longer. A destination of that length may be written in any way; a longer
// one is dropped where it follows the rules of Markdown.
const maxLabel = 1000

// destination returns the length of what follows the text of a link: a destination in
// parentheses, or a label in brackets; 0 when nothing of these follows.
func destination(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	all := text
	text = text[:min(len(text), maxLabel)]
	if text[0] == '[' {
		return bytes.IndexByte(text, ']') + 1
	}
	if text[0] != '(' {
		return 0
	}
	if bytes.IndexByte(text, ')') < 0 {
		return longDestination(all)
	}
	depth, quote := 0, byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '<':
			quote = '>'
		case c == '"' && prose.IsBlank(text[i-1]):
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	if n := longDestination(all); n > 0 {
		return n
	}
	return bytes.IndexByte(text, ')') + 1
}

// maxNested is how many parentheses may be open in a destination.
const maxNested = 32

// longDestination returns the length of a destination with its title, in parentheses, by the
// rules of Markdown: blanks and a title end it. A text is looked through as often as
// parentheses may be nested at most.
func longDestination(text []byte) int {
	i, depth := 1, 1
	if i < len(text) && text[i] == '<' {
		n := bytes.IndexAny(text[i+1:], "<>\n")
		if n < 0 || text[i+1+n] != '>' {
			return 0
		}
		i += n + 2
	}
	for ; i < len(text) && !prose.IsBlank(text[i]) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i + 1
		}
		if depth > maxNested {
			return 0
		}
	}
	i = min(i, len(text))
	rest := bytes.TrimLeft(text[i:], " \t\n")
	if depth != 1 || len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return 0
	}
	n := bytes.IndexByte(rest[1:], rest[0])
	if n < 0 {
		return 0
	}
	after := bytes.TrimLeft(rest[n+2:], " \t\n")
	if len(after) == 0 || after[0] != ')' {
		return 0
	}
	return len(text) - len(after) + 1
}

// unseenInBrackets returns the length of what a rendered page does not show where a bracket
// opens: the target of a wiki link that shows other words, or an anchor or marker of a claim.
func (r *folder) unseenInBrackets(rest []byte) int {
	if bytes.HasPrefix(rest, []byte("[[")) {
		n := r.next("|")
		if n < 2 || bytes.ContainsAny(rest[2:n], "[]\n") {
			return 0
		}
		return n + 1
	}
	for _, mark := range []string{"[source:", "[status:"} {
		if n := r.next("]"); n < maxLabel && n > len(mark) && prose.Lower(rest[:len(mark)]) == mark {
			return n + 1
		}
	}
	return 0
}
