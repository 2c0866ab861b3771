package check

import (
	"path"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// Outcome is what a check of a repository came to.
type Outcome struct {
	Findings []diag.Diagnostic // sorted, each once
	Dirs     map[string]string // of packs by name
	Packs    []CheckedPack
	Fixes    []FixedFile
}

// CheckedPack is what the envelope says about one pack.
type CheckedPack struct {
	Pack            string             `json:"pack"`
	Dir             string             `json:"dir"`
	Status          schema.Status      `json:"status"` // of the compile in memory
	PackStatus      schema.Status      `json:"pack_status,omitempty"`
	SuggestedStatus schema.Status      `json:"suggested_status,omitempty"`
	Errors          int                `json:"errors"`
	Warnings        int                `json:"warnings"`
	Suppressed      int                `json:"suppressed"`
	Dimensions      *schema.Dimensions `json:"dimensions,omitempty"`
}

// FixedFile is a file that was fixed, or was not for a reason.
type FixedFile struct {
	Path string   `json:"path"` // relative to the repository root
	What []string `json:"what"`
	Kept string   `json:"kept,omitempty"`
}

// OutcomeOf gathers what was found.
func OutcomeOf(c *Repository) Outcome {
	r := Outcome{Dirs: c.All.Dirs(), Findings: slices.Clone(c.Faults)}
	for _, m := range c.Chosen.Members {
		list := m.Findings()
		p := CheckedPack{Pack: m.Name(), Dir: m.Dir, Status: schema.Failed}
		if m.Pack != nil {
			p.PackStatus = m.Pack.Meta.Status
		}
		if result := c.Checked[m]; result != nil {
			list = result.Diagnostics
			p.Status, p.SuggestedStatus = result.Compiled.Run.Status, result.SuggestedStatus
			p.Suppressed, p.Dimensions = len(result.Suppressed), dimensionsOf(result.Health)
		}
		list = slices.Clone(list)
		for i := range list {
			list[i].Pack = m.Name()
		}
		r.Findings = append(r.Findings, list...)
		about := slices.DeleteFunc(slices.Clone(c.Faults), func(d diag.Diagnostic) bool { return d.Pack != m.Name() })
		p.Errors = diag.Count(list, diag.Error) + diag.Count(about, diag.Error)
		p.Warnings = diag.Count(list, diag.Warning) + diag.Count(about, diag.Warning)
		r.Packs = append(r.Packs, p)
		for _, f := range c.Fixed[m] {
			r.Fixes = append(r.Fixes, FixedFile{path.Join(m.Dir, f.Path), f.What, f.Kept})
		}
	}
	diag.Sort(r.Findings)
	r.Findings = slices.Compact(r.Findings)
	return r
}
