package rank

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// parsedQuery is a query as BM25F sees it. Part 0 is the whole; a question of
// several parts has one more for each.
type parsedQuery struct {
	text   string
	terms  []queryTerm
	byStem map[string]int
	byWord map[string]int // words already looked at
	parts  []queryPart
	starts [1 << 15 / 64]uint64 // the first three bytes of the terms, to pass other stems quickly
}

type queryTerm struct {
	stem   string
	weight float64 // of words that are never the topic, less than 1
	// instead are terms that stand in for this one where no section holds it, the
	// best first.
	instead []standIn
	only    bool // it is only there to stand in for another
}

// standIn is a term that may take the place of another at a lower weight.
type standIn struct {
	term   int
	weight float64
}

type queryPart struct {
	text  string
	terms []int
}

// Limits of a query.
const (
	maxParts     = 8 // parts looked at one by one
	minPartWords = 2 // words that can be a topic, for a part to be a question of its own
)

// weakWeight is what a word counts that is never the topic of a question.
const weakWeight = 0.2

// weakWords hold questions together beyond the stop list: they say nothing about
// a topic, yet are rare enough in short packs to look as if they did. They are
// here as the word rules leave them.
var weakWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`
		about actually after again all also always am another any anyone anything around back because been before being
		below best better between both but came come could did done down during each either else enough even ever every
		exactly example far few find first give given go goe going good got had happen happened her here him his if instead into
		it its itself just keep kind know last least less let like long look lot made make makes making many may mean might more
		most much must need needed never new next no nor not nothing now off often one only onto other ought out over own please
		possible put quite rather really right said same say see seem shall she should show since so some somebody someone
		something soon still such take taken tell than that thei their them themselve then there these they thi thing think those
		though through thu time too try two under until up upon us use used using useful usually very via want wanted way
		well went were whatever whether while whole whom whose without wonder work would yet

		как что где когда куда откуда почему зачем сколько какой какая какое какие каком кто чей чем чему этот это эта эти мне мой моя мои
		нам наш вам ваш его для или если чтобы можно нужно надо быть есть был была были будет при без под над про уже еще так там тут

		كيف متى أين ماذا لماذا هل كم من في على إلى عن ما هو هي هذا هذه ذلك التي الذي مع أو ثم قد كل بعد قبل عند لي أنا`) {
		set[folded(w)] = true
	}
	return set
})

// parseQuery finds the terms and the parts of a query.
func parseQuery(query string) *parsedQuery {
	q := &parsedQuery{text: query, byStem: map[string]int{}, byWord: map[string]int{}}
	q.parts = append(q.parts, queryPart{query, q.name(query, q.termsOf(query))})
	var parts []queryPart
	for _, text := range splitParts(query) {
		if terms := q.termsOf(text); q.strong(terms) >= minPartWords {
			parts = append(parts, queryPart{text, terms})
		}
	}
	if len(parts) > 1 {
		q.parts = append(q.parts, parts[:min(len(parts), maxParts)]...)
	}
	return q
}

// termsOf returns the different terms of a text and takes new ones up.
func (q *parsedQuery) termsOf(text string) []int {
	var list []int
	seen := map[int]bool{}
	ask := func(word []byte) {
		t, ok := q.byWord[string(word)]
		if !ok {
			t = q.ask(string(word))
			q.byWord[string(word)] = t
		}
		if !seen[t] {
			seen[t] = true
			list = append(list, t)
		}
	}
	var scan wordScanner
	scan.all(text, false, ask)
	return list
}

// name adds the headings of common words that the query names to its terms. They weigh
// little where the query has words of its own.
func (q *parsedQuery) name(text string, terms []int) []int {
	weight := 1.0
	if len(terms) > 0 {
		weight = weakWeight
	}
	for _, heading := range namedCommon(text) {
		if _, ok := q.byWord[heading]; ok {
			continue
		}
		t := len(q.terms)
		q.byStem[heading], q.byWord[heading] = t, t
		q.terms = append(q.terms, queryTerm{stem: heading, weight: weight})
		q.note(heading)
		terms = append(terms, t)
	}
	return terms
}

// ask takes up a word that the query holds.
func (q *parsedQuery) ask(word string) int {
	t := q.term(word)
	q.terms[t].only = false
	if q.terms[t].instead == nil && q.terms[t].weight == 1 {
		others := q.standIns(word) // may move the terms
		q.terms[t].instead = others
	}
	return t
}

// term takes a word up, unless one of its forms is known.
func (q *parsedQuery) term(word string) int {
	cut := string(stem.Of([]byte(word)))
	if t, ok := q.byStem[cut]; ok {
		return t
	}
	weight := 1.0
	if weakWords()[word] {
		weight = weakWeight
	}
	t := len(q.terms)
	q.byStem[cut] = t
	q.terms = append(q.terms, queryTerm{stem: cut, weight: weight, only: true})
	q.note(cut)
	return t
}

