package site

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// printPage is the page that shows a pack as one document.
const printPage = "print.html"

// maxPrinted is how many pages one document has; a larger pack is printed in parts.
const maxPrinted = 200

// addPrint plans the documents of a pack: lists of its pages in the author's order, whose
// texts the script puts in when the page is opened. Written out they would be made again
// with every edit.
func (b *build) addPrint(w *making) {
	parts := max(1, (len(w.ps.Reading)+maxPrinted-1)/maxPrinted)
	for part := 1; part <= parts; part++ {
		w.plan(w.ps.Dir+numbered("print", part), func(out string) (templates.View, error) {
			return printView(w.pages, out, part, parts), nil
		})
	}
}

// printView is a part of the pack as one document.
func printView(p *pageMaker, out string, part, parts int) templates.Print {
	reading := p.ps.Reading
	v := templates.Print{
		Frame: p.frame(out, "To print · "+p.ps.Name, ""),
		Pack:  p.home(out), Description: p.ps.Pack.Meta.Description, Pages: len(reading),
		Pager: pagerOf("print", part, parts),
	}
	for _, n := range reading[(part-1)*maxPrinted : min(len(reading), part*maxPrinted)] {
		v.Rows = append(v.Rows, templates.Link{URL: model.Relative(out, n.Out), Text: diag.OneLine(n.Name(), 200)})
	}
	return v
}
