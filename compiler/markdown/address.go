package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// bareAddress reads addresses without brackets, as GitHub does. goldmark's parser is
// asked for words alone that may be one: it is called at every word, and its search
// costs more than all other inline parsers together.
type bareAddress struct{ parser.InlineParser }

func newBareAddress() parser.InlineParser {
	return bareAddress{extension.NewLinkifyParser()}
}

// Parse implements parser.InlineParser.
func (p bareAddress) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	word := line
	switch line[0] {
	case ' ', '*', '_', '~', '(':
		word = line[1:]
	}
	if !mayBeAddress(word) {
		return nil
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// mayBeAddress reports whether an address may start a text: one that starts like a
// URL, or a word with "@" in it.
func mayBeAddress(text []byte) bool {
	if len(text) < 5 {
		return false
	}
	switch text[0] {
	case 'h', 'f', 'w':
		if bytes.HasPrefix(text, []byte("http")) || bytes.HasPrefix(text, []byte("ftp:")) || bytes.HasPrefix(text, []byte("www.")) {
			return true
		}
	}
	for i, c := range text[:min(len(text), maxLocalPart)] {
		switch {
		case c == '@':
			return i > 0
		case c == '.' || c == '-' || c == '_' || c == '+' || util.IsAlphaNumeric(c):
		default:
			return false
		}
	}
	return false
}

// maxLocalPart is the longest name before the "@" of a bare mail address, in bytes.
const maxLocalPart = 64
