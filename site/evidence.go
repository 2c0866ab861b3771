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

// cited returns the text that a claim cites, where the site publishes sources; "" where it
// does not, or where no lines and no section are named.
func (ps *packSite) cited(name, fragment string) string {
	if fragment == "" || source(name) != "sources" || !ps.isPublished(name) {
		return ""
	}
	data, known := ps.sources.Load(name)
	if !known {
		text, err := ps.pack.ReadFile(name)
		if err != nil {
			text = nil // the claim is shown without it
		}
		data, _ = ps.sources.LoadOrStore(name, text)
	}
	return diag.Clip(compiler.CitedText(name, data.([]byte), fragment), maxCited)
}
