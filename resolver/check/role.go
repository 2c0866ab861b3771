package check

import (
	"bytes"
	"context"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/resolver/boot"
)

// Role looks for secrets in the briefs and skills of a role, and for
// instruction-like text in its Markdown, whether a boot says them or not: what is
// referred to is read too (agent-knowledge section 6.10). Suppressions in a
// brief are heeded, and judged, as in a page. What is wrong with the boot itself is told by
// [boot.Check].
func Role(ctx context.Context, role *boot.Role) ([]diag.Diagnostic, error) {
	var list []diag.Diagnostic
	err := role.Visit(ctx, func(path, shown string, content []byte) error {
		text, ok := frontmatter.Decode(content)
		if !ok {
			text = bytes.ToValidUTF8(content, []byte("\ufffd")) // as a boot prints it
		}
		found := lint.Scan(path, text).Diagnostics
		if strings.HasSuffix(path, ".md") {
			_, faults := lint.Suppressions(path, text)
			found = append(found, faults...)
		}
		for _, d := range found {
			d.Path = shown
			list = append(list, d)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	diag.Sort(list)
	return list, nil
}
