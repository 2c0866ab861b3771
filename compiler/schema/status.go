package schema

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
)

// Status is what a record, a pack, a file or a claim says of how far it can be relied on.
type Status string

// The statuses of packs and files (agent-knowledge section 3.2) are Draft, Ready,
// NeedsReview, Stale, Disputed and Archived; those of claims (section 3.5) are Confirmed,
// Inferred, Disputed, Stale, Missing and SourceRequired; those of runs and views (section
// 6.11) are Passed, NeedsReview, Stale, Disputed and Failed.
const (
	Draft          Status = "draft"
	Ready          Status = "ready"
	Confirmed      Status = "confirmed"
	Inferred       Status = "inferred"
	Missing        Status = "missing"
	SourceRequired Status = "source-required"
	Passed         Status = "passed"
	NeedsReview    Status = "needs-review"
	Stale          Status = "stale"
	Disputed       Status = "disputed"
	Archived       Status = "archived"
	Failed         Status = "failed"
)

// PackStatuses returns the statuses that a pack or a file declares.
func PackStatuses() []Status {
	return []Status{Draft, Ready, NeedsReview, Stale, Disputed, Archived}
}

// ClaimStatuses returns the statuses of claims.
func ClaimStatuses() []Status {
	return []Status{Confirmed, Inferred, Disputed, Stale, Missing, SourceRequired}
}

// RunStatuses returns the statuses of runs and views, from best to worst.
func RunStatuses() []Status { return []Status{Passed, NeedsReview, Stale, Disputed, Failed} }

// ClosestStatus returns the one of some statuses that somebody has probably meant, or "".
func ClosestStatus(written string, among []Status) Status {
	return Status(nearest.Name(strings.ToLower(written), Words(among)))
}

// Words returns some statuses as they are written.
func Words(list []Status) []string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return words
}

// Doubt returns the status when it is Stale or Disputed, otherwise "".
func (s Status) Doubt() Status {
	if s == Stale || s == Disputed {
		return s
	}
	return ""
}

// Rank returns the place of a status of runs among them, from best to worst; -1 for another one.
func (s Status) Rank() int { return slices.Index(RunStatuses(), s) }

// Worse returns the worse of two statuses of runs; of another status and one of runs, that
// of runs.
func Worse(a, b Status) Status {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
