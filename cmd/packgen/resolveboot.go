package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/boot"
	resolver "github.com/packgen/packgen/resolver/context"
)

// bootFile makes a pack a role.
const bootFile = "boot.yml"

// sayAlways gives each pack that carries a boot.yml the documents and pages that
// it says whatever the task. A boot.yml at fault ends the verb with its
// findings.
func (a *app) sayAlways(ctx context.Context, packs []resolver.Pack) error {
	var found []diag.Diagnostic
	for i := range packs {
		p := &packs[i]
		if p.Unapproved {
			continue // nothing of it is used
		}
		if _, err := fs.Stat(p.FS, bootFile); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		role, err := boot.OpenFS(p.FS, boot.OpenOptions{Name: p.Dir, Layout: boot.PackLayout()})
		if err != nil {
			return fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		said, result, err := role.Always(ctx, nil)
		if err != nil {
			return fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		found = append(found, result.Diagnostics...)
		for _, name := range said {
			if strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/") {
				p.Always = append(p.Always, name)
			}
		}
	}
	if diag.Count(found, diag.Error) == 0 {
		if !a.json {
			a.printFindings(found, nil)
		}
		return nil
	}
	diag.Sort(found)
	if a.json {
		a.printJSON(envelope{Status: "failed", Command: "resolve", Findings: findingsOf(found)})
	} else {
		a.printFindings(found, nil)
	}
	return errFindings
}
