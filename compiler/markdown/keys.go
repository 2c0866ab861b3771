package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

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
