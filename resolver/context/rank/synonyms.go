package rank

import (
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/stem"
)

// synonymGroups are words of like meaning: everyday words of technical prose, by
// general usage. Terms of a field belong into the questions that authors write.
var synonymGroups = []string{
	"folder directory", "change edit modify alter update", "delete remove erase drop discard",
	"create generate produce write build", "error fault failure problem mistake bug defect",
	"configuration setting option preference", "show display print list view", "big large size huge",
	"begin start launch boot", "finish end complete", "fix mend repair correct", "question query request",
	"number figure count amount", "proof evidence source reference citation", "publish deploy release",
	"copy duplicate clone", "limit maximum cap restriction", "forbid refuse reject deny prohibit",
	"allow permit accept", "choose select pick", "split cut divide section", "speed fast quick performance time",
	"check verify validate test", "fetch download pull", "upload send push", "explain describe tell",
	"reason why cause", "remember store keep save", "link hyperlink url", "computer machine", "person human author",
	"online web internet site", "command verb tool", "argument parameter flag switch", "secret password credential token",
	"order sequence sort", "empty blank missing", "same equal identical", "old stale outdated earlier",
	"new recent latest newest", "often frequently", "price cost", "picture image figure", "hidden secret private",
	"visible public shown", "need require", "example sample", "purpose goal use", "rule policy", "path location place",
}

// synonyms maps the stem of a word to words of like meaning. A word only counts where
// no section of the pack has the one that was asked for.
var synonyms = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for _, line := range synonymGroups {
		words := strings.Fields(line)
		for _, word := range words {
			cut := string(stem.Of([]byte(word)))
			for _, other := range words {
				if other != word {
					table[cut] = append(table[cut], other)
				}
			}
		}
	}
	return table
})
