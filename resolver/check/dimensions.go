package check

import (
	"fmt"

	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
)

// namedDimension is a dimension of a record, where it is kept.
type namedDimension struct {
	name string
	at   **schema.Dimension
}

func dimensionsIn(d *schema.Dimensions) []namedDimension {
	return []namedDimension{
		{"consistency", &d.Consistency}, {"completeness", &d.Completeness}, {"coverage", &d.Coverage}, {"islands", &d.Islands},
		{"freshness", &d.Freshness}, {"traceability", &d.Traceability}, {"security", &d.Security},
	}
}

// dimensionsOf puts the health of a pack into the form of its record.
func dimensionsOf(health []lint.Dimension) *schema.Dimensions {
	out := &schema.Dimensions{}
	for _, each := range dimensionsIn(out) {
		for _, d := range health {
			if d.Name == each.name {
				*each.at = &schema.Dimension{Score: d.Score, Checked: d.Checked, Failed: d.Failed}
			}
		}
	}
	return out
}

// WorstDimension names the lowest score of a pack's health.
func WorstDimension(d *schema.Dimensions) string {
	if d == nil {
		return "-"
	}
	name, score := "", 1.0
	for _, each := range dimensionsIn(d) {
		if at := *each.at; at != nil && at.Score < score {
			name, score = each.name, at.Score
		}
	}
	if name == "" {
		return "1"
	}
	return fmt.Sprintf("%s %.2f", name, score)
}
