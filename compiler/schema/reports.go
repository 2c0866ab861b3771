package schema

import "github.com/packgen/packgen/compiler/diag"

// lint is runs/lint-<date>.json: the envelope of a command that checks (sections
// 15 and 17.2). Commands add keys of their own, so the record is open.
type lint struct {
	OK       bool           `json:"ok" check:"required"` // no finding of severity error
	Status   Status         `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Command  string         `json:"command" check:"required,nonempty"`
	Pack     string         `json:"pack,omitempty"`
	Findings []diag.Finding `json:"findings" check:"required"`

	_ struct{} `check:"open"` // commands add keys of their own
}

// health is runs/health-<date>.json: the envelope and a score for each dimension
// (section 16). It is open, as every envelope is.
type health struct {
	OK         bool           `json:"ok" check:"required"`
	Status     Status         `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Command    string         `json:"command" check:"required,nonempty"`
	Pack       string         `json:"pack,omitempty"`
	Findings   []diag.Finding `json:"findings" check:"required"`
	Dimensions Dimensions     `json:"dimensions" check:"required"`

	_ struct{} `check:"open"` // commands add keys of their own
}

// Dimensions are the scores of a pack's health, in the order of section 16. One
// that was not measured is absent.
type Dimensions struct {
	Consistency  *Dimension `json:"consistency,omitempty"`
	Completeness *Dimension `json:"completeness,omitempty"`
	Coverage     *Dimension `json:"coverage,omitempty"`
	Islands      *Dimension `json:"islands,omitempty"`
	Freshness    *Dimension `json:"freshness,omitempty"`
	Traceability *Dimension `json:"traceability,omitempty"`
	Security     *Dimension `json:"security,omitempty"`
}

// Dimension is one score: the share of what was checked that did not fail.
type Dimension struct {
	Score   float64 `json:"score" check:"required" min:"0" max:"1"`
	Checked int     `json:"checked" check:"required" min:"0"`
	Failed  int     `json:"failed" check:"required" min:"0"`
}

// decodeLint reads a lint report. Faults are a *DecodeError.
func decodeLint(data []byte) (*lint, error) { return decode[lint](data) }

// decodeHealth reads a health report. Faults are a *DecodeError.
func decodeHealth(data []byte) (*health, error) { return decode[health](data) }
