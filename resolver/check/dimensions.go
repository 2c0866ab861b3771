package check

import (
	"fmt"

	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
)

// dimensionsOf puts the health of a pack into the form of its record.
func dimensionsOf(health []lint.Dimension) *schema.Dimensions {
	out := &schema.Dimensions{}
	for _, d := range health {
		record := &schema.Dimension{Score: d.Score, Checked: d.Checked, Failed: d.Failed}
		switch d.Name {
		case "consistency":
			out.Consistency = record
		case "completeness":
			out.Completeness = record
		case "coverage":
			out.Coverage = record
		case "islands":
			out.Islands = record
		case "freshness":
			out.Freshness = record
		case "traceability":
			out.Traceability = record
		case "security":
			out.Security = record
		}
	}
	return out
}

// WorstDimension names the lowest score of a pack's health.
func WorstDimension(d *schema.Dimensions) string {
	if d == nil {
		return "-"
	}
	name, score := "", 2.0
	for _, each := range []struct {
		name string
		d    *schema.Dimension
	}{
		{"consistency", d.Consistency}, {"completeness", d.Completeness}, {"coverage", d.Coverage}, {"islands", d.Islands},
		{"freshness", d.Freshness}, {"traceability", d.Traceability}, {"security", d.Security},
	} {
		if each.d != nil && each.d.Score < score {
			name, score = each.name, each.d.Score
		}
	}
	if score >= 1 {
		return "1"
	}
	return fmt.Sprintf("%s %.2f", name, score)
}
