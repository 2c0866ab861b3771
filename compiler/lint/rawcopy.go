package lint

import (
	"context"
	"hash/maphash"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/prose"
)

// copyWords is how many words in a row make a copied passage (agent-knowledge
// section 6.10, raw-copy).
const copyWords = 60

// maxCopyWords is how many words one CopyIndex takes in: about 50 MiB of text,
// for which it needs up to three times that much memory. Add reports what found
// no room; a second index can take it.
const maxCopyWords = 1 << 23

// Copy is a passage that is word for word in a source.
type Copy struct {
	Source     string // name given to Add
	Start, End int    // byte offsets into the text given to Find
	Words      int    // at least copyWords
}

// CopyIndex knows every run of copyWords words of some sources and finds them
// again in other texts. It is built once for a pack and may then be used by
// several goroutines. Both building and finding take time linear in the text.
//
// Words are runs of letters, digits and marks, in lower case, without the
// apostrophes in them; anchors and status markers are not words, so that a passage
// does not pass for new because it was cited. Scripts without blanks count each
// character as half a word.
type CopyIndex struct {
	seed    maphash.Seed
	sources []copySource
	words   []uint32 // hash of every word of all sources
	// table finds a run by its hash: open addressing, the upper half of an entry
	// a part of the hash, the lower one the position of the run plus one.
	table []uint64
	used  int
	out   uint64 // weight of a word that leaves a rolling hash
}

type copySource struct {
	name  string
	start int // of its words
}

// NewCopyIndex returns an index without sources.
func NewCopyIndex() *CopyIndex {
	out := uint64(1)
	for range copyWords - 1 {
		out *= rollBase
	}
	return &CopyIndex{seed: maphash.MakeSeed(), out: out}
}

// Add takes in one source. It reports false, and takes in nothing, when the index
// would hold more than maxCopyWords.
func (x *CopyIndex) Add(name string, text []byte) bool {
	start := len(x.words)
	x.each(text, func(w copyWord) bool {
		x.words = append(x.words, w.hash)
		return len(x.words) <= maxCopyWords
	})
	if len(x.words) > maxCopyWords {
		x.words = x.words[:start]
		return false
	}
	x.sources = append(x.sources, copySource{name, start})
	x.enter(start)
	return true
}

// enter puts the runs of the newest source into the table. Of equal runs the
// first stays: any of them proves the copy.
func (x *CopyIndex) enter(start int) {
	x.grow(x.used + max(0, len(x.words)-start-copyWords+1))
	hash := uint64(0)
	for i := start; i < len(x.words); i++ {
		if i-start >= copyWords {
			hash -= (uint64(x.words[i-copyWords]) + 1) * x.out
		}
		hash = hash*rollBase + uint64(x.words[i]) + 1
		if first := i - copyWords + 1; first >= start {
			x.insert(stir(hash), first)
		}
	}
}

// grow makes room for n runs at a load of at most two thirds.
func (x *CopyIndex) grow(n int) {
	if 3*n <= 2*len(x.table) {
		return
	}
	old := x.table
	x.table = make([]uint64, 1<<bits.Len(uint(max(64, 3*n/2))))
	for _, e := range old {
		if e != 0 {
			x.place(e)
		}
	}
}

// slot is where the search for a hash begins.
func (x *CopyIndex) slot(hash uint64) int {
	return int(hash >> 32 * uint64(len(x.table)) >> 32)
}

// place puts an entry into the first free slot.
func (x *CopyIndex) place(entry uint64) {
	i := x.slot(entry)
	for x.table[i] != 0 {
		i = (i + 1) & (len(x.table) - 1)
	}
	x.table[i] = entry
}

func (x *CopyIndex) insert(hash uint64, at int) {
	if _, ok := x.lookup(hash, x.words[at:at+copyWords]); !ok {
		x.place(hash&^0xFFFFFFFF | uint64(at+1))
		x.used++
	}
}

// lookup returns where a run of words, with that hash, starts.
func (x *CopyIndex) lookup(hash uint64, run []uint32) (at int, ok bool) {
	for i := x.slot(hash); x.table[i] != 0; i = (i + 1) & (len(x.table) - 1) {
		at = int(uint32(x.table[i])) - 1
		if x.table[i]>>32 == hash>>32 && slices.Equal(x.words[at:at+copyWords], run) {
			return at, true
		}
	}
	return 0, false
}

