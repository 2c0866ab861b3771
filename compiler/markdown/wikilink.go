package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
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

// Systems have their own ways to put a file into a page. A line of one of these alone is
// what ![[file]] is:
//
//	{{#include page.md}}              mdBook, also playground and rustdoc_include
//	--8<-- "page.md"                  MkDocs
//	<!--@include: ./page.md-->        VitePress
//	<<< @/code.js                     VitePress
//	{% include "page.md" %}           GitBook, also Hugo's {{% include "page.md" %}}
//	```{include} page.md … ```        MyST, also literalinclude

// Include returns the file that a line puts into its page, without what it says about a
// part of it; "" when it does not include one.
func Include(line []byte) string {
	s := strings.TrimSpace(string(line[:min(len(line), maxTag)]))
	name := ""
	switch {
	case len(s) < 5 || len(line) > maxTag:
	case strings.HasPrefix(s, "{{#") && strings.HasSuffix(s, "}}"):
		verb, rest, _ := strings.Cut(strings.TrimSpace(s[3:len(s)-2]), " ")
		switch verb {
		case "include", "rustdoc_include", "playground", "playpen":
			name, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
			if !strings.Contains(name, "://") {
				name, _, _ = strings.Cut(name, ":")
			}
		}
	case strings.HasPrefix(s, "--8<-- "):
		name, _, _ = strings.Cut(quoted(s[len("--8<-- "):]), ":")
	case strings.HasPrefix(s, "<!--") && strings.HasSuffix(s[4:], "-->"): // not <!-->, a whole comment too
		rest, ok := strings.CutPrefix(strings.TrimSpace(s[4:len(s)-3]), "@include:")
		if ok {
			name, _, _ = strings.Cut(strings.TrimSpace(rest), "{")
			name, _, _ = strings.Cut(name, "#")
		}
	case strings.HasPrefix(s, "<<< "):
		name, _, _ = strings.Cut(strings.TrimSpace(s[4:]), "{")
		name, _, _ = strings.Cut(name, "#")
		name, _, _ = strings.Cut(name, " ")
	default: // of Liquid and Hugo
		t, ok := readTag([]byte(s))
		if ok && t.size == len(s) && (t.name == "include" || t.name == "readfile" || t.name == "include_relative") {
			if name = quoted(string(t.arguments)); name == "" {
				name, _, _ = strings.Cut(string(t.arguments), " ")
			}
			if !strings.HasSuffix(name, ".md") { // a piece of the site's own design
				return ""
			}
		}
	}
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "@"), "./")
	if strings.ContainsAny(name, "\x00\"'<>|{}*") || strings.Contains(name, "://") {
		return ""
	}
	return name
}

// quoted returns what is in the quotes that start a text.
func quoted(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return ""
	}
	inside, _, ok := strings.Cut(s[1:], s[:1])
	if !ok {
		return ""
	}
	return inside
}

// includeHeads are what such lines begin with.
var includeHeads = [][]byte{[]byte("{{"), []byte("{%"), []byte("--8<"), []byte("<!--"), []byte("<<<"), []byte("```{"), []byte("````")}

// include reads a line that puts a file into the page; nil for others. The offsets are those of
// its first byte and of the next line.
func include(line []byte, start int, source []byte, end int) ast.Node {
	if !slices.ContainsFunc(includeHeads, func(s []byte) bool { return bytes.HasPrefix(line, s) }) {
		return nil
	}
	name := ""
	if line[0] == '`' {
		name, end = directive(source, line, end)
	} else {
		name = Include(line)
	}
	if name == "" {
		return nil
	}
	return blockOf(&WikiLink{Target: name, Embed: true}, start, end)
}

// directive reads the fence ```{include} page.md, and finds its end.
func directive(source, line []byte, from int) (name string, end int) {
	ticks := countByte(line, '`')
	head, rest, ok := strings.Cut(strings.TrimSpace(string(line[ticks:])), "}")
	if ticks < 3 || !ok || head != "{include" && head != "{literalinclude" {
		return "", 0
	}
	ahead := source[from:min(len(source), from+maxTag)]
	closer := bytes.Index(append([]byte("\n"), ahead...), append([]byte("\n"), line[:ticks]...))
	if name = strings.TrimSpace(rest); closer < 0 || strings.ContainsAny(name, "\x00\"<>|{}*") {
		return "", 0
	}
	end = from + closer
	if i := bytes.IndexByte(source[end:], '\n'); i >= 0 {
		return name, end + i + 1
	}
	return name, len(source)
}

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
