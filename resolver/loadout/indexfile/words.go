package indexfile

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// The file index.words is little-endian: a head of fixed size, tables, then the
// entries as JSON.
//
//	magic, CRC of head and tables, seal of the index.json, counts
//	for each word, sorted: offset of its text, first of its posts
//	posts: number of an entry, the highest bit set for a pattern
//	core entries; keywords of each entry; offset and CRC of each entry
//	texts of the words
//	entries
const (
	wordsMagic  = "packgen words 2\n"
	wordsHead   = len(wordsMagic) + 4 + sealBytes + 4*countFields
	countFields = 5
	patternBit  = 1 << 31
	// maxWordsTables bounds the tables that are read, in bytes.
	maxWordsTables = 1 << 30
)

var errWords = errors.New("index.words does not belong to its index.json, or is damaged")

// wordsPath returns the path of the index.words of an index.json.
func wordsPath(json string) string {
	return strings.TrimSuffix(json, filepath.Ext(json)) + ".words"
}

// counts are the sizes of the tables.
type counts struct{ entries, words, posts, core, text uint32 }

func (c *counts) list() []*uint32 {
	return []*uint32{&c.entries, &c.words, &c.posts, &c.core, &c.text}
}

// tables is the size of what lies between head and entries, in bytes.
func (c *counts) tables() int64 {
	return 4*(2*(int64(c.words)+1)+int64(c.posts)+int64(c.core)+int64(c.entries)+2*(int64(c.entries)+1)) + int64(c.text)
}

// buildWords makes an index.words; nil for an index that cuts words in another
// way than the plain one.
func buildWords(text []byte, of seal) []byte {
	ix, err := indexjson.Read(text)
	if err != nil || ix.Tokenizer != "" {
		return nil
	}
	posts := map[string][]uint32{}
	var core, keywords []uint32
	for i := range ix.Entries {
		e := &ix.Entries[i]
		keywords = append(keywords, uint32(len(e.Keywords)))
		switch e.Priority {
		case loadout.PriorityCore:
			core = append(core, uint32(i))
			continue
		case loadout.PriorityManual:
			continue // the hook never points to it
		}
		for _, k := range e.Keywords {
			// All pieces have to be words of the task, so one of them will do.
			pieces := strings.FieldsFunc(k, func(r rune) bool { return r == '-' || javascript.IsSpace(r) })
			if len(pieces) > 0 {
				word := pieces[len(pieces)-1]
				posts[word] = append(posts[word], uint32(i))
			}
		}
		for _, p := range e.Patterns {
			for piece := range strings.SplitSeq(p, "_") {
				posts[piece] = append(posts[piece], uint32(i)|patternBit)
			}
		}
	}
	return encodeWords(ix, posts, core, keywords, of)
}

func encodeWords(ix *loadout.Index, posts map[string][]uint32, core, keywords []uint32, of seal) []byte {
	words := make([]string, 0, len(posts))
	for w := range posts {
		words = append(words, w)
	}
	slices.Sort(words)
	c := counts{entries: uint32(len(ix.Entries)), words: uint32(len(words)), core: uint32(len(core))}
	var starts, list []uint32
	var texts strings.Builder
	for _, w := range words {
		starts = append(starts, uint32(texts.Len()), uint32(len(list)))
		texts.WriteString(w)
		list = append(list, posts[w]...)
	}
	starts = append(starts, uint32(texts.Len()), uint32(len(list)))
	c.posts, c.text = uint32(len(list)), uint32(texts.Len())
	var places []uint32
	var entries []byte
	table := crc32.MakeTable(crc32.Castagnoli)
	for i := range ix.Entries {
		raw := ix.Entries[i].JSON()
		places = append(places, uint32(len(entries)), crc32.Checksum([]byte(raw), table))
		entries = append(entries, raw...)
	}
	places = append(places, uint32(len(entries)), 0)

	le := binary.LittleEndian
	rest := of.append(nil)
	for _, n := range c.list() {
		rest = le.AppendUint32(rest, *n)
	}
	for _, t := range [][]uint32{starts, list, core, keywords, places} {
		for _, n := range t {
			rest = le.AppendUint32(rest, n)
		}
	}
	rest = append(rest, texts.String()...)
	out := le.AppendUint32([]byte(wordsMagic), crc32.Checksum(rest, table))
	return append(append(out, rest...), entries...)
}

// Words answers single prompts from an index.words.
type Words struct {
	file                              *os.File
	counts                            counts
	starts, posts, core, keys, places []byte
	text                              []byte
	base                              int64 // offset of the entries
}

