package check

import (
	"context"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
)

// Editing checks one pack while it is written: its own rules, without the index, goldens
// and roles of the repository. Outputs that are older than the texts are not reported
// then, nor a source map that does not say what they say. Opened is what opening it reported.
func Editing(ctx context.Context, p *pack.Pack, opened []diag.Diagnostic, local policy.Local) ([]diag.Diagnostic, error) {
	r, err := checkPack(ctx, p, options{Opened: opened, Policy: local})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == idOutdated || d.ID == idMapContradicts }), nil
}

// FixText makes of a text what check --fix would make of its file, and says what it did.
// It returns nil where nothing is to be fixed, or what it says would change.
func FixText(name string, text []byte, findings []diag.Diagnostic) (fixed []byte, what []string) {
	fixed, what = fixedText(text, findings)
	if len(what) == 0 || !saysTheSame(name, text, fixed) {
		return nil, nil
	}
	return fixed, what
}
