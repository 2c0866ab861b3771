package compiler

import (
	"github.com/packgen/packgen/compiler/diag"
)

// decide lets the policy of the repository change what a result reports. What was
// found is kept beside it: outputs follow from that.
func (c *compilation) decide(r *Result) {
	r.Found = r.Diagnostics
	if r.Diagnostics, r.Changed = c.opt.Policy.Apply(r.Found); len(r.Changed) > 0 {
		diag.Sort(r.Diagnostics)
	}
}

// forRecord returns what a run record holds of the findings, with the severity that
// the policy of the repository gives them. Whether a finding belongs into a record
// follows from how it was found.
func (c *compilation) forRecord(found []diag.Diagnostic) []diag.Diagnostic {
	var list []diag.Diagnostic
	for i := range found {
		kept, _ := c.opt.Policy.Apply(found[i : i+1])
		if len(kept) > 0 && (recorded(found[i]) || kept[0].Severity == diag.Error) {
			list = append(list, kept[0])
		}
	}
	diag.Sort(list)
	return list
}
