package compiler

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/pack"
)

// reportUndecodable reports a file that is not text, at the byte that says so.
func (f *file) reportUndecodable(data []byte) {
	d := f.report(gateEncodingInvalid, "")
	d.Line, d.Column, d.Message = frontmatter.Undecodable(data)
}

// CostsFile reports an error that keeps one file of a pack, or a part of it, from being
// used: the file is left out, and the rest of the pack is as sound as without it. Any
// other error is about the pack as a whole.
func CostsFile(d diag.Diagnostic) bool {
	if d.Severity != diag.Error || d.Path == entryFile || pack.BlocksOutputs(d) {
		return false
	}
	switch d.ID {
	case gateSecretSuspect, gateEncodingInvalid, gateMetadataInvalid, gatePathCollision, gatePathEscape, gateSymlinkEscape,
		"symlink-loop", "symlink-output", "special-file":
		return true
	}
	return false
}

// LeavesOut reports an error that keeps a file from being shown at all, not only a part of it
// or a place that it names.
func LeavesOut(d diag.Diagnostic) bool {
	switch d.ID {
	case gatePathCollision:
		return false // of one section
	case gatePathEscape:
		return d.Line == 0 && CostsFile(d) // otherwise of an anchor
	}
	return CostsFile(d)
}

// Withheld reports an error about a likely secret: nothing of the file may be shown.
func Withheld(d diag.Diagnostic) bool {
	return d.ID == gateSecretSuspect && d.Severity == diag.Error
}
