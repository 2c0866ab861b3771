package site

import (
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// citation is a claim, by its id without a number, with the place that it cites.
type citation struct {
	claim  string
	source schema.ClaimSource
}

// claimIDLen is the length of the id of a claim without a number.
const claimIDLen = len("clm-") + 12

// maxCited is how many bytes of a cited text the claims page shows.
const maxCited = 600

// spansOf returns the hashes of what the claims rest on, as the last compile took them.
func (ps *packSite) spansOf() map[citation]string {
	spans := make(map[citation]string, len(ps.res.Run.Claims))
	for _, c := range ps.res.Run.Claims {
		spans[citation{c.Claim, compiler.SourceOf(c.Source)}] = c.Span
	}
	return spans
}

// spanOf returns the hash of what a claim rests on; "" when it is not known.
func (ps *packSite) spanOf(c *schema.Claim) string {
	return ps.spans()[citation{c.ClaimID[:min(len(c.ClaimID), claimIDLen)], c.Source}]
}

// cited returns the text that a claim cites, where the site publishes sources, or excerpts
// of them and the pack has a licence; "" otherwise, or where no lines and no section are
// named.
func (ps *packSite) cited(name, fragment string) string {
	if fragment == "" || source(name) != "sources" || !ps.pack.Has(name) || ps.withheld[name] {
		return ""
	}
	if excerpts := ps.b.opts.Excerpts && ps.pack.Meta.License != ""; !excerpts && !ps.isPublished(name) {
		return ""
	}
	return diag.Clip(compiler.CitedText(name, ps.sourceText(name), fragment), maxCited)
}
