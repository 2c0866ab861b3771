package context

import (
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/secret"
)

// withhold drops what a known secret is in (agent-knowledge section 18.4).
// Compile withholds such splits; this is for text that no compile has seen:
// sections cut in memory, pages, and files that were edited by hand. A guess keeps
// nothing from a reader.
func (p *picker) withhold() {
	kept := p.picks[:0]
	for _, t := range p.picks {
		text := []byte(t.text)
		hits := secret.Find(text)
		if !secret.HasKnown(hits) {
			kept = append(kept, t)
			continue
		}
		found := lint.SecretFindings(t.path, text, hits)
		p.warn("error", t.path, found[0].Record()+"; it is withheld.")
	}
	p.picks = kept
}
