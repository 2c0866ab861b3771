package site

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// claimIDLen is the length of the id of a claim without a number.
const claimIDLen = len("clm-") + 12

// maxCited is how many bytes of a cited text the claims page shows.
const maxCited = 600

// spanOf returns the hash of what a claim rests on, as the last compile took it; "" when it
// is not known.
func spanOf(ps *packSite, c *schema.Claim) string {
	id, claims := c.ClaimID[:min(len(c.ClaimID), claimIDLen)], ps.res.Run.Claims // in the order of ids
	at, _ := slices.BinarySearchFunc(claims, id, func(c schema.RunClaim, id string) int { return strings.Compare(c.Claim, id) })
	for ; at < len(claims) && claims[at].Claim == id; at++ {
		if compiler.SourceOf(claims[at].Source) == c.Source {
			return claims[at].Span
		}
	}
	return ""
}

// cited returns the text that a claim cites, where the site publishes sources, or excerpts
// of them and the pack has a licence; "" otherwise, or where no lines and no section are
// named.
func cited(ps *packSite, name, fragment string) string {
	if fragment == "" || pack.LayerOf(name) != pack.Sources || !ps.pack.Has(name) || ps.withheld[name] {
		return ""
	}
	if excerpts := ps.settings.excerpts && ps.pack.Meta.License != ""; !excerpts && !ps.isPublished(name) {
		return ""
	}
	return diag.Clip(compiler.CitedText(name, ps.sourceText(name), fragment), maxCited)
}
