package compiler

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
)

// lintName is the contributor that keeps what the rules of package lint need of a unit.
const lintName = "lint"

func lintFacts() Contributor {
	return Contributor{Name: lintName, Key: lint.FactsKey, Unit: func(u *Unit) (facts, body []byte, err error) {
		return lint.Facts(u.Doc), nil, nil
	}}
}

// applyRules reports what the rules of package lint find in the pack beside what was found.
// Units that are not remembered, such as one with a secret, are read again.
func (j *joined) applyRules(ctx context.Context, found []diag.Diagnostic) ([]diag.Diagnostic, error) {
	if !j.opt.Lint {
		return nil, nil
	}
	at := len(j.opt.Contribute) - 1 // as Options.normalise puts it
	checker := lint.NewChecker(j.pack)
	for _, f := range j.files {
		if len(f.info.parts) > at {
			if facts, ok := j.cache.store.Blob(f.info.parts[at][0]); ok && checker.AddFacts(f.path, facts) {
				continue
			}
		}
		if f.size > maxRead {
			continue
		}
		data, err := j.pack.ReadFile(f.path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.path, err)
		}
		checker.AddText(f.path, data)
	}
	return checker.Findings(ctx, lint.Compiled{Diagnostics: found, SourceMap: &j.sourceMap, Index: &j.index})
}
