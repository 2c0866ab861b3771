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

// keyName returns how a key is shown; "" for any other word.
func keyName(word string) string {
	if len(word) == 1 {
		return strings.ToUpper(word)
	}
	switch word {
	case "ctrl", "control":
		return "Ctrl"
	case "cmd", "command":
		return "⌘"
	case "esc", "escape":
		return "Esc"
	case "del", "delete":
		return "Del"
	case "ins", "insert":
		return "Ins"
	case "arrow-up", "arrow-down", "arrow-left", "arrow-right":
		return keyName(strings.TrimPrefix(word, "arrow-"))
	case "alt", "shift", "tab", "enter", "return", "space", "backspace", "home", "end", "up", "down", "left", "right",
		"windows", "win", "meta", "option", "fn", "super", "menu", "pause":
		return strings.ToUpper(word[:1]) + word[1:]
	case "page-up", "page-down", "caps-lock", "num-lock", "scroll-lock", "print-screen":
		first, second, _ := strings.Cut(word, "-")
		return strings.ToUpper(first[:1]) + first[1:] + " " + strings.ToUpper(second[:1]) + second[1:]
	case "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12":
		return strings.ToUpper(word)
	case "slash":
		return "/"
	case "backslash":
		return `\`
	case "comma":
		return ","
	case "period", "dot":
		return "."
	case "plus":
		return "+"
	case "minus":
		return "-"
	case "question-mark":
		return "?"
	}
	return ""
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
