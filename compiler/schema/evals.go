package schema

import (
	"fmt"
	"slices"
)

// What a selection eval expects of a prompt, and what came of it (agent-knowledge
// section 11.1).
const (
	Select = "select" // the pack is selected
	Reject = "reject" // it is not
	Warn   = "warn"   // it is selected, and at least one warning is raised
)

// Suite is evals/discovery.train.json or evals/discovery.validation.json
// (section 11.1).
type Suite struct {
	PackName string      `json:"pack_name" check:"required,nonempty"`
	Cases    []SuiteCase `json:"cases" check:"required,nonempty"`
}

// SuiteCase is one prompt with what it should do.
type SuiteCase struct {
	ID               string   `json:"id" check:"required,nonempty"`
	Prompt           string   `json:"prompt" check:"required,nonempty"`
	Expected         string   `json:"expected" check:"required" enum:"select|reject|warn"`
	Reason           string   `json:"reason,omitempty"`
	ExpectedWarnings []string `json:"expected_warnings,omitempty"`
}

// oldSuite is evals/discovery.json as an older release of the standard has it.
type oldSuite struct {
	PackName string     `json:"pack_name" check:"required,nonempty"`
	Queries  []oldQuery `json:"queries" check:"required,nonempty"`
}

type oldQuery struct {
	Query        string `json:"query" check:"required,nonempty"`
	ShouldSelect bool   `json:"should_select" check:"required"`
}

// DecodeSuite reads a selection eval suite (section 11.1), a closed object. The
// older shape with queries is mapped: its cases are named q1, q2 and so on.
// Faults are a *DecodeError.
func DecodeSuite(data []byte) (*Suite, error) {
	if !slices.Contains(topMembers(data), "queries") {
		return decode[Suite](data)
	}
	old, err := decode[oldSuite](data)
	if err != nil {
		return nil, err
	}
	s := &Suite{PackName: old.PackName}
	for i, q := range old.Queries {
		c := SuiteCase{ID: fmt.Sprintf("q%d", i+1), Prompt: q.Query, Expected: Reject}
		if q.ShouldSelect {
			c.Expected = Select
		}
		s.Cases = append(s.Cases, c)
	}
	return s, nil
}

// EvalRun is runs/eval-discovery-<timestamp>.json (section 11.2).
type EvalRun struct {
	Suite    string       `json:"suite"` // path of the suite, relative to the pack root
	PackName string       `json:"pack_name" check:"required,nonempty"`
	Results  []EvalResult `json:"results" check:"required"`
	Summary  EvalSummary  `json:"summary" check:"required"`

	// Read from an older form, never written.
	DescriptionHash string  `json:"description_hash,omitempty"`
	RunsPerQuery    int     `json:"runs_per_query,omitempty"`
	Threshold       float64 `json:"threshold,omitempty"`
}

// EvalResult is what came of one case.
type EvalResult struct {
	ID       string `json:"id" check:"required,nonempty"`
	Expected string `json:"expected" check:"required" enum:"select|reject|warn"`
	Actual   string `json:"actual" check:"required" enum:"select|reject|warn"`
	Passed   bool   `json:"passed" check:"required"`
}

// EvalSummary counts the results of a suite (sections 11.2 and 11.3). A ratio of
// nothing is nil and written as null.
type EvalSummary struct {
	Passed          int      `json:"passed" min:"0"`
	Failed          int      `json:"failed" min:"0"`
	Total           int      `json:"total" min:"0"`
	PassRate        *float64 `json:"pass_rate" check:"null" min:"0" max:"1"`
	Precision       *float64 `json:"precision" check:"null" min:"0" max:"1"`
	Recall          *float64 `json:"recall" check:"null" min:"0" max:"1"`
	FalsePositives  int      `json:"false_positives" min:"0"`
	FalseNegatives  int      `json:"false_negatives" min:"0"`
	WarningAccuracy *float64 `json:"warning_accuracy" check:"null" min:"0" max:"1"`

	// Read from an older form, never written.
	TruePositive  int `json:"true_positive,omitempty" min:"0"`
	FalseNegative int `json:"false_negative,omitempty" min:"0"`
	TrueNegative  int `json:"true_negative,omitempty" min:"0"`
	FalsePositive int `json:"false_positive,omitempty" min:"0"`
}

// decodeEvalRun reads the record of a selection eval (section 11.2), a closed
// object. Faults are a *DecodeError.
func decodeEvalRun(data []byte) (*EvalRun, error) { return decode[EvalRun](data) }
