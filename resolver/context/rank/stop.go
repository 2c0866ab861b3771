package rank

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// Where a list of sections ends. Calibrated; see the package documentation.
const (
	defaultStop = 0.85 // share of the best score below which a section must say something new
	defaultMost = 3    // sections for one wording of a query
	mostForPart = 2    // sections that one part of a query adds to those of the whole

	// A best section with this score is a clear answer, and what falls below a share of
	// its score adds nothing to it.
	clearScore = 75.0
	clearStop  = 0.95

	// A best section below guessScore is a guess, and most of those after it are worse
	// ones. Below nothingScore it is not even that: nothing comes after it, and a part of
	// the query with no better one adds nothing.
	guessScore   = 30.0
	guessMost    = 2
	nothingScore = 12.0

	// A section that comes near the best one holds at least heldShare of what that holds
	// of the query, and its headings at most headingLack of the query less.
	heldShare   = 0.7
	headingLack = 0.1

	// A section that holds newShare of the query that none before it holds is needed
	// beside them, down to newStop of the best score.
	newShare = 0.25
	newStop  = 0.65
)

// Ranked returns the sections that come near the best one: for the query as a
// whole, then the best of each of its parts.
func (r *bm25Ranking) Ranked(keep func(int) bool) []Hit {
	parts := make([][]Hit, len(r.scores))
	for part := 1; part < len(parts); part++ {
		parts[part] = r.ofPart(part, keep)
	}
	parts[0] = r.ofWhole(keep, r.mostOfWhole(parts[1:]))
	best := map[int]float64{}
	for _, hits := range parts {
		for _, h := range hits {
			best[h.Section] = max(best[h.Section], h.Score)
		}
	}
	hits := make([]Hit, 0, len(best))
	for section, score := range best {
		hits = append(hits, Hit{Section: section, Score: score, Title: true})
	}
	sortHits(hits)
	return hits
}

// mostOfWhole is how many sections the query as a whole gives beside those of its parts.
// Where each part has a clear answer in a section of its own, the query is several
// questions: further sections that hold words of all of them answer none.
func (r *bm25Ranking) mostOfWhole(parts [][]Hit) int {
	seen := map[int]bool{}
	for _, hits := range parts {
		if len(hits) == 0 || hits[0].Score < clearScore || seen[hits[0].Section] {
			return r.Most
		}
		seen[hits[0].Section] = true
	}
	if len(parts) == 0 {
		return r.Most
	}
	return 1
}

// ofPart returns the best section for a part, and a second one that is nearly as good;
// nothing for a part that no section meets.
func (r *bm25Ranking) ofPart(part int, keep func(int) bool) []Hit {
	best := r.best(part, keep)
	if best < nothingScore {
		return nil
	}
	hits := r.hits(part, keep, best*r.near(best))
	return hits[:min(mostForPart, len(hits))]
}

// ofWhole returns the best section for the query as a whole, and those that are needed
// beside it: because they are nearly as good, or hold words of the query that none
// before them holds.
func (r *bm25Ranking) ofWhole(keep func(int) bool, most int) []Hit {
	best := r.best(0, keep)
	near := best * r.near(best)
	hits := r.hits(0, keep, min(near, best*newStop))
	if len(hits) == 0 {
		return nil
	}
	most = mostAt(best, most)
	list := hits[:1:1]
	first := r.holdings(hits[0].Section)
	covered := slices.Clone(first.terms)
	for _, h := range hits[1:] {
		if len(list) >= most {
			break
		}
		next := r.holdings(h.Section)
		alike := h.Score >= near && next.share >= heldShare*first.share && next.inHeadings >= first.inHeadings-headingLack
		if !alike && (h.Score < best*newStop || r.added(covered, next.terms) < newShare) {
			continue
		}
		list = append(list, h)
		for i, holds := range next.terms {
			covered[i] = covered[i] || holds
		}
	}
	return list
}

// mostAt is how many sections a list may have whose best one has a score.
func mostAt(best float64, most int) int {
	switch {
	case best < nothingScore:
		return min(most, 1)
	case best < guessScore:
		return min(most, guessMost)
	}
	return most
}

// best is the best score for a part among the sections that keep accepts.
func (r *bm25Ranking) best(part int, keep func(int) bool) float64 {
	best := 0.0
	for i, score := range r.scores[part] {
		if score > best && (keep == nil || keep(i)) {
			best = score
		}
	}
	return best
}

