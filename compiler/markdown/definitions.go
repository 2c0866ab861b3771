package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Definition says what a label in brackets refers to: [label]: address, or the
// footnote [^label]: text.
type Definition struct {
	Label      string // as LabelOf gives it
	Start, End int    // offsets of its first character and of what follows it, line ends at its end left out
}

// LabelOf returns a label as definitions have it: without regard to case and white
// space. That of a footnote begins with ^.
func LabelOf(written []byte) string { return util.ToLinkReference(written) }

// Definitions lists the definitions of a document in order, each label once: of two
// definitions of one label the first counts.
func (d *Document) Definitions() []Definition {
	var list []Definition
	seen := map[string]bool{}
	add := func(label string, start, end int) {
		for end > start && (d.Text[end-1] == '\n' || d.Text[end-1] == ' ' || d.Text[end-1] == '\t') {
			end--
		}
		if !seen[label] && start >= 0 && start < end {
			seen[label] = true
			list = append(list, Definition{label, start, end})
		}
	}
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.LinkReferenceDefinition:
			if lines := n.Lines(); entering && lines.Len() > 0 {
				add(LabelOf(n.Label), lines.At(0).Start, lines.At(lines.Len()-1).Stop)
			}
		case *east.Footnote:
			if entering {
				add("^"+LabelOf(n.Ref), n.Pos(), nextPos(n, len(d.Text)))
			}
		}
		if n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return list
}

// nextPos returns the offset at which what follows a block begins; last, when nothing does.
func nextPos(n ast.Node, last int) int {
	for ; n != nil; n = n.Parent() {
		if next := n.NextSibling(); next != nil && next.Pos() >= 0 {
			return next.Pos()
		}
	}
	return last
}
