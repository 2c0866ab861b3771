package article

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/markdown"
)

// isNumbered reports an ordered list.
func isNumbered(n ast.Node) bool {
	list, ok := n.(*ast.List)
	return ok && list.IsOrdered()
}

// withoutMarks writes the annotations of MkDocs in code, which the list after it
// explains, as the numbers they are: "# (1)!" without the signs of a comment.
func withoutMarks(code []byte) []byte {
	var out []byte
	for line := range bytes.Lines(code) {
		text := bytes.TrimRight(line, " \t\r\n")
		text = bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("-->")), []byte("*/")), []byte(" "))
		marks := text
		for bytes.HasSuffix(marks, []byte(")!")) {
			open := bytes.LastIndexByte(marks, '(')
			if open < 0 || len(bytes.Trim(marks[open+1:len(marks)-2], "0123456789")) > 0 || len(marks)-open < 4 {
				break
			}
			marks = bytes.TrimRight(marks[:open], " ")
		}
		if len(marks) == len(text) {
			out = append(out, line...)
			continue
		}
		before := bytes.TrimRight(marks, "#/-*<!;% ")
		out = append(out, before...)
		if len(before) > 0 {
			out = append(out, ' ')
		}
		out = append(out, bytes.ReplaceAll(bytes.TrimSpace(text[len(marks):]), []byte(")!"), []byte(")"))...)
		out = append(out, '\n')
	}
	return out
}

// writeIncluded writes a code block that is nothing but a file to include as a link to it.
func writeIncluded(r *renderer, n ast.Node, code []byte) bool {
	name := ""
	if code = bytes.TrimSpace(code); bytes.IndexByte(code, '\n') < 0 {
		name = markdown.Include(code)
	}
	if name == "" || r.inLink {
		return false
	}
	r.Raw("<p>")
	writeWikiLink(r, &markdown.WikiLink{Target: name}, n.Pos())
	r.Raw("\n")
	return true
}
