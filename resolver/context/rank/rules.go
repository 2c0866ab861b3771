package rank

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// Rules is what BM25F knows about words and weights, for programs that score
// queries over an index of their own.
type Rules struct {
	Weights    []float64         `json:"weights"`    // what a word in each field counts
	Lengths    []float64         `json:"lengths"`    // how much the length of each field matters
	Saturation float64           `json:"saturation"` // how soon more of the same word stops counting
	Heading    float64           `json:"heading"`    // part of a score that is what titles, headings and questions say alone
	Headings   []int             `json:"headings"`   // the fields of titles, headings and questions
	Corpus     float64           `json:"corpus"`     // least number of sections that words are taken to be drawn from
	Neighbour  float64           `json:"neighbour"`  // how far a section moves towards the best one of its document
	About      float64           `json:"about"`      // how much what is said of a pack raises its sections
	WeakWeight float64           `json:"weakWeight"` // what a weak word counts
	Classes    []int             `json:"classes"`    // characters above ASCII that are not letters: see [stem.Classes]
	Folds      map[string]string `json:"folds"`      // small letters above ASCII, by what they are without accents
	Signs      string            `json:"signs"`      // characters of ASCII that may belong to a word
	Stages     string            `json:"stages"`     // what comes before a release, with blanks around
	Stop       []string          `json:"stop"`       // words that are dropped
	Weak       []string          `json:"weak"`       // words that are never the topic
	Endings    [][2]string       `json:"endings"`    // cut off words, the longest first, and what takes their place
	Cyrillic   string            `json:"cyrillic"`   // endings cut off Cyrillic words, the longest that fits, with blanks around them
	MinCyr     int               `json:"minCyr"`     // least length of a Cyrillic stem, in letters
	Synonyms   []string          `json:"synonyms"`   // groups of words of like meaning
	Head       float64           `json:"head"`       // what the head of a compound counts in its place
	Synonym    float64           `json:"synonym"`    // what a word of like meaning counts in place of another
	MinWord    int               `json:"minWord"`    // shorter words are dropped, in characters
	MinPlural  int               `json:"minPlural"`  // from here on a plural "s" is dropped, in characters
	MinStem    int               `json:"minStem"`    // least length of a stem, in bytes
	Compound   [3]int            `json:"compound"`   // least and greatest length of a compound, and least of its head, in bytes
	Choice     Choice            `json:"choice"`
}

// Choice is what BM25F knows about where a list of sections ends and when a selection is
// sure.
type Choice struct {
	Stop         float64 `json:"stop"`
	Most         int     `json:"most"`
	MostForPart  int     `json:"mostForPart"`
	MaxParts     int     `json:"maxParts"`
	MinPartWords int     `json:"minPartWords"`
	ClearScore   float64 `json:"clearScore"`
	ClearStop    float64 `json:"clearStop"`
	GuessScore   float64 `json:"guessScore"`
	GuessMost    int     `json:"guessMost"`
	NothingScore float64 `json:"nothingScore"`
	HeldShare    float64 `json:"heldShare"`
	HeadingLack  float64 `json:"headingLack"`
	NewShare     float64 `json:"newShare"`
	NewStop      float64 `json:"newStop"`
	WordingMost  int     `json:"wordingMost"`
	WordingStop  float64 `json:"wordingStop"`
	WordingLeast float64 `json:"wordingLeast"`
	WordingNear  float64 `json:"wordingNear"`
	WordingAgree float64 `json:"wordingAgree"`
	Sure         float64 `json:"sure"`
	Least        float64 `json:"least"`
	SureOver     float64 `json:"sureOverPacks"` // over several packs
	LeastOver    float64 `json:"leastOverPacks"`
	Reworded     float64 `json:"reworded"`
	Rare         float64 `json:"rare"`
}

// lastFolded is the last character that has another form without its accent.
const lastFolded = 0xFF5A

// folds lists the small letters above ASCII that are others without their accents.
func folds() map[string]string {
	list := map[string]string{}
	for r := rune(utf8.RuneSelf); r <= lastFolded; r++ {
		if unicode.ToLower(r) != r || stem.ClassOf(r) != stem.Letter {
			continue
		}
		if plain := folded(string(r)); plain != string(r) {
			list[plain] += string(r)
		}
	}
	return list
}

// RulesOf returns the rules of BM25F.
func RulesOf() *Rules {
	weights, lengths := fieldWeight(), fieldLength()
	r := &Rules{
		Weights: weights[:], Lengths: lengths[:], Saturation: saturation,
		Heading: headingShare, Headings: []int{fieldTitle, fieldHeadings, fieldQuestions}, Corpus: minCorpus, Neighbour: neighbourShare, About: aboutShare,
		WeakWeight: weakWeight, Classes: stem.Classes(), Folds: folds(), Signs: stem.Signs, Stages: stem.Stages, Synonyms: synonymGroups, Head: headWeight, Synonym: synonymWeight,
		MinWord: minWord, MinPlural: minPlural, MinStem: stem.Least, Compound: [3]int{minCompound, maxCompound, minHead},
		Choice: Choice{
			Stop: defaultStop, Most: defaultMost, MostForPart: mostForPart, MaxParts: maxParts, MinPartWords: minPartWords,
			ClearScore: clearScore, ClearStop: clearStop, GuessScore: guessScore, GuessMost: guessMost, NothingScore: nothingScore,
			HeldShare: heldShare, HeadingLack: headingLack, NewShare: newShare, NewStop: newStop,
			WordingMost: wordingMost, WordingStop: wordingStop, WordingLeast: wordingLeast,
			WordingNear: wordingNear, WordingAgree: wordingAgree,
			Sure: sureScore, Least: leastScore, SureOver: sureScoreOverPacks, LeastOver: leastScoreOverPacks, Reworded: rewordedScore, Rare: rareShare,
		},
	}
	for w := range stopWords() {
		r.Stop = append(r.Stop, w)
	}
	for w := range weakWords() {
		r.Weak = append(r.Weak, w)
	}
	slices.Sort(r.Stop)
	slices.Sort(r.Weak)
	r.Endings = stem.Endings()
	r.Cyrillic, r.MinCyr = stem.Cyrillic()
	return r
}