// Lengths of compounds, in bytes.
const (
	minCompound = 7 // "website", of which "site" is the head
	minHead     = 4
	maxCompound = 24
)

const (
	lowerCase = "abcdefghijklmnopqrstuvwxyz"
	digits    = "0123456789"
)

// Weights of terms that stand in for others.
const (
	headWeight    = 0.6
	synonymWeight = 0.5
)

// standIns lists what may stand in for a word that no section holds: the head of
// a compound, and words of like meaning.
func (q *parsedQuery) standIns(word string) []standIn {
	list := []standIn{}
	if n := len(word); n >= minCompound && n <= maxCompound && strings.Trim(word, lowerCase) == "" {
		for at := minCompound - minHead; n-at >= minHead; at++ {
			list = append(list, standIn{q.term(word[at:]), headWeight})
		}
	}
	for _, other := range otherForms(word) {
		list = append(list, standIn{q.term(other), headWeight})
	}
	for _, other := range synonyms()[string(stem.Of([]byte(word)))] {
		list = append(list, standIn{q.term(other), synonymWeight})
	}
	return list
}

// otherForms are other ways to write a word: what a version is one of, the number of a
// version, a name without the number at its end, two letters with and without a slash
// between them, and the vowels of German words with an "e" in place of their points.
func otherForms(word string) []string {
	switch {
	case isVersion(word):
		return wider(word)
	case len(word) > 1 && word[0] == 'v' && strings.Trim(word[1:], digits) == "":
		return []string{word[1:]}
	case len(strings.TrimRight(word, digits)) > 2 && stem.IsDigit(word[len(word)-1]) && strings.Trim(word, lowerCase+digits) == "":
		return []string{strings.TrimRight(word, digits)}
	case len(word) == 2 && stem.IsLetter(word[0]) && stem.IsLetter(word[1]):
		return []string{word[:1] + "/" + word[1:]}
	case len(word) == 3 && word[1] == '/':
		return []string{word[:1] + word[2:]}
	}
	if plain := withoutPoints(word); plain != word {
		return []string{plain}
	}
	return nil
}

// withoutPoints is a word with "a" for "ae", and so on, where a consonant is before it.
func withoutPoints(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if word[i] == 'e' && i > 1 && strings.IndexByte("aou", word[i-1]) >= 0 && strings.IndexByte("aeiouq", word[i-2]) < 0 {
			continue
		}
		b.WriteByte(word[i])
	}
	return b.String()
}

// strong counts the terms that can be a topic.
func (q *parsedQuery) strong(terms []int) int {
	n := 0
	for _, t := range terms {
		if q.terms[t].weight == 1 {
			n++
		}
	}
	return n
}

// note makes a stem known to mayBe.
func (q *parsedQuery) note(stem string) {
	if len(stem) >= 2 {
		at := start(stem)
		q.starts[at/64] |= 1 << (at % 64)
	}
}

// mayBe reports whether a stem can be that of a term: most are passed after a look at
// their first three letters.
func (q *parsedQuery) mayBe(stem []byte) bool {
	if len(stem) < 2 {
		return len(stem) > 0 // of a word of one letter: few are
	}
	at := start(stem)
	return q.starts[at/64]&(1<<(at%64)) != 0
}

// start is a place for the first three letters of a stem: five bits distinguish
// lower-case letters.
func start[T string | []byte](stem T) int {
	third := byte(0)
	if len(stem) > 2 {
		third = stem[2]
	}
	return int(stem[0]&31)<<10 | int(stem[1]&31)<<5 | int(third&31)
}

// splitParts cuts a question at "and", commas and the ends of sentences.
func splitParts(query string) []string {
	var parts []string
	from := 0
	cut := func(at, next int) {
		if part := strings.TrimSpace(query[from:at]); part != "" {
			parts = append(parts, part)
		}
		from = next
	}
	for i := 0; i < len(query) && len(parts) <= maxParts; {
		r, size := utf8.DecodeRuneInString(query[i:])
		rest := query[i+size:]
		switch {
		case strings.ContainsRune(",;?!，、；。？！\n", r), r == '.' && (rest == "" || rest[0] == ' '):
			cut(i, i+size)
		case unicode.IsSpace(r) && len(rest) > 4 && strings.EqualFold(rest[:3], "and") && rest[3] == ' ':
			cut(i, i+size+3)
		}
		i += size
	}
	cut(len(query), len(query))
	return parts
}