// near is the share of a best score from which on a section is nearly as good.
func (r *bm25Ranking) near(best float64) float64 {
	if best >= clearScore {
		return max(r.Stop, clearStop)
	}
	return r.Stop
}

// holdings is what a section holds of the query as a whole.
type holdings struct {
	share      float64 // of the query's weight
	inHeadings float64 // the same of its titles, headings and questions
	terms      []bool  // by place in the query
}

func (r *bm25Ranking) holdings(section int) holdings {
	terms := r.query.parts[0].terms
	h := holdings{terms: make([]bool, len(terms))}
	all := 0.0
	for i, t := range terms {
		all += r.weight[t]
		p := r.posting(section, t)
		if p == nil {
			continue
		}
		h.terms[i] = true
		h.share += r.weight[t]
		h.inHeadings += r.weight[t] * inHeadings(p.count)
	}
	h.share, h.inHeadings = h.share/all, h.inHeadings/all
	return h
}

// added is the share of the query's weight that is in terms and not in covered.
func (r *bm25Ranking) added(covered, terms []bool) float64 {
	all, added := 0.0, 0.0
	for i, t := range r.query.parts[0].terms {
		all += r.weight[t]
		if terms[i] && !covered[i] {
			added += r.weight[t]
		}
	}
	return added / all
}

// hits returns the sections that meet a part with at least a score, best first.
func (r *bm25Ranking) hits(part int, keep func(int) bool, least float64) []Hit {
	var hits []Hit
	for i, score := range r.scores[part] {
		if score > 0 && score >= least && (keep == nil || keep(i)) {
			hits = append(hits, Hit{Section: i, Score: score})
		}
	}
	sortHits(hits)
	return hits
}

// commonMark begins the word that a heading of common words is as a whole.
const commonMark = "="

// Limits of the headings of common words that a query may name.
const (
	maxCommon      = 8   // words of such a heading
	maxCommonBytes = 128 // and its length
	maxNamed       = 256 // such headings that a query is taken to name
)

// commonWords is a heading without a word that can be a topic as one word, such as "=for"
// and "=do not"; "" for any other heading.
func commonWords(heading string) string {
	if len(heading) > maxCommonBytes {
		return ""
	}
	words := asciiWords(heading)
	if len(words) == 0 || len(words) > maxCommon || slices.ContainsFunc(words, func(w string) bool { return !isWeak(w) }) {
		return ""
	}
	return commonMark + strings.Join(words, " ")
}

// isWeak reports a word that is never a topic alone.
func isWeak(word string) bool { return stopWords()[word] || weakWords()[word] }

// namedCommon are the headings of common words that a query may name: the query itself,
// and the runs of stop words in it.
func namedCommon(query string) []string {
	var list []string
	words := asciiWords(query)
	for from := range words {
		for to := from; to < len(words) && to < from+maxCommon && stopWords()[words[to]] && len(list) < maxNamed; to++ {
			list = append(list, commonMark+strings.Join(words[from:to+1], " "))
		}
	}
	if whole := commonWords(query); whole != "" && !slices.Contains(list, whole) {
		list = append(list, whole)
	}
	return list
}

// isWithin reports that a heading of common words is a part of another one.
func isWithin(part, whole string) bool {
	return len(part) < len(whole) && strings.Contains(" "+whole[1:]+" ", " "+part[1:]+" ")
}

// asciiWords are the runs of letters, digits and characters beyond ASCII of a text, in
// small letters; full-width forms are read as what they are forms of.
func asciiWords(text string) []string {
	narrow := func(r rune) rune {
		if r >= 0xFF01 && r <= 0xFF5E {
			return r - 0xFEE0
		}
		return r
	}
	return strings.FieldsFunc(strings.ToLower(strings.Map(narrow, text)), func(r rune) bool { return r < 0x80 && lowerASCII()[byte(r)] == 0 })
}

// isCommon reports what commonWords makes.
func isCommon(stem string) bool { return strings.HasPrefix(stem, commonMark) }

// stopWords are the words that say nothing about a topic (agent-knowledge
// section 13.5).
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{
		"a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "get", "has", "have",
		"how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "our", "the", "to", "was", "we", "what", "when",
		"where", "which", "who", "why", "will", "with", "you", "your",
	} {
		words[w] = true
	}
	return words
})

func isStopWord(word []byte) bool { return stopWords()[string(word)] }

// Lengths of words, in characters.
const (
	minWord   = 2 // shorter ones are dropped
	minPlural = 4 // from here on a plural "s" is dropped
)