// Find returns the passages of a text that are in a source, in order. Passages
// of one source that overlap are one.
func (x *CopyIndex) Find(text []byte) []Copy {
	if len(x.table) == 0 {
		return nil
	}
	s := scratches.Get().(*scratch)
	s.view, s.hashes = s.view[:0], s.hashes[:0]
	x.each(text, func(w copyWord) bool {
		s.view, s.hashes = append(s.view, w), append(s.hashes, w.hash)
		return true
	})
	found := x.compare(s.view, s.hashes)
	if cap(s.view) <= maxScratch {
		scratches.Put(s)
	}
	return found
}

// scratch is room for the words of a text that is compared.
type scratch struct {
	view   []copyWord
	hashes []uint32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// maxScratch is the number of words up to which the room is kept for the next
// text.
const maxScratch = 1 << 15

// compare returns the runs of a text, given as its words and their hashes.
func (x *CopyIndex) compare(view []copyWord, hashes []uint32) []Copy {
	var found []Copy
	hash, done := uint64(0), 0 // done: offset in the text up to which all is reported
	for i := range view {
		if i >= copyWords {
			hash -= (uint64(hashes[i-copyWords]) + 1) * x.out
		}
		hash = hash*rollBase + uint64(hashes[i]) + 1
		first := i - copyWords + 1
		if first < 0 || view[i].end <= done {
			continue
		}
		at, ok := x.lookup(stir(hash), hashes[first:i+1])
		if !ok {
			continue
		}
		if c, ok := x.extend(view, first, at); ok {
			found, done = join(found, c), c.End
		}
	}
	return found
}

// extend checks word by word that a run is in a source and follows it to its
// end.
func (x *CopyIndex) extend(view []copyWord, first, at int) (Copy, bool) {
	source, end := x.sourceAt(at)
	n, weight := 0, 0 // weight in half words
	for first+n < len(view) && at+n < end && view[first+n].hash == x.words[at+n] {
		weight += view[first+n].weight()
		n++
	}
	// A run counts as long as its words are whole. Half words need more of them,
	// which may be on both sides.
	for first > 0 && at > source.start && weight < 2*copyWords && view[first-1].hash == x.words[at-1] {
		first, at, n = first-1, at-1, n+1
		weight += view[first].weight()
	}
	if weight < 2*copyWords {
		return Copy{}, false
	}
	return Copy{Source: source.name, Start: view[first].start, End: view[first+n-1].end, Words: weight / 2}, true
}

// sourceAt returns the source that holds a word, and where its words end.
func (x *CopyIndex) sourceAt(at int) (copySource, int) {
	low, high := 0, len(x.sources)
	for high-low > 1 {
		if mid := (low + high) / 2; x.sources[mid].start <= at {
			low = mid
		} else {
			high = mid
		}
	}
	if high < len(x.sources) {
		return x.sources[low], x.sources[high].start
	}
	return x.sources[low], len(x.words)
}

// join adds a passage, to the last one when both overlap in the text.
func join(found []Copy, c Copy) []Copy {
	if n := len(found); n > 0 && found[n-1].Source == c.Source && c.Start < found[n-1].End {
		last := &found[n-1]
		last.End = max(last.End, c.End)
		last.Words = max(last.Words, c.Words)
		return found
	}
	return append(found, c)
}

// rollBase is the base of the rolling hash: a polynomial over the last copyWords
// words, modulo 2 to the 64th.
const rollBase = 0x9E3779B97F4A7C15

// stir spreads a rolling hash over its upper half, which the table uses.
func stir(v uint64) uint64 {
	v = (v ^ v>>32) * 0xD6E8FEB86659FD93
	return (v ^ v>>32) * 0xD6E8FEB86659FD93
}

// copyWord is one word of a text.
type copyWord struct {
	hash       uint32
	half       bool
	start, end int // byte offsets
}

func (w copyWord) weight() int {
	if w.half {
		return 1
	}
	return 2
}

// each calls visit with the words of a text until it returns false.
func (x *CopyIndex) each(text []byte, visit func(copyWord) bool) {
	var buf []byte
	for i := 0; i < len(text); {
		if text[i] == '[' {
			if n := bracketLength(text[i:]); n > 0 {
				i += n
				continue
			}
		}
		c, size := rune(text[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRune(text[i:])
		}
		switch {
		case isUnspaced(c):
			if !visit(copyWord{uint32(maphash.Bytes(x.seed, text[i:i+size])), true, i, i + size}) {
				return
			}
			i += size
		case isWordPart(c):
			end := i
			buf, end = foldWord(buf[:0], text, i)
			if !visit(copyWord{uint32(maphash.Bytes(x.seed, buf)), false, i, end}) {
				return
			}
			i = end
		default:
			i += size
		}
	}
}

func isWordPart(c rune) bool {
	if c < utf8.RuneSelf {
		return prose.IsLetter(byte(c)) || prose.IsDigit(byte(c))
	}
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c)
}

// isUnspaced reports a character of a script that puts no blanks between words.
func isUnspaced(c rune) bool {
	return c >= 0x0E00 && (unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// asciiWord returns an ASCII letter or digit in lower case, 0 for another byte.
func asciiWord(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', prose.IsDigit(c):
		return c
	case c >= 'A' && c <= 'Z':
		return c | 0x20
	}
	return 0
}

// foldWord appends the word at i in lower case, apostrophes dropped, and returns
// its end.
func foldWord(buf, text []byte, i int) (word []byte, end int) {
	for end = i; end < len(text); {
		if b := asciiWord(text[end]); b != 0 {
			buf = append(buf, b)
			end++
			continue
		}
		c, size := utf8.DecodeRune(text[end:])
		if c == '\'' || c == '’' {
			next, _ := utf8.DecodeRune(text[end+size:])
			if !unicode.IsLetter(next) || isUnspaced(next) {
				break
			}
		} else if !isWordPart(c) || isUnspaced(c) {
			break
		} else {
			buf = utf8.AppendRune(buf, unicode.ToLower(c))
		}
		end += size
	}
	return buf, end
}

// maxBracket is the longest anchor or marker that is left out, in bytes.
const maxBracket = 4096

// bracketLength returns the length of a source anchor or status marker at the
// start of a text; 0 when there is none.
func bracketLength(text []byte) int {
	if !hasFoldPrefix(text[1:], "source:") && !hasFoldPrefix(text[1:], "status:") {
		return 0
	}
	for i := 1; i < min(len(text), maxBracket); i++ {
		switch text[i] {
		case ']':
			return i + 1
		case '[':
			return 0
		}
	}
	return 0
}

func hasFoldPrefix(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && prose.Lower(text[:len(prefix)]) == prefix
}

// rawCopies compares texts, by their paths, with the files of sources/ and
// returns a warning raw-copy for each passage that was copied (agent-knowledge
// section 6.10). Sources are read once; texts may be asked for several times,
// once for each [maxCopyWords] of sources, and not at all when there are none.
// A source that is not text, or has more words than that, is skipped. The
// error is for a file that cannot be read, and for a context that ended.
func rawCopies(ctx context.Context, p *pack.Pack, texts iter.Seq2[string, []byte]) ([]diag.Diagnostic, error) {
	var list []diag.Diagnostic
	index := NewCopyIndex()
	compare := func() {
		if index.used == 0 {
			return
		}
		for name, text := range texts {
			list = append(list, CopyFindings(name, text, index.Find(text))...)
		}
	}
	for _, f := range p.List("sources") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if f.Size > maxScanned {
			continue
		}
		text, ok, err := readText(p, f.Path)
		if err != nil {
			return nil, err
		}
		if ok && !index.Add(f.Path, text) {
			compare()
			index = NewCopyIndex()
			index.Add(f.Path, text)
		}
	}
	compare()
	return list, ctx.Err()
}

// findCopies looks for copied passages in the files of compiled/, except for those
// where the compile has found some.
func (r *run) findCopies(ctx context.Context) error {
	known := map[string]bool{}
	for _, d := range r.in.Diagnostics {
		if d.ID == idRawCopy {
			known[d.Path] = true
		}
	}
	var failed error
	views := func(yield func(string, []byte) bool) {
		for _, f := range r.pack.List("compiled") {
			if !strings.HasSuffix(f.Path, ".md") || known[f.Path] || f.Size > maxScanned {
				continue
			}
			text, ok, err := readText(r.pack, f.Path)
			if err != nil {
				failed = err
				return
			}
			if ok && !yield(f.Path, text) {
				return
			}
		}
	}
	list, err := rawCopies(ctx, r.pack, views)
	if err != nil {
		return err
	}
	r.list = slices.Concat(r.list, list)
	return failed
}