// What is kept of the sections that each of several wordings of a query finds. A caller
// who gives other wordings has said more of what is wanted, so less is needed of each.
// Calibrated; see the package documentation.
const (
	wordingMost  = 2    // sections for one wording
	wordingStop  = 0.87 // share of the wording's best score, with what the others add
	wordingLeast = 0.70 // share of the best score of all wordings that a wording's own best must reach
	wordingNear  = 0.60 // share of the wording's best score, without what the others add
	wordingAgree = 0.50 // part of a section's mean score over all wordings that adds to its score for one
)

// Wordings ranks the sections for each of several wordings of one query, best first. A
// section rises that other wordings find too; a wording that finds much less than another
// gives nothing. The scores of hits are those of the wording alone. For a single wording
// they are what it ranks.
func Wordings(rankings []Ranking, keep func(section int) bool) [][]Hit {
	lists := make([][]Hit, len(rankings))
	if len(rankings) == 1 {
		lists[0] = rankings[0].Ranked(keep)
		return lists
	}
	best := 0.0
	for i, r := range rankings {
		lists[i] = nearBest(r, keep)
		if len(lists[i]) > 0 {
			best = max(best, lists[i][0].Score)
		}
	}
	mean := meanScore(rankings)
	for i, hits := range lists {
		if len(hits) == 0 || hits[0].Score < best*wordingLeast {
			lists[i] = nil
			continue
		}
		together := func(h Hit) float64 { return math.Round((h.Score+float64(wordingAgree*mean(h.Section)))*100) / 100 }
		slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(together(b), together(a)) })
		end := 1
		for end < min(len(hits), wordingMost) && together(hits[end]) >= wordingStop*together(hits[0]) {
			end++
		}
		lists[i] = hits[:end]
	}
	return lists
}

// nearBest returns the sections that a wording as a whole finds, down to a share of its
// best score; all that it ranks where a scorer says no more.
func nearBest(r Ranking, keep func(section int) bool) []Hit {
	b, ok := r.(*bm25Ranking)
	if !ok {
		return r.Ranked(keep)
	}
	hits := b.hits(0, keep, wordingNear*b.best(0, keep))
	for i := range hits {
		hits[i].Title = true
	}
	return hits
}

// meanScore returns the mean score of a section over all wordings, 0 where a scorer does
// not know it.
func meanScore(rankings []Ranking) func(section int) float64 {
	return func(section int) float64 {
		sum := 0.0
		for _, r := range rankings {
			if b, ok := r.(*bm25Ranking); ok {
				sum += b.scores[0][section]
			}
		}
		return sum / float64(len(rankings))
	}
}

// isVersion reports the word of a version: a v, and numbers with points between.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && stem.IsDigit(word[1]) && strings.Contains(word, ".")
}

// wider are the versions that a version is one of, the nearest first, down to two numbers.
func wider(version string) []string {
	var list []string
	if base, _, ok := strings.Cut(version, "~"); ok {
		version = base
		list = append(list, base)
	}
	for {
		at := strings.LastIndexByte(version, '.')
		if at < 0 || strings.IndexByte(version, '.') == at {
			return list
		}
		version = version[:at]
		list = append(list, version)
	}
}

// joined yields what only the signs of a run make a word: compounds of words that say nothing
// of a topic alone ("one-on-ones", "to-do"), and letters beside a hyphen or a plus sign
// ("USB-C", "Ctrl+V").
func joined(run []byte, yield func(word []byte)) {
	if bytes.IndexByte(run, '-') > 0 {
		if word := compound(run); word != nil {
			yield(word)
		}
	}
	if run[0] == '-' || bytes.Contains(run, []byte("++")) {
		return // the letter is a part of an option, or of "c++"
	}
	from := 0
	for i := 0; i <= len(run); i++ {
		if i < len(run) && run[i] != '-' && run[i] != '+' {
			continue
		}
		if i == from+1 && stem.IsLetter(run[from]) && !isStopWord(run[from:i]) {
			yield(run[from:i])
		}
		from = i + 1
	}
}

// compound is a run of words with hyphens between them as a word of its own; nil where one
// of the words is a topic, or the run no compound.
func compound(run []byte) []byte {
	parts := strings.Split(string(run), "-")
	last := len(parts) - 1
	if slices.Contains(parts, "") {
		return nil
	}
	for i, part := range parts {
		if stopWords()[part] {
			continue
		}
		if n := len(part); n >= minPlural && part[n-1] == 's' && part[n-2] != 's' {
			part = part[:n-1]
		}
		if !weakWords()[part] {
			return nil
		}
		if i == last {
			parts[i] = part
		}
	}
	return []byte(strings.Join(parts, "-"))
}

// isSigned reports the words that a text mostly holds without their signs too, so that
// their absence says little: compounds, options, and names that begin with a point.
func isSigned(stem string) bool {
	return stem != "" && (stem[0] == '.' || strings.Contains(stem, "-") || len(stem) > 3 && strings.ContainsAny(stem, "/&"))
}
