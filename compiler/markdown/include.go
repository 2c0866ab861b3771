package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

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
