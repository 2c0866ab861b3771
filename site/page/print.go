package page

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// printPage is the page that shows a pack as one document.
const printPage = "print.html"

// PagesInPrint is how many pages one document has; a larger pack is printed in parts.
const PagesInPrint = 200

// Print is a part of the pack as one document.
func Print(p *Pages, out string, part, parts int) templates.Print {
	reading := p.Model.Reading
	v := templates.Print{
		Frame: p.frame(out, "To print · "+p.Model.Name, ""),
		Pack:  p.home(out), Description: p.Model.Pack.Meta.Description, Pages: len(reading),
		Pager: pagerOf("print", part, parts),
	}
	for _, n := range reading[(part-1)*PagesInPrint : min(len(reading), part*PagesInPrint)] {
		v.Rows = append(v.Rows, templates.Link{URL: model.Relative(out, n.Out), Text: diag.OneLine(n.Name(), 200)})
	}
	return v
}
