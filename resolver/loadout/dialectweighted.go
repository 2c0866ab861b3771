package loadout

import (
	"math"
	"math/bits"

	"github.com/packgen/packgen/compiler/stem"
)

// WeightedMinScore is the score from which an entry is included in the weighted
// dialect. It was calibrated on the train half of prompts over this project's packs.
const WeightedMinScore = 0.4

// The arithmetic of the weighted dialect. Each word of the task is worth the more the
// fewer entries hold a form of it, from 1 for one entry down to 0 for all. It counts in
// full where the entry's id or a keyword holds it, and half in the summary alone. The
// score is the sum of the worth of the words that hit by what two rare words are worth.
const (
	summaryShare = 0.5
	fullEvidence = 2
)

// minEntries is the least number of entries that words are taken to be drawn from: in an
// index of a few, a word that half of them hold is not common for that.
const minEntries = 50

// maxWeighed is how many different words of a task are weighed; the rest is skipped.
const maxWeighed = 64

// idle are words that hold a task together and say nothing about it. They are here as
// stems, between blanks.
const idle = " the and are but for from has had hav have how into its just let lets mak make more not now off our out pleas quick so some that them then ther there thes they thi this those too very wa want was we were what when wher where which who why will with would you your a an as at be by can could do doe does did get go i if in is it me my need no of on onc one or over she should than their to up us use hi hello thank thanks again new "

// weigher holds what the words of a task are worth in an index.
type weigher struct {
	words []string // as the task has them
	stems []string
	worth [maxWeighed]float64
	scan  unicodeScanner
	cut   []byte
	// Most words of a text start as none of the task does, and are passed without their stem.
	starts [1 << 10 / 32]uint32 // the first two letters of the stems of the task: five bits of each
	kept   map[*Entry]heldWords // what entries hold, of those that hold any; nil keeps none
	all    bool                 // whatever is not in kept holds nothing
}

// heldWords are the words of a task that an entry holds, a bit for each: in its id and
// keywords, and in its summary alone. Those of its heading are in its id.
type heldWords struct{ strong, summary uint64 }

// start is a place for the first two letters of a word, which its stem keeps.
func start(word []byte) int { return int(word[0]&31)<<5 | int(word[min(1, len(word)-1)]&31) }

// weighedTask is what the words of a text are worth in an index of which not all entries
// were read.
type weighedTask struct {
	text string
	w    *weigher
}

// weigh looks for the words of a task in all entries that words decide on.
func weigh(task string, ix *Index) *weigher {
	for i := range ix.weighed {
		if ix.weighed[i].text == task {
			return ix.weighed[i].w
		}
	}
	w := cutTask(task)
	if keepsHeld {
		w.kept = map[*Entry]heldWords{}
	}
	entries := 0.0
	for i := range ix.Entries {
		entries += w.count(&ix.Entries[i])
	}
	w.all = true
	w.weighIn(entries)
	return w
}

// cutTask cuts a task into the words that say something about it.
func cutTask(task string) *weigher {
	w := &weigher{}
	for w.begin(task); w.next(); {
		if len(w.stems) < maxWeighed && !isIdle(w.cut) && w.find() == 0 {
			w.words, w.stems = addText(w.words, w.scan.word[1:]), addText(w.stems, w.cut)
			at := start(w.cut)
			w.starts[at/32] |= 1 << (at % 32)
		}
	}
	return w
}

// count counts an entry for the words that it holds; 0 when words do not decide on it.
func (w *weigher) count(e *Entry) float64 {
	if e.mode() != Lazy || e.unusable() {
		return 0
	}
	held := w.held(e)
	for t := range w.stems {
		w.worth[t] += float64((held.strong | held.summary) >> t & 1)
	}
	return 1
}

// weighIn turns the number of entries that hold a word, given the number of all, into what it is worth.
func (w *weigher) weighIn(entries float64) {
	corpus := max(entries, minEntries) + 1
	for t := range w.stems {
		if w.worth[t] > 0 {
			w.worth[t] = rounded(math.Log(corpus/w.worth[t]) / math.Log(corpus))
		}
	}
}

// rounded is a number that is equal on every machine.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// addText appends a text that is in a buffer. It is one function, not inlined, since each
// place that appends costs the browser build some bytes.
func addText(list []string, text []byte) []string { return append(list, string(text)) }

// begin starts to cut a text into words, folded, and in pairs of characters where the
// script has no spaces.
func (w *weigher) begin(text string) { w.scan.text, w.scan.last, w.scan.held = text, 0, 0 }

// next goes to the next word and cuts its stem.
func (w *weigher) next() bool {
	word, ok := w.scan.next()
	if ok {
		w.cut = stem.Of(append(w.cut[:0], word[1:]...))
	}
	return ok
}

// find returns the bit of the stem among those of the task, 0 when it is not one of them.
func (w *weigher) find() uint64 {
	for t, s := range w.stems {
		if s == string(w.cut) {
			return 1 << t
		}
	}
	return 0
}

