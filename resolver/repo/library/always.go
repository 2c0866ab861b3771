package library

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

// AddAlways gives each pack that carries a boot.yml the documents and pages that it
// says whatever the task, and returns what is wrong with those files, sorted.
func AddAlways(ctx context.Context, packs []resolver.Pack) ([]diag.Diagnostic, error) {
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
			return nil, fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		loaded, result, err := role.Always(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("boot %s: %w", p.Dir, err)
		}
		found = append(found, result.Diagnostics...)
		for _, name := range loaded {
			if strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/") {
				p.Always = append(p.Always, name)
			}
		}
	}
	diag.Sort(found)
	return found, nil
}
