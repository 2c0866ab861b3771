package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// kindWikiLink is the kind of a WikiLink.
var kindWikiLink = ast.NewNodeKind("WikiLink")

// WikiLink is [[Page]], [[Page#Heading|label]], or, with a "!" before it, an embed of
// a page or a picture.
type WikiLink struct {
	ast.BaseInline
	Target   string // as written, escapes decoded; "" is this page
	Fragment string // after "#"; "" when there is none
	Label    string // after "|"; "" when there is none
	Embed    bool
}

// Kind returns kindWikiLink.
func (n *WikiLink) Kind() ast.NodeKind { return kindWikiLink }

// IsRaw reports that there is nothing in it to parse.
func (n *WikiLink) IsRaw() bool { return true }

// Dump prints the node for debugging.
func (n *WikiLink) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// Shown is the text of the link: its label, or what it was written as.
func (n *WikiLink) Shown() string {
	switch {
	case n.Label != "":
		return n.Label
	case n.Fragment == "":
		return n.Target
	case n.Target == "":
		return n.Fragment
	}
	return n.Target + "#" + n.Fragment
}

// Outside returns the address of another site that a link leads to, as GitHub's wikis write
// it, [[Text|https://…]], or in the other order, with its text; "" when it leads to none.
func (n *WikiLink) Outside() (address, text string) {
	for _, pair := range [][2]string{{n.Label, n.Target}, {n.Target, n.Label}} {
		if strings.HasPrefix(pair[0], "https://") || strings.HasPrefix(pair[0], "http://") {
			if address, text = pair[0], pair[1]; address == n.Target && n.Fragment != "" {
				address += "#" + n.Fragment
			}
			if text == "" {
				text = address
			}
			return address, text
		}
	}
	return "", ""
}

// IsContents reports whether a link asks for a table of contents.
func (n *WikiLink) IsContents() bool {
	return strings.EqualFold(n.Target, "_toc_") || strings.EqualFold(n.Target, "toc")
}

// maxWikiLink is the longest [[…]], in bytes; what is longer is text.
const maxWikiLink = 512

// parseWikiLink reads [[…]] and ![[…]]. It leaves to the link parser what is a link
// in brackets.
func parseWikiLink(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	n := &WikiLink{}
	at := 0
	if line[0] == '!' {
		n.Embed, at = true, 1
	}
	if !bytes.HasPrefix(line[at:], []byte("[[")) {
		return nil
	}
	at += 2
	end := bytes.Index(line[at:min(len(line), at+maxWikiLink)], []byte("]]"))
	if end < 1 {
		return nil
	}
	inside := line[at : at+end]
	after := at + end + 2
	if bytes.IndexByte(inside, '[') >= 0 || after < len(line) && line[after] == '(' {
		return nil
	}
	if _, ok := pc.Reference(util.ToLinkReference(inside)); ok {
		return nil
	}
	target, label, labelled := bytes.Cut(inside, []byte("|"))
	if labelled {
		target = bytes.TrimSuffix(target, []byte(`\`)) // as tables need it
		n.Label = strings.TrimSpace(Unescape(label))
	}
	name, fragment, _ := strings.Cut(Unescape(target), "#")
	n.Target, n.Fragment = strings.TrimSpace(name), strings.TrimSpace(fragment)
	if n.Target == "" && n.Fragment == "" || labelled && n.Label == "" {
		return nil
	}
	block.Advance(after)
	return n
}
