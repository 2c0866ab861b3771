package compiler

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

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

// Withheld reports an error about a likely secret: nothing of the file may be shown.
func Withheld(d diag.Diagnostic) bool {
	return d.ID == gateSecretSuspect && d.Severity == diag.Error
}
