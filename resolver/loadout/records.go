package loadout

import "math"

// A record holds all that scoring an entry needs, side by side, because with
// many entries the time of a match is the time of fetching memory:
//
//	mode, keywords, first keyword, patterns, first pattern, tokens (two words),
//	then for each keyword and after that each pattern: how many terms, the terms
//
// "First" is a place in the lists of all keyword and pattern texts. A keyword
// or pattern that can never hit has no terms.
const (
	recordMode = iota
	recordKeywords
	recordFirstKeyword
	recordPatterns
	recordFirstPattern
	recordTokens
	recordWords = recordTokens + 2 // where the keywords begin
)

// The modes of a record.
const (
	recordLazy = iota
	recordEager
	recordManual
	recordUnusable // scored like lazy, but its shape keeps it out
)

// recordMode returns the mode of an entry's record.
func (e *Entry) recordMode() uint32 {
	switch {
	case e.Priority == PriorityCore:
		return recordEager
	case e.Priority == PriorityManual:
		return recordManual
	case e.unusable():
		return recordUnusable
	}
	return recordLazy
}

// loadModes gives the load mode for the mode of a record.
var loadModes = [...]Mode{recordLazy: Lazy, recordEager: Eager, recordManual: ByManual, recordUnusable: Lazy}

// records holds the records of all entries.
type records struct {
	start    []uint32 // by entry: its record in words; one more at the end
	words    []uint32
	keywords []string // of all entries, in order
	patterns []string
}

// of returns the record of an entry.
func (r *records) of(entry uint32) []uint32 {
	return r.words[r.start[entry]:r.start[entry+1]]
}

// recordEstimate returns the estimate in tokens, +Inf when it is unknown.
func recordEstimate(record []uint32) float64 {
	return math.Float64frombits(uint64(record[recordTokens]) | uint64(record[recordTokens+1])<<32)
}

// builder makes records, numbering words as it meets them.
type builder struct {
	records
	number map[string]uint32
	terms  []string // by number
}

// add appends the record of an entry.
func (b *builder) add(e *Entry) {
	mode := e.recordMode()
	bits := math.Float64bits(e.sortTokens())
	b.words = append(b.words, mode,
		uint32(len(e.Keywords)), uint32(len(b.keywords)),
		uint32(len(e.Patterns)), uint32(len(b.patterns)),
		uint32(bits), uint32(bits>>32))
	reached := mode == recordLazy || mode == recordManual
	for _, k := range e.Keywords {
		b.count(reached && Reachable(k), k, cutKeyword)
	}
	for _, p := range e.Patterns {
		b.count(reached, p, cutPattern)
	}
	b.keywords = append(b.keywords, e.Keywords...)
	b.patterns = append(b.patterns, e.Patterns...)
	b.start = append(b.start, uint32(len(b.words)))
}

// count appends the number of a text's pieces that can hit, and their terms.
func (b *builder) count(reached bool, text string, cut func(string) (piece, rest string, more bool)) {
	at := len(b.words)
	b.words = append(b.words, 0)
	for more := reached; more; {
		var piece string
		piece, text, more = cut(text)
		if reachable(piece) {
			b.words = append(b.words, b.intern(piece))
			b.words[at]++
		}
	}
}

func (b *builder) intern(word string) uint32 {
	n, ok := b.number[word]
	if !ok {
		n = uint32(len(b.terms))
		b.number[word] = n
		b.terms = append(b.terms, word)
	}
	return n
}

// eachSlot calls yield with the terms of every keyword of a record, then of
// every pattern. The terms may be changed in place.
func eachSlot(record []uint32, yield func(pattern bool, terms []uint32)) {
	at := uint32(recordWords)
	slots := record[recordKeywords] + record[recordPatterns]
	for i := range slots {
		n := record[at]
		yield(i >= record[recordKeywords], record[at+1:at+1+n])
		at += 1 + n
	}
}

// sound reports whether the records fit their entries and point only where
// they may.
func (r *records) sound(entries []Entry, terms int) bool {
	if !ascending(r.start, len(r.words)) {
		return false
	}
	keywords, patterns := uint64(0), uint64(0)
	for i := range entries {
		record := r.of(uint32(i))
		if len(record) < recordWords || record[recordMode] != entries[i].recordMode() ||
			uint64(record[recordFirstKeyword]) != keywords || uint64(record[recordFirstPattern]) != patterns ||
			!slotsSound(record, terms) {
			return false
		}
		keywords += uint64(record[recordKeywords])
		patterns += uint64(record[recordPatterns])
	}
	return keywords == uint64(len(r.keywords)) && patterns == uint64(len(r.patterns))
}

// slotsSound reports whether the slots of a record fill it exactly with terms
// that exist.
func slotsSound(record []uint32, terms int) bool {
	slots := uint64(record[recordKeywords]) + uint64(record[recordPatterns])
	rest := record[recordWords:]
	for range slots {
		if len(rest) == 0 || uint64(rest[0]) >= uint64(len(rest)) {
			return false
		}
		n := rest[0]
		if !below(rest[1:1+n], terms) {
			return false
		}
		rest = rest[1+n:]
	}
	return len(rest) == 0
}

// ascending reports whether starts begin at 0, never fall and end at end.
func ascending(starts []uint32, end int) bool {
	previous := uint32(0)
	for _, v := range starts {
		if v < previous {
			return false
		}
		previous = v
	}
	return starts[0] == 0 && uint64(previous) == uint64(end)
}

// below reports whether all numbers of a list are below a limit.
func below(list []uint32, limit int) bool {
	for _, v := range list {
		if uint64(v) >= uint64(limit) {
			return false
		}
	}
	return true
}
