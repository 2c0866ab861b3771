package loadout

import (
	"math"
	"slices"
)

// A record holds all that scoring an entry needs, side by side, because with
// many entries the time of a match is the time of fetching memory:
//
//	mode and patterns (recordModeBits), keywords, then a slot for each keyword
//	and after that for each pattern
//
// A slot is the number of its term, or slotList plus how many terms follow. A
// keyword or pattern that can never hit has a list of none.
//
// Records are in the order of rank: by tokens, unknown ones last, then by
// position. Candidates met in that order only have to be sorted by score.
const (
	recordHead     = iota // mode, and the number of patterns above it
	recordKeywords        // number of keywords
	recordSlots           // where the slots begin
)

const (
	recordModeBits = 2
	recordModeMask = 1<<recordModeBits - 1
	slotList       = 1 << 31
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

// loadMode returns the load mode for the mode of a record.
func loadMode(mode uint32) Mode {
	switch mode {
	case recordEager:
		return Eager
	case recordManual:
		return ByManual
	}
	return Lazy
}

// records holds the records of all entries.
type records struct {
	entry []uint32 // by rank: the entry's position
	start []uint32 // by rank: its record in words; one more at the end
	words []uint32
}

// of returns the record of a rank.
func (r *records) of(rank uint32) []uint32 {
	return r.words[r.start[rank]:r.start[rank+1]]
}

// mode returns the mode of the record of a rank.
func (r *records) mode(rank uint32) uint32 { return r.of(rank)[recordHead] & recordModeMask }

// slot splits the first slot off: its terms and what follows it.
func slot(slots []uint32) (terms, rest []uint32) {
	if slots[0] < slotList {
		return slots[:1], slots[1:]
	}
	n := 1 + slots[0]&^slotList
	return slots[1:n], slots[n:]
}

// builder makes records, numbering words as it meets them.
type builder struct {
	start  []uint32  // by position: its record in words; one more at the end
	words  []uint32  // the records
	tokens []float64 // by position: what ranks it
	number map[string]uint32
	terms  []string // by number
}

func newBuilder() *builder { return &builder{start: []uint32{0}, number: map[string]uint32{}} }

// ranked returns the records in the order of rank.
func (b *builder) ranked() records {
	r := records{
		entry: make([]uint32, len(b.tokens)), start: make([]uint32, 1, len(b.start)), words: make([]uint32, 0, len(b.words)),
	}
	for i := range r.entry {
		r.entry[i] = uint32(i)
	}
	slices.SortFunc(r.entry, func(x, y uint32) int {
		switch a, b := b.tokens[x], b.tokens[y]; {
		case a < b, a == b && x < y:
			return -1
		}
		return 1
	})
	for _, position := range r.entry {
		r.words = append(r.words, b.words[b.start[position]:b.start[position+1]]...)
		r.start = append(r.start, uint32(len(r.words)))
	}
	return r
}

// add appends the record of an entry.
func (b *builder) add(e *Entry) {
	b.tokens = append(b.tokens, e.sortTokens())
	mode := e.recordMode()
	b.words = append(b.words, mode|uint32(len(e.Patterns))<<recordModeBits, uint32(len(e.Keywords)))
	reached := mode == recordLazy || mode == recordManual
	for _, k := range e.Keywords {
		b.slot(e, k, false, reached)
	}
	for _, p := range e.Patterns {
		b.slot(e, p, true, reached)
	}
	b.start = append(b.start, uint32(len(b.words)))
}

// slot appends the slot of a keyword or pattern.
func (b *builder) slot(e *Entry, text string, pattern, reached bool) {
	var words []string
	if reached {
		var ok bool
		if words, ok = e.pieces(text, pattern); !ok {
			words = nil
		}
	}
	if len(words) != 1 {
		b.words = append(b.words, slotList+uint32(len(words)))
	}
	for _, w := range words {
		b.words = append(b.words, b.intern(w))
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
	keywords := record[recordKeywords]
	slots := record[recordSlots:]
	for i := uint32(0); len(slots) > 0; i++ {
		var terms []uint32
		terms, slots = slot(slots)
		yield(i >= keywords, terms)
	}
}

// slotsSound reports whether the slots of a record fill it exactly with terms
// that exist.
func slotsSound(record []uint32, terms int) bool {
	slots := uint64(record[recordKeywords]) + uint64(record[recordHead]>>recordModeBits)
	rest := record[recordSlots:]
	for range slots {
		if len(rest) == 0 || rest[0] >= slotList && uint64(rest[0]&^slotList) >= uint64(len(rest)) {
			return false
		}
		var list []uint32
		list, rest = slot(rest)
		if !below(list, terms) {
			return false
		}
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

// sortTokens returns the estimate for sorting: unknown ones come last.
func (e *Entry) sortTokens() float64 {
	if math.IsNaN(e.TokensEst) {
		return math.Inf(1)
	}
	return e.TokensEst
}

// amount is a sum the way JavaScript adds: numbers add, and text, once met,
// turns the sum into text that the rest is written after. Only wrongly typed
// estimates do that; sums outside compatibility mode are plain numbers.
type amount struct {
	number float64
	text   string
	isText bool
}

// plus returns the sum of a and a value.
func (a amount) plus(v Value) amount {
	switch v.Kind() {
	case String, Array, Object:
		return amount{text: a.String() + v.Text(), isText: true}
	}
	if a.isText {
		return amount{text: a.text + v.Text(), isText: true}
	}
	return amount{number: a.number + v.toNumber()}
}

// add returns the sum of two amounts.
func (a amount) add(b amount) amount {
	if a.isText || b.isText {
		return amount{text: a.String() + b.String(), isText: true}
	}
	return amount{number: a.number + b.number}
}

// String converts the amount to text.
func (a amount) String() string {
	if a.isText {
		return a.text
	}
	if math.IsNaN(a.number) {
		return "NaN"
	}
	return string(AppendNumber(nil, a.number))
}

// float converts the amount to a number.
func (a amount) float() float64 {
	if a.isText {
		return textToNumber(a.text)
	}
	return a.number
}

// append appends the amount as JSON.
func (a amount) append(dst []byte) []byte {
	if a.isText {
		return AppendString(dst, a.text)
	}
	return AppendNumber(dst, a.number)
}

// amountOf returns a value as an amount.
func amountOf(v Value) amount {
	if v.Kind() == String {
		s, _ := v.Str()
		return amount{text: s, isText: true}
	}
	return amount{number: v.toNumber()}
}

// tokens returns the estimate of an entry as it is in its index.
func (e *Entry) tokens() Value {
	if e.Raw != "" {
		return e.Raw.Get("tokens_est")
	}
	return Value(AppendNumber(nil, e.TokensEst))
}

// tally sums the estimates of entries. In compatibility mode it adds the way
// JavaScript does, otherwise entries without a number count nothing.
type tally struct {
	sum    amount
	compat bool
}

func (t *tally) add(e *Entry) {
	switch {
	case t.compat:
		t.sum = t.sum.plus(e.tokens())
	case !math.IsNaN(e.TokensEst):
		t.sum.number += e.TokensEst
	}
}
