package page

import (
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// GraphName is the page of a pack that shows how its pages link to each other.
const GraphName = "graph.html"

// graphListed is how many pages the page of the graph lists.
const graphListed = 100

// Graph is the page of the graph. Without script it lists the pages that most others
// link to.
func Graph(p *Pages, out string) templates.Graph {
	v := templates.Graph{
		Frame: p.frame(out, "Graph · "+p.Model.Name, "How the pages of "+p.Model.Name+" link to each other"),
		Pack:  p.home(out), Pages: len(p.Model.Nodes),
	}
	linked := slices.Clone(p.Model.Nodes)
	slices.SortStableFunc(linked, func(a, b *model.Node) int { return len(b.Back) - len(a.Back) })
	for _, n := range linked[:min(len(linked), graphListed)] {
		if len(n.Back) > 0 {
			v.Rows = append(v.Rows, templates.GraphRow{URL: model.Relative(out, n.Out), Title: diag.OneLine(n.Name(), 120), From: len(n.Back), To: len(n.Links)})
		}
	}
	for _, n := range p.Model.Nodes {
		v.Links += len(n.Links)
	}
	return v
}
