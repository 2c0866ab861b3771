package loadout

import (
	"math"
	"slices"
)

// lookups lead from an id or a path to the entries that have it, and say what the entries
// add up to. Only an index has them that is sound: each entry has an id and words of the
// right shape, and an estimate that is a whole number or missing, so that sums do not
// depend on an order. In an index.bin they follow the head: to readers that know nothing of
// them they are text that nothing refers to.
type lookups struct {
	domain         int // entries of that priority
	always, demand int64
	ids, paths     keyTable
}

// keyTable has the hash of a text of each entry, sorted, and the position of the entry.
type keyTable struct{ keys, positions []uint32 }

// lookupMagic begins the lookups; no text of an index begins with its first byte.
const (
	lookupMagic = 0x4b4f4c01 // 1, "LOK"
	lookupHead  = 6          // numbers before the tables
)

// mostTokens is the largest estimate that lookups sum up.
const mostTokens = 1 << 31

// Key is the hash of an id or a path, by which a prebuilt index finds the entries that may
// have it: FNV-1a.
func Key(text string) uint32 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

// add adds the next entry; it is not ok when the index is not sound.
func (l *lookups) add(e *Entry) (ok bool) {
	tokens := e.TokensEst
	if math.IsNaN(tokens) {
		tokens = 0
	}
	if e.Fault != FaultNone || e.ID == "" || textForList(e) || tokens < 0 || tokens > mostTokens || tokens != math.Floor(tokens) {
		return false
	}
	l.count(e, int64(tokens))
	l.ids.keys, l.paths.keys = append(l.ids.keys, Key(e.ID)), append(l.paths.keys, Key(e.Path))
	return true
}

// textForList reports an entry with a text in place of a list of words.
func textForList(e *Entry) bool {
	return e.JSON().Get("keywords").Kind() == String || e.JSON().Get("patterns").Kind() == String
}

func (l *lookups) count(e *Entry, tokens int64) {
	if e.Priority == PriorityCore {
		l.always += tokens
	} else {
		l.demand += tokens
	}
	if e.Priority == PriorityDomain {
		l.domain++
	}
}

// sort sorts the hashes, which were added in the order of entries.
func (t *keyTable) sort() {
	both := make([]uint64, len(t.keys))
	for i, key := range t.keys {
		both[i] = uint64(key)<<32 | uint64(i)
	}
	slices.Sort(both)
	t.positions = make([]uint32, len(both))
	for i, b := range both {
		t.keys[i], t.positions[i] = uint32(b>>32), uint32(b)
	}
}

// of returns the positions of the entries whose text has a hash, ascending.
func (t *keyTable) of(key uint32) []uint32 {
	from, _ := slices.BinarySearch(t.keys, key)
	to := from
	for to < len(t.keys) && t.keys[to] == key {
		to++
	}
	return t.positions[from:to]
}

// append appends the lookups to the text of a file.
func (l *lookups) append(text []byte) []byte {
	text = appendWords(text, []uint32{
		lookupMagic, uint32(l.domain), uint32(l.always), uint32(l.always >> 32), uint32(l.demand), uint32(l.demand >> 32),
	})
	for _, table := range [][]uint32{l.ids.keys, l.ids.positions, l.paths.keys, l.paths.positions} {
		text = appendWords(text, table)
	}
	return text
}

// openLookups reads the lookups, once they are needed; nil where the file has none.
func (p *Part) openLookups() (*lookups, error) {
	at := int64(p.header[fieldHead]) + int64(p.header[fieldHead+1])
	n := int64(p.header[fieldEntries])
	size := 4 * (lookupHead + 4*n)
	if p.lookups != nil || at+size > int64(p.header[fieldText]) {
		return p.lookups, nil
	}
	table, err := p.table(p.text+at, size)
	if err != nil || table.word() != lookupMagic {
		return nil, err
	}
	long := func() int64 {
		low := table.word()
		return int64(low) | int64(table.word())<<32
	}
	l := &lookups{domain: int(table.word())}
	l.always, l.demand = long(), long()
	l.ids = keyTable{table.inPlace(n), table.inPlace(n)}
	l.paths = keyTable{table.inPlace(n), table.inPlace(n)}
	if !slices.IsSorted(l.ids.keys) || !slices.IsSorted(l.paths.keys) || !below(l.ids.positions, int(n)) || !below(l.paths.positions, int(n)) {
		return nil, errBinaryDamaged
	}
	p.lookups = l
	return l, nil
}
