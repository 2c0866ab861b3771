package site

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// idUnpublished is the rule about files that pages link to and that are not on the site.
const idUnpublished = "file-unpublished"

// notePublished counts a link to a file that the site does not publish.
func (ps *packSite) notePublished(from *node, target string) {
	switch pack.LayerOf(target) {
	case pack.Documents, pack.Wiki, "assets":
	default:
		return
	}
	if ps.byPath[target] != nil || ps.withheld[target] || !ps.pack.Has(target) || ps.mayPublish(target) {
		return
	}
	if ps.unpublished++; ps.unpublished == 1 {
		ps.firstUnpublished = [2]string{from.path, target}
	}
}

// reportUnpublished says that pages link to such files, once for a pack.
func (ps *packSite) reportUnpublished() {
	if ps.unpublished == 0 {
		return
	}
	message := fmt.Sprintf("a link leads to %s, which is in the archive and not on the site", ps.firstUnpublished[1])
	if n := ps.unpublished - 1; n > 0 {
		message += "; " + amount.Counted(n, "more link") + " to such files"
	}
	ps.report(diag.Diagnostic{
		ID: idUnpublished, Severity: diag.Warning, Pack: ps.name, Path: ps.firstUnpublished[0], Message: message,
		Hint: "link to where the file is published, or show it as text in the page",
	})
}
