package index

import (
	"slices"

	"github.com/packgen/packgen/compiler/pack"
)

// Words returns the words of a text that can lead to it, in order and each once:
// those that the matcher knows, without the common words of English.
func Words(text string) []string {
	var list []string
	seen := map[string]bool{}
	var room []byte
	eachWord([]byte(text), &room, func(w []byte) {
		if !seen[string(w)] {
			seen[string(w)] = true
			list = append(list, string(w))
		}
	})
	return list
}

// Declared returns the keywords and patterns that the metadata.loadout of a pack
// declares for any of its entries, in order and each once.
func Declared(p *pack.Pack) (keywords, patterns []string) {
	declared, places, _ := packDeclarations(p, "")
	ids := make([]string, 0, len(declared))
	for id := range declared {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return places[a].Line - places[b].Line })
	add := func(to *[]string, words []string) {
		for _, w := range words {
			if !slices.Contains(*to, w) {
				*to = append(*to, w)
			}
		}
	}
	for _, id := range ids {
		add(&keywords, declared[id].keywords)
		add(&patterns, declared[id].patterns)
	}
	return keywords, patterns
}

// DeclaredBy returns the keywords that the metadata.loadout of a pack declares, by the id
// of the entry.
func DeclaredBy(p *pack.Pack) map[string][]string {
	declared, _, _ := packDeclarations(p, "")
	found := map[string][]string{}
	for id, d := range declared {
		if len(d.keywords) > 0 {
			found[id] = d.keywords
		}
	}
	return found
}
