package index

import (
	"strings"
	"sync"
)

// commonEnglish returns the words too common to lead anywhere: the function
// words of English and the verbs and nouns that any manual is full of. Words of
// other languages are left to the statistics of the build.
var commonEnglish = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(commonEnglishWords) {
		set[w] = true
	}
	return set
})

// IsCommon reports whether a word in small letters is too common to lead anywhere.
func IsCommon(word string) bool { return commonEnglish()[word] }

// isCommonEnglish reports whether a word is in commonEnglish.
func isCommonEnglish(word []byte) bool { return commonEnglish()[string(word)] }

const commonEnglishWords = `
a about above across after again against all almost along already also although always am among an and another any
anyone anything are aren around as at away back be became because become been before behind being below between both
but by came can cannot come could did do does doing done down during each either else enough ever every everyone
everything example few first for from full further gave get gets getting give given go goes going gone good got had
has have having he her here hers herself him himself his how however if in instead into is isn it its itself just
keep kept know known last later least less let like likely long made make makes making many may maybe me might more
most much must my myself near need needed needs neither never new next no nobody none nor not nothing now of off
often ok on once one ones only onto or other others otherwise our ours ourselves out over own part per perhaps please
put rather really same say says second see seem seen several shall she should since so some someone something
sometimes soon still such take taken takes than that the their theirs them themselves then there therefore these they
thing things third this those though three through thus to together too toward two under until up upon us use used
useful user uses using usually very via want wants was way ways we well went were what whatever when where whether
which while who whole whom whose why will with within without won would yes yet you your yours yourself ie eg etc
section page document file note notes overview introduction summary
`
