package context

import (
	"cmp"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/secret"
)

// withhold drops what a known secret is in (agent-knowledge section 18.4).
// Compile withholds such splits; this is for text that no compile has seen:
// sections cut in memory, pages, and files that were edited by hand. A guess keeps
// nothing from a reader.
func (p *picker) withhold() {
	kept := p.picks[:0]
	for _, t := range p.picks {
		hits := knownSecrets(p.pack, t.unit)
		if len(hits) == 0 {
			kept = append(kept, t)
			continue
		}
		found := lint.SecretFindings(t.path, []byte(t.text), hits)
		p.warn(diag.Error, t.path, found[0].Record()+"; it is withheld.")
	}
	p.picks = kept
}

// knownSecrets finds the known secrets in a text of a pack, without the values that a comment
// in its document accepts: a split has no comments.
func knownSecrets(p *pack.Pack, u *unit) []secret.Hit {
	found := func(text []byte) []secret.Hit {
		return slices.DeleteFunc(secret.Find(text), func(h secret.Hit) bool { return !h.Known })
	}
	hits := found([]byte(u.text))
	if len(hits) == 0 {
		return nil
	}
	document := cmp.Or(u.document, u.path)
	data, err := p.ReadFile(document)
	text, ok := frontmatter.Decode(data)
	if err != nil || !ok {
		return hits
	}
	isAccepted := map[string]bool{} // false for a value that is also written elsewhere
	for _, h := range found(text) {
		isAccepted[string(text[h.Start:h.End])] = true
	}
	for _, h := range lint.Scan(document, text).Secrets {
		isAccepted[string(text[h.Start:h.End])] = false
	}
	return slices.DeleteFunc(hits, func(h secret.Hit) bool { return isAccepted[u.text[h.Start:h.End]] })
}
