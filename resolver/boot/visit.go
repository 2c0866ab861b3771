package boot

import (
	"context"
	"fmt"
)

// Visit passes on every brief and skill, said or not, with its content as it is
// in the file: briefs first, each type in path order. Path is below the role
// directory. Shown is the file that was read, as messages name it; for a
// minified brief this is the twin, whose content a boot would print. Files over
// [maxItemBytes] are skipped. The error is that of visit, or for a file that
// cannot be read.
func (r *Role) Visit(ctx context.Context, visit func(path, shown string, content []byte) error) error {
	for k := range r.items {
		for _, f := range r.items[k] {
			if err := ctx.Err(); err != nil {
				return err
			}
			shown := r.name + f.path
			if f.twin {
				shown += minSuffix
			}
			content, err := f.src.read(maxItemBytes)
			switch {
			case isTooLarge(err):
				continue
			case err != nil:
				return fmt.Errorf("read %s: %w", shown, err)
			}
			if err := visit(f.path, shown, content); err != nil {
				return err
			}
		}
	}
	return nil
}
