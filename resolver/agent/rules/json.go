package rules

import "github.com/packgen/packgen/resolver/loadout"

// Outcome is what a check found, as JSON in the original's shape (loadout section
// 20.8).
type Outcome struct {
	Valid    bool    `json:"valid"`
	Errors   int     `json:"errors"`
	Warnings int     `json:"warnings"`
	Issues   []Issue `json:"issues"`
}

// NewOutcome counts issues. Path makes the path of a file from what an issue says.
func NewOutcome(issues []Issue, path func(string) string) *Outcome {
	o := &Outcome{Issues: make([]Issue, len(issues))}
	for n, i := range issues {
		if i.File != "" {
			i.File = path(i.File)
		}
		if i.Severity == loadout.SeverityError {
			o.Errors++
		} else {
			o.Warnings++
		}
		o.Issues[n] = i
	}
	o.Valid = o.Errors == 0
	return o
}
