package article

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// writeDirective writes a block of MyST that holds no text to read as Markdown: code, a picture,
// a formula, a table of contents. Others are code with their name; false for a block that
// is not a directive.
func writeDirective(r *renderer, n *ast.FencedCodeBlock, code []byte) bool {
	if n.Info == nil {
		return false
	}
	info := strings.TrimSpace(string(n.Info.Segment.Value(r.doc.Text)))
	name, argument, ok := strings.Cut(strings.TrimPrefix(info, "{"), "}")
	if !ok || info[0] != '{' || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:_") != "" {
		return false
	}
	argument = strings.TrimSpace(argument)
	options, body := directiveOptions(code)
	switch name {
	case "code-block", "code", "code-cell", "sourcecode", "parsed-literal":
		writeTitledCode(r, fenceInfo{language: argument, title: options["caption"]}, body)
	case "math":
		writeFormula(r, append([]byte(argument), body...))
	case "mermaid", "plantuml", "dot", "graphviz":
		return false
	case "image", "figure":
		r.Raw("<figure>")
		writePicture(r, picture{dest: cleanDest([]byte(argument)), alt: options["alt"], offset: n.Pos()})
		if caption := strings.TrimSpace(string(body)); caption != "" {
			r.textElement("figcaption", caption)
		}
		r.Raw("</figure>\n")
	case "glossary":
		writeGlossary(r, body)
	case "toctree":
		writeContentsTree(r, n, body)
	default:
		if name == "eval-rst" || strings.Contains(name, "python") {
			return false
		}
		writeTitledCode(r, fenceInfo{title: strings.TrimSpace(name + " " + argument)}, body)
	}
	return true
}

// directiveOptions takes the options off the head of a directive.
func directiveOptions(code []byte) (options map[string]string, body []byte) {
	options = map[string]string{}
	for line := range bytes.Lines(code) {
		if !markdown.IsOption(line) {
			break
		}
		key, value, _ := strings.Cut(strings.TrimSpace(string(line))[1:], ":")
		options[key] = strings.TrimSpace(value)
		code = code[len(line):]
	}
	if len(options) > 0 {
		code = bytes.TrimLeft(code, "\n")
	}
	return options, code
}

// writeGlossary writes terms with their definitions, which are the lines that are indented.
func writeGlossary(r *renderer, body []byte) {
	r.Raw("<dl>\n")
	defined := true // the last line
	for line := range bytes.Lines(body) {
		text := bytes.TrimSpace(line)
		switch indented := line[0] == ' ' || line[0] == '\t'; {
		case len(text) == 0:
			continue
		case !indented:
			r.Raw("<dt>")
			defined = false
		case !defined:
			r.Raw("<dd>")
			defined = true
		}
		r.Literal(text)
		r.Raw("\n")
	}
	r.Raw("</dl>\n")
}

// writeContentsTree writes the pages that a table of contents names as links: "page", or
// "Title <page>".
func writeContentsTree(r *renderer, n ast.Node, body []byte) {
	r.Raw("<ul>\n")
	for line := range strings.Lines(string(body)) {
		link := &markdown.WikiLink{Target: strings.TrimSpace(line)}
		if title, rest, ok := strings.Cut(link.Target, "<"); ok {
			link.Target, link.Label = strings.TrimSuffix(rest, ">"), strings.TrimSpace(title)
		}
		if link.Target == "" || strings.ContainsAny(link.Target, "*") {
			continue
		}
		r.Raw("<li>")
		writeWikiLink(r, link, n.Pos())
		r.Raw("\n")
	}
	r.Raw("</ul>\n")
}

// writeWikiLink writes a link to a page by its name that is at an offset.
func writeWikiLink(r *renderer, n *markdown.WikiLink, offset int) {
	line, column := r.doc.Position(max(offset, 0))
	noteWiki(r, n)
	writeWikiText(r, n, line, column)
}

// roleBefore is the role of MyST that a text ends in, when code follows it: {ref}`x`.
func roleBefore(run []byte, next ast.Node) (name string, rest []byte) {
	if next == nil || next.Kind() != ast.KindCodeSpan || len(run) < 3 || run[len(run)-1] != '}' {
		return "", run
	}
	open := bytes.LastIndexByte(run, '{')
	if open < 0 || len(run)-open < 3 {
		return "", run
	}
	name = string(run[open+1 : len(run)-1])
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:") != "" || open > 0 && run[open-1] == '$' {
		return "", run
	}
	return name, run[:open]
}

// writeRole writes code that a role says something about; false for roles whose text is
// code.
func writeRole(r *renderer, role string, n *ast.CodeSpan) bool {
	text := r.doc.PlainText(n)
	shown, target, labelled := strings.Cut(text, "<")
	target = strings.TrimSuffix(target, ">")
	if !labelled {
		target = text
	}
	shown = strings.TrimSpace(shown)
	switch role {
	case "doc":
		if r.inLink {
			r.Literal([]byte(shown))
			return true
		}
		link := &markdown.WikiLink{Target: target}
		if labelled {
			link.Label = shown
		}
		writeWikiLink(r, link, n.Pos())
	case "ref", "numref", "term", "any", "eq", "cite", "cite:p", "cite:t", "abbr", "download", "guilabel", "menuselection", "index":
		r.Literal([]byte(shown))
	case "math":
		writeInlineFormula(r, []byte(text), false)
	case "kbd", "sub", "sup", "subscript", "superscript":
		r.textElement(role[:3], text)
	default:
		return false
	}
	return true
}