// OpenWords opens the index.words of an index.json. It is an error when there is
// none, or it belongs to other bytes.
func OpenWords(json string) (w *Words, err error) {
	f, _, err := regular.Open(wordsPath(json))
	if err != nil {
		return nil, errWords
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	le := binary.LittleEndian
	head := make([]byte, wordsHead)
	if _, err := f.ReadAt(head, 0); err != nil || string(head[:len(wordsMagic)]) != wordsMagic {
		return nil, errWords
	}
	at := len(wordsMagic) + 4
	if !readSeal(head[at:]).fits(json) {
		return nil, errWords
	}
	w = &Words{file: f}
	for i, n := range w.counts.list() {
		*n = le.Uint32(head[at+sealBytes+4*i:])
	}
	size := w.counts.tables()
	if own, err := f.Stat(); err != nil || size > maxWordsTables || size > own.Size() {
		return nil, errWords
	}
	tables := make([]byte, size)
	if _, err := f.ReadAt(tables, int64(wordsHead)); err != nil {
		return nil, errWords
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	if crc32.Update(crc32.Checksum(head[at:], table), table, tables) != le.Uint32(head[len(wordsMagic):]) {
		return nil, errWords
	}
	w.cut(tables)
	w.base = int64(wordsHead) + size
	return w, nil
}

// cut divides the tables.
func (w *Words) cut(tables []byte) {
	c := &w.counts
	take := func(n uint32) []byte {
		part := tables[:n]
		tables = tables[n:]
		return part
	}
	w.starts, w.posts, w.core, w.keys, w.places = take(8*(c.words+1)), take(4*c.posts), take(4*c.core), take(4*c.entries), take(8*(c.entries+1))
	w.text = take(c.text)
}

// Len is the number of entries.
func (w *Words) Len() int { return int(w.counts.entries) }

// Match returns what loadout.Match returns for the recall dialect, manual entries
// and those with a score below the floor left out.
func (w *Words) Match(task string, floor float64) ([]loadout.Result, error) {
	hits := make([]uint16, w.counts.entries)
	pattern := make([]bool, w.counts.entries)
	var touched []uint32
	for _, word := range loadout.Words(task) {
		for _, p := range w.find(word) {
			e := p &^ patternBit
			if e >= w.counts.entries {
				return nil, errWords
			}
			if hits[e] == 0 && !pattern[e] {
				touched = append(touched, e)
			}
			if p&patternBit != 0 {
				pattern[e] = true
			} else if hits[e] < 1<<16-1 {
				hits[e]++
			}
		}
	}
	var chosen []uint32
	for i := range w.counts.core {
		chosen = append(chosen, number(w.core, i))
	}
	for _, e := range touched {
		if w.most(hits[e], pattern[e], number(w.keys, e)) >= floor {
			chosen = append(chosen, e)
		}
	}
	slices.Sort(chosen)
	return w.score(task, chosen)
}

// most is the score an entry has when every keyword hits one of whose words is
// in the task (loadout section 7).
func (w *Words) most(hits uint16, pattern bool, keywords uint32) float64 {
	score := float64(hits) / 5
	if keywords > 0 {
		score = max(score, float64(hits)/float64(keywords))
	}
	if pattern {
		score += 0.2
	}
	return min(1, score)
}

// score matches the task with the entries chosen.
func (w *Words) score(task string, chosen []uint32) ([]loadout.Result, error) {
	ix := &loadout.Index{Version: loadout.Version, Entries: make([]loadout.Entry, 0, len(chosen))}
	table := crc32.MakeTable(crc32.Castagnoli)
	for _, e := range chosen {
		if e >= w.counts.entries {
			return nil, errWords
		}
		start, end := number(w.places, 2*e), number(w.places, 2*e+2)
		if end < start || end-start > indexjson.MaxIndex {
			return nil, errWords
		}
		raw := make([]byte, end-start)
		if _, err := w.file.ReadAt(raw, w.base+int64(start)); err != nil || crc32.Checksum(raw, table) != number(w.places, 2*e+1) {
			return nil, errWords
		}
		ix.Entries = append(ix.Entries, loadout.DecodeEntry(loadout.Value(raw)))
	}
	return loadout.Match(task, ix, loadout.MatchOptions{Dialect: loadout.Recall})
}

// find returns the posts of a word.
func (w *Words) find(word string) []uint32 {
	n := int(w.counts.words)
	i := sort.Search(n, func(i int) bool { return string(w.word(uint32(i))) >= word })
	if i == n || string(w.word(uint32(i))) != word {
		return nil
	}
	start, end := number(w.starts, 2*uint32(i)+1), number(w.starts, 2*uint32(i)+3)
	if start > end || end > w.counts.posts {
		return nil
	}
	list := make([]uint32, 0, end-start)
	for p := start; p < end; p++ {
		list = append(list, number(w.posts, p))
	}
	return list
}

func (w *Words) word(i uint32) []byte {
	start, end := number(w.starts, 2*i), number(w.starts, 2*i+2)
	if start > end || end > w.counts.text {
		return nil
	}
	return w.text[start:end]
}

// number is one number of a table.
func number(table []byte, i uint32) uint32 { return binary.LittleEndian.Uint32(table[4*i:]) }