// eachStem calls yield with the stems of an entry that a word of a task may have, those of
// the summary last; the bytes are valid until it returns.
func (w *weigher) eachStem(e *Entry, yield func(stem []byte, inSummary bool)) {
	stems := func(text string, inSummary bool) {
		for w.begin(text); w.next(); {
			if !isIdle(w.cut) {
				yield(w.cut, inSummary)
			}
		}
	}
	stems(e.ID, false)
	for _, k := range e.Keywords {
		stems(k, false)
	}
	stems(e.Summary, true)
}

// Evidence is the arithmetic of a weighted score.
type Evidence struct {
	Words     []string  // of the task that the entry holds, folded
	Worth     []float64 // of each
	InSummary int       // how many of the last words are in the summary alone, worth half
}

// mask are the words of the task that a text holds, a bit for each.
func (w *weigher) mask(text string) (mask uint64) {
	w.begin(text)
	for word, ok := w.scan.next(); ok; word, ok = w.scan.next() {
		if at := start(word[1:]); w.starts[at/32]>>(at%32)&1 != 0 {
			w.cut = stem.Of(append(w.cut[:0], word[1:]...))
			mask |= w.find()
		}
	}
	return mask
}

// held are the words that an entry holds.
func (w *weigher) held(e *Entry) heldWords {
	if keepsHeld && w.all {
		return w.kept[e]
	}
	h := heldWords{strong: w.mask(e.ID)}
	for _, k := range e.Keywords {
		h.strong |= w.mask(k)
	}
	h.summary = w.mask(e.Summary) &^ h.strong
	if keepsHeld && w.kept != nil && h != (heldWords{}) {
		w.kept[e] = h
	}
	return h
}

// unlisted is the evidence of a score of which nobody asks for the words.
var unlisted = &Evidence{}

// score replaces the base of the score of an entry by what the words are worth that it
// holds; list asks for the words. Patterns hit as they do in the other dialects.
func (w *weigher) score(s *Score, held heldWords, list bool) {
	s.Base = 0
	if held != (heldWords{}) {
		s.Evidence = unlisted
		if list {
			s.Evidence = &Evidence{InSummary: bits.OnesCount64(held.summary)}
		}
		w.add(s, held.strong, 1, list)
		w.add(s, held.summary, summaryShare, list)
	}
	s.Base = rounded(s.Base / fullEvidence)
	s.Total = min(1, s.Base+s.PatternBonus)
}

// add adds what words are worth, and lists them in the evidence.
func (w *weigher) add(s *Score, mask uint64, share float64, list bool) {
	for t, word := range w.words {
		if mask>>t&1 != 0 {
			worth := rounded(w.worth[t] * share)
			s.Base += worth
			if list {
				s.Evidence.Words, s.Evidence.Worth = append(s.Evidence.Words, word), append(s.Evidence.Worth, worth)
			}
		}
	}
}

// appendEvidence appends the arithmetic of a weighted score as compact JSON.
func appendEvidence(dst []byte, v *Evidence) []byte {
	if v == nil {
		return dst
	}
	dst = appendStrings(appendText(dst, `,"words":`), v.Words)
	dst = appendText(dst, `,"worth":[`)
	for _, worth := range v.Worth {
		dst = AppendNumber(comma(dst), worth)
	}
	return AppendNumber(appendText(dst, `],"inSummary":`), float64(v.InSummary))
}

// change is the change of the words of a task that flips whether an entry is included: of
// those that it holds, or lacks, the ones that are worth most.
func (w *weigher) change(task string, r *Rating, ix *Index, opts *MatchOptions) (c Change) {
	from, sum := w, 0.0
	var worth [maxWeighed]float64
	held := w.held(r.Entry)
	for t := range w.stems {
		worth[t] = rounded(w.worth[t] * (float64(held.strong>>t&1) + summaryShare*float64(held.summary>>t&1)))
		sum += worth[t]
	}
	if !r.Included {
		from = weigh(r.Entry.ownWords(), ix)
		worth = from.worth
		for t, s := range from.stems {
			if w.cut = append(w.cut[:0], s...); w.find() != 0 {
				worth[t] = 0
			}
		}
	}
	taken := uint64(0)
	for n := len(w.stems); ; n++ {
		best := 0
		for t := range worth {
			if worth[t] > worth[best] {
				best = t
			}
		}
		if worth[best] == 0 || n >= maxWeighed && !r.Included {
			return c // no words are enough
		}
		taken |= 1 << best
		if r.Included {
			sum -= worth[best]
		} else {
			sum += worth[best]
		}
		worth[best] = 0
		if (min(1, rounded(sum/fullEvidence)+min(r.Score.PatternBonus, patternBonus)) >= opts.Threshold()) != r.Included {
			break
		}
	}
	if r.Included {
		c.Remove = append(namesIn(r.MatchedPatterns), w.taken(task, taken)...)
		return c
	}
	for t := range from.stems {
		if taken>>t&1 != 0 {
			c.Add = addWord(c.Add, from.words[t])
		}
	}
	return c
}

// ownWords are the words of an entry that count in full.
func (e *Entry) ownWords() string {
	text := e.ID
	for _, k := range e.Keywords {
		text += " " + k
	}
	return text
}

// taken are the words of a text that have one of some stems.
func (w *weigher) taken(text string, stems uint64) (words []string) {
	for w.begin(text); w.next(); {
		if w.find()&stems != 0 {
			words = addWord(words, string(w.scan.word[1:]))
		}
	}
	return words
}
