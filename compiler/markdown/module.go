package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxPreamble is how many lines of a page are looked at for what it imports.
const maxPreamble = 60

// importsComponents reports a page that imports components at its beginning, as those of
// Docusaurus do, which are MDX whatever their ending.
func importsComponents(body []byte) bool {
	fence, n := false, 0
	for line := range bytes.Lines(body) {
		if n++; n > maxPreamble {
			break
		}
		if bytes.HasPrefix(line, []byte("```")) || bytes.HasPrefix(line, []byte("~~~")) {
			fence = !fence
		}
		if fence || !bytes.HasPrefix(line, []byte("import ")) {
			continue
		}
		name, from, ok := bytes.Cut(line[len("import "):], []byte(" from "))
		from = bytes.TrimRight(bytes.TrimSpace(from), ";")
		name = bytes.TrimSpace(name)
		if ok && len(from) > 2 && (from[0] == '"' || from[0] == '\'') && from[len(from)-1] == from[0] &&
			len(name) > 0 && (name[0] == '{' || name[0] == '*' || bytes.IndexByte(name, ' ') < 0) {
			return true
		}
	}
	return false
}

// moduleWords begin such lines.
var moduleWords = [][]byte{
	[]byte("export const "), []byte("export let "), []byte("export default "), []byte("export function "), []byte("export async "), []byte("export {"), []byte("export * "),
}

// openModule reads the lines of a page of MDX that import or export: they are for the
// program that makes a site of it, and not shown.
func openModule(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	if !stateOf(pc).mdx || parent.Kind() != ast.KindDocument || pc.BlockIndent() > 0 {
		return nil, parser.NoChildren
	}
	known := bytes.HasPrefix(line, []byte("import ")) && isImport(line)
	for _, word := range moduleWords {
		known = known || bytes.HasPrefix(line, word)
	}
	if !known {
		return nil, parser.NoChildren
	}
	skipLine(reader)
	return &tagBlock{end: moduleEnd(reader.Source(), segment.Start)}, parser.NoChildren
}

// isImport reports a line that imports, or begins to.
func isImport(line []byte) bool {
	rest := bytes.TrimSpace(line[len("import "):])
	return bytes.HasSuffix(rest, []byte("{")) || bytes.ContainsAny(rest, "\"'") && !bytes.HasSuffix(rest, []byte("."))
}

// moduleEnd returns where the code that starts at an offset ends: at the first blank line
// outside of its brackets.
func moduleEnd(source []byte, at int) int {
	depth := 0
	limit := min(len(source), at+maxComponent)
	for from := at; from < limit; {
		end := limit
		if i := bytes.IndexByte(source[from:limit], '\n'); i >= 0 {
			end = from + i + 1
		}
		line := source[from:end]
		if depth <= 0 && util.IsBlank(line) {
			return from
		}
		quote := byte(0)
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case c == '\\':
				i++
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '`':
				quote = c
			case c == '(' || c == '[' || c == '{':
				depth++
			case c == ')' || c == ']' || c == '}':
				depth--
			}
		}
		from = end
	}
	if depth > 0 { // it does not end: the paragraph alone
		if i := bytes.Index(source[at:limit], []byte("\n\n")); i >= 0 {
			return at + i + 1
		}
	}
	return limit
}
