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

// checkRole looks for secrets in the briefs and skills of a role, and for
// instruction-like text in its Markdown, whether a boot says them or not: what is
// referred to is read too (agent-knowledge section 6.10). Suppressions in a
// brief apply, and are judged, as in a page. What is wrong with the boot itself is reported by
// [boot.Check]. What comments of the files suppress comes beside the findings.
func checkRole(ctx context.Context, role *boot.Role) (list []diag.Diagnostic, suppressed []lint.Suppressed, err error) {
	err = role.Visit(ctx, func(path, shown string, content []byte) error {
		text, ok := frontmatter.Decode(content)
		if !ok {
			text = bytes.ToValidUTF8(content, []byte("\ufffd")) // as a boot prints it
		}
		scanned := lint.Scan(path, text)
		for _, s := range scanned.Suppressed {
			s.Path = shown
			suppressed = append(suppressed, s)
		}
		found := scanned.Diagnostics
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
		return nil, nil, err
	}
	diag.Sort(list)
	return list, suppressed, nil
}
