package model

import (
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// RuleUnpublished is the rule about files that pages link to and that are not on the site.
const RuleUnpublished = "file-unpublished"

// unpublishedLinks counts the links of pages to files that the site does not publish.
type unpublishedLinks struct {
	count        int
	from, target string // of the first
}

// note counts a link that leads to such a file.
func (u *unpublishedLinks) note(ps *Pack, from *Node, target string) {
	switch pack.LayerOf(target) {
	case pack.Documents, pack.Wiki, "assets":
	default:
		return
	}
	if ps.ByPath[target] != nil || ps.Outputs.Withheld[target] || !ps.Pack.Has(target) || ps.MayPublish(target) {
		return
	}
	if u.count++; u.count == 1 {
		u.from, u.target = from.Path, target
	}
}

// findings says that pages link to such files, once for a pack.
func (u *unpublishedLinks) findings(name string) []diag.Diagnostic {
	if u.count == 0 {
		return nil
	}
	message := fmt.Sprintf("a link leads to %s, which is in the archive and not on the site", u.target)
	if n := u.count - 1; n > 0 {
		message += "; " + amount.Counted(n, "more link") + " to such files"
	}
	return []diag.Diagnostic{{
		ID: RuleUnpublished, Severity: diag.Warning, Pack: name, Path: u.from, Message: message,
		Hint: "link to where the file is published, or show it as text in the page",
	}}
}
