package repo

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// PackReport sums up what became of one pack, for the envelope of a command.
type PackReport struct {
	Pack            string             `json:"pack"`
	Dir             string             `json:"dir"`
	Profile         string             `json:"profile,omitempty"`
	PackStatus      schema.Status      `json:"pack_status,omitempty"` // from KNOWLEDGE.md
	Status          schema.Status      `json:"status"`                // of the run
	SuggestedStatus schema.Status      `json:"suggested_status,omitempty"`
	Run             string             `json:"run,omitempty"` // path of the run record; "" when nothing changed
	Views           int                `json:"views"`
	Splits          int                `json:"splits"`
	Claims          int                `json:"claims"`
	Tokens          int                `json:"tokens"`
	Errors          int                `json:"errors"`
	Warnings        int                `json:"warnings"`
	Outputs         []schema.RunOutput `json:"outputs,omitempty"`
}

// Summary sums up the pack. The caller adds Outputs.
func (m *Member) Summary() PackReport {
	findings := m.Findings()
	p := PackReport{
		Pack: m.Name(), Dir: m.Dir, Status: schema.Failed,
		Errors: diag.Count(findings, diag.Error), Warnings: diag.Count(findings, diag.Warning),
	}
	if m.Pack != nil {
		p.PackStatus = m.Pack.Meta.Status
		p.Profile = m.Pack.Meta.EffectiveProfile()
	}
	if m.Result != nil {
		p.Status = m.Result.Run.Status
		p.SuggestedStatus = m.Result.SuggestedStatus
		p.Run = m.Result.RunPath
		made := m.Result.Counts
		p.Views, p.Splits, p.Claims, p.Tokens = made.Views, made.Splits, made.Claims, made.Tokens
	}
	return p
}
