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

// SplitRecord is what a split did, as JSON.
type SplitRecord struct {
	DryRun bool         `json:"dry_run"`
	File   string       `json:"file,omitempty"`
	Index  string       `json:"index,omitempty"`
	Backup string       `json:"backup,omitempty"`
	Moved  []RuleRecord `json:"moved"`
	Copied []RuleRecord `json:"copied"`
	Before int          `json:"tokens_before"`
	After  int          `json:"tokens_after"`
}

// RuleRecord is a section that was moved or copied.
type RuleRecord struct {
	Heading string `json:"heading"`
	ID      string `json:"id"`
	Path    string `json:"path"`
}

// NewSplitRecord records a split.
func NewSplitRecord(out *Output, accepted, copied []Proposal, dryRun bool, backup string) SplitRecord {
	list := func(proposals []Proposal) []RuleRecord {
		list := []RuleRecord{}
		for _, p := range proposals {
			list = append(list, RuleRecord{p.Section.Heading, p.ID, p.Path})
		}
		return list
	}
	return SplitRecord{dryRun, out.Main.Path, out.Index.Path, backup, list(accepted), list(copied), out.Before, out.After}
}

// ReindexRecord is what a new index changed, as JSON.
type ReindexRecord struct {
	DryRun  bool     `json:"dry_run"`
	Index   string   `json:"index"`
	Entries int      `json:"entries"`
	File    string   `json:"file,omitempty"` // the instruction file, if its table changes
	Changes []Change `json:"changes"`
}

// Record records a new index.
func (r *Reindexed) Record(dryRun bool) ReindexRecord {
	return ReindexRecord{dryRun, r.Index.Path, r.Entries, r.Main.Path, append([]Change{}, r.Changes...)}
}

// State says what became of the index.
func (r *Reindexed) State(dryRun, refused bool) string {
	changes := len(r.Changes) > 0 || r.Main.Path != ""
	switch {
	case refused:
		return "nothing written"
	case dryRun && changes:
		return "not written (dry run)"
	case changes:
		return "written"
	}
	return "as it was"
}
