package build

import (
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// IndexReport is what the envelope says about the loadout index.
type IndexReport struct {
	Entries      int     `json:"entries"`
	AlwaysLoaded float64 `json:"always_loaded_est"`
	OnDemand     float64 `json:"on_demand_total_est"`
}

// ReportPage is what a page shows of a report.
func ReportPage(r *usage.Report) *site.Report {
	p := &site.Report{
		Events: r.Events, Skipped: r.Skipped, Entries: r.Entries, Estimated: r.Estimated, Observed: r.Breadth.ObservedAvg,
		Loads: r.Usage, Dead: r.Dead, Overlaps: r.Overlaps, Misses: r.Misses,
	}
	for i, n := range r.Scores {
		if n > 0 {
			p.Scores = append(p.Scores, site.ReportScore{Label: usage.ScoreLabel(i), Count: n})
		}
	}
	for _, w := range r.Words {
		p.Words = append(p.Words, site.ReportWord{Word: w.Word, Prompts: w.Prompts, Entry: w.Near})
	}
	return p
}

// rolesOf are the roles as the site takes them.
func rolesOf(list []repo.Role) []site.Role {
	out := make([]site.Role, len(list))
	for i, r := range list {
		out[i] = site.Role(r)
	}
	return out
}