// Words returns the words of a text in order (agent-knowledge section 13.5): runs of letters
// and digits, without case and accents; stop words and plural endings dropped; runs of
// scripts that have no space between words, or none between a word and its endings, cut
// into overlapping pairs. What a sign belongs to comes last, see [stem.SignScanner].
func Words(text string) []string {
	var list []string
	var s wordScanner
	s.all(text, false, func(word []byte) { list = append(list, string(word)) })
	return list
}

// WordSet is a set of words, as Words cuts them.
type WordSet map[string]bool

// NewWordSet returns the words of all texts. A text that holds a version holds those that
// it is one of: 1.2.4 is a 1.2.
func NewWordSet(texts ...string) WordSet {
	set := WordSet{}
	var s wordScanner
	for _, text := range texts {
		s.all(text, true, func(word []byte) {
			if !set[string(word)] {
				set[string(word)] = true
			}
		})
	}
	return set
}

// wordScanner finds words. It can be used again, by one goroutine at a time.
type wordScanner struct {
	word  []byte // the word so far, folded
	chars int    // its characters
	typed bool   // it was written as it is, in small or capital letters of ASCII
	last  rune   // the last character of a run of pairs; 0 outside
	alone bool   // it is in no pair yet
	pair  [2 * utf8.UTFMax]byte
	stop  map[string]bool
	yield func(word []byte)
	signs stem.SignScanner
}

// all calls yield for every word of a text, those with signs too, in texts that are
// searched with what a version is one of; the bytes are valid until it returns.
func (s *wordScanner) all(text string, searched bool, yield func(word []byte)) {
	s.each(text, yield)
	s.eachSigned(text, searched, yield)
}

// eachSigned calls yield for every word with a sign.
func (s *wordScanner) eachSigned(text string, searched bool, yield func(word []byte)) {
	s.signs.Common, s.signs.Joined = isStopWord, joined
	s.signs.Each(text, searched, yield)
}

// each calls yield for every word of a text without signs; the bytes are valid until it
// returns.
func (s *wordScanner) each(text string, yield func(word []byte)) {
	s.stop, s.yield, s.typed = stopWords(), yield, true
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			s.endRun()
			switch {
			case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
				s.word = append(s.word, c)
				s.chars++
			case 'A' <= c && c <= 'Z':
				s.word = append(s.word, c+'a'-'A')
				s.chars++
			default:
				s.end()
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch stem.ClassOf(r) {
		case stem.Dropped:
			s.typed = false
		case stem.Dense:
			s.end()
			s.dense(r)
		case stem.Letter:
			s.endRun()
			s.fold(r)
		default:
			s.end()
			s.endRun()
		}
	}
	s.endRun()
	s.end()
}

// fold adds a letter above ASCII to the word.
func (s *wordScanner) fold(r rune) {
	before := len(s.word)
	s.word = stem.AppendFolded(s.word, unicode.ToLower(r))
	s.chars += utf8.RuneCount(s.word[before:])
	s.typed = false
}

// dense adds a character to a run of pairs.
func (s *wordScanner) dense(r rune) {
	if s.last != 0 {
		s.yield(utf8.AppendRune(utf8.AppendRune(s.pair[:0], s.last), r))
	}
	s.alone, s.last = s.last == 0, r
}

// endRun ends a run of pairs.
func (s *wordScanner) endRun() {
	if s.alone {
		s.yield(utf8.AppendRune(s.pair[:0], s.last))
	}
	s.alone, s.last = false, 0
}

// paired reports the characters that are written without spaces between words, or whose
// words take endings.
func paired(r rune) bool { return r >= utf8.RuneSelf && stem.ClassOf(r) == stem.Dense }

// isSyllable reports the paired characters of which there are many, so that two sections
// rarely share a pair by chance.
func isSyllable(r rune) bool {
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// end closes the word so far. A word that is a stop word only without its accents is kept.
func (s *wordScanner) end() {
	word, chars, typed := s.word, s.chars, s.typed
	s.word, s.chars, s.typed = s.word[:0], 0, true
	if chars == 0 || typed && s.stop[string(word)] {
		return
	}
	if n := len(word); chars >= minPlural && word[n-1] == 's' && word[n-2] != 's' {
		word, chars = word[:n-1], chars-1
	}
	if chars >= minWord {
		s.yield(word)
	}
}

// folded is a word without case and accents.
func folded(word string) string {
	var b []byte
	for _, r := range word {
		b = stem.AppendFolded(b, unicode.ToLower(r))
	}
	return string(b)
}

// Shares reports whether any of the words is in the set.
func (set WordSet) Shares(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}
