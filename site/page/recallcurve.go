package page

import (
	"fmt"

	"github.com/packgen/packgen/templates"
)

// Retrieval is what the context resolver finds in a pack for the queries that
// its authors wrote, evals/context.yaml, at several budgets.
type Retrieval struct {
	Queries int
	Curve   []RecallAt // budgets ascending
}

// RecallAt is one budget of a curve.
type RecallAt struct {
	Budget    int     // tokens
	Recall    float64 // mean share of the required sections that are selected, 0 to 1
	Precision float64 // share of the sections selected for a query that it requires, 0 to 1
}

// The drawing of a curve, in units of its view box. Budgets are side by side
// at equal distances: each is about twice the one before.
const (
	curveStep   = 100 // from one budget to the next
	curveHeight = 120 // of a recall of 1
	curveTop    = 24  // room above it for a figure
	curveFoot   = 28  // room below for the budgets
)

// curve draws recall against budget.
func curve(r Retrieval) templates.Curve {
	c := templates.Curve{
		Queries: r.Queries, Width: curveStep * len(r.Curve), Height: curveTop + curveHeight + curveFoot,
		Base: curveTop + curveHeight, Foot: curveTop + curveHeight + curveFoot - 8,
	}
	for i, at := range r.Curve {
		recall, precision := clamp(at.Recall), clamp(at.Precision)
		x, y := curveStep*i+curveStep/2, curveTop+curveHeight-int(recall*curveHeight+0.5)
		if i > 0 {
			c.Line += " "
		}
		c.Line += fmt.Sprintf("%d,%d", x, y)
		c.Points = append(c.Points, templates.CurvePoint{
			X: x, Y: y, Above: y - 9, Budget: at.Budget,
			Recall: fmt.Sprintf("%.2f", recall), Precision: fmt.Sprintf("%.2f", precision),
		})
	}
	return c
}

// clamp keeps a share within the drawing; NaN counts as nothing.
func clamp(share float64) float64 {
	if !(share > 0) {
		return 0
	}
	return min(share, 1)
}
