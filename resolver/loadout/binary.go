package loadout

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// The prebuilt index, index.bin: an index together with its postings. All
// numbers are little endian; a text is as offset and size, in bytes, in the
// text section.
//
//	header    20 × uint32 (the field constants below)
//	rows      entries × 16 × uint32: five texts (raw, id, path, summary,
//	          priority), flags, lines, the estimate as a float64, how many
//	          keywords and patterns
//	records   entry (entries), start (entries + 1), words: see scorerecords.go
//	texts     of all keywords, all patterns, all terms: 2 × uint32 each
//	postings  start (terms + 1), posts
//	text      bytes; they may end in the stems of the weighted dialect, see posting.go
//	checksum  uint32: CRC-32C of everything before it
const (
	binaryMagic0  = 0x4c444b50 // "PKDL"
	binaryMagic1  = 0x0a1a0d58 // X, CR, SUB, LF: damaged by text transfers
	binaryVersion = 1
)

// The fields of the header.
const (
	fieldMagic0 = iota
	fieldMagic1
	fieldVersion
	fieldEntries
	fieldRecords
	fieldKeywords
	fieldPatterns
	fieldTerms
	fieldPosts
	fieldText   // bytes
	fieldHead   // two words: the index without its entries, a text
	fieldBudget = fieldHead + 2
	// fieldBudget is four float64; the last is NaN when nothing was observed.
	headerFields = fieldBudget + 8
)

// The flags of a row. The entry's fault is above them.
const (
	flagTask = 1 << iota
	flagPlan
	flagEdit
	flagUnicode
	faultShift = iota
)

const (
	rowFields     = 16
	checksumBytes = 4
	// maxBinary is the largest file that is read or written, in bytes.
	maxBinary = 1 << 30 // 1 GiB
	// searchRaw is the size of an entry in bytes up to which its texts are
	// looked for in its raw form, to store them once.
	searchRaw = 4 << 10 // 4 KiB
)

// BinaryError says why an index.bin cannot be used.
type BinaryError struct {
	Problem string
}

func (e *BinaryError) Error() string { return "prebuilt index: " + e.Problem }

var (
	errBinaryDamaged = &BinaryError{"damaged: the checksum or a table does not hold"}
	errBinaryForeign = &BinaryError{"not a prebuilt index of this version"}
	errBinaryLarge   = &BinaryError{"larger than 1 GiB"}
)

// head returns the text of the index with its entries emptied.
func (ix *Index) head() Value {
	if ix.Head != "" {
		return ix.Head
	}
	empty := *ix
	empty.Entries = nil
	return Value(AppendIndex(nil, &empty))
}

// binarySize returns the size in bytes of a file with that header.
func binarySize(h *[headerFields]uint32) uint64 {
	words := headerFields + uint64(h[fieldEntries])*(rowFields+2) + 1 + uint64(h[fieldRecords]) +
		2*uint64(h[fieldKeywords]) + 2*uint64(h[fieldPatterns]) + 3*uint64(h[fieldTerms]) + 1 + uint64(h[fieldPosts])
	return 4*words + uint64(h[fieldText]) + checksumBytes
}

// Most is how many entries a breakdown lists: of the included ones, and of the others.
type Most struct{ Included, Others int }

// rated is what the tables say of an entry for a task.
type rated struct {
	total    float64
	rank     uint32
	mode     uint32 // of its record
	included bool
}

// Detail returns what the function Detail returns for the same index, of which it lists at
// most that many entries; [Breakdown.Total] and [Breakdown.Loads] count all of them. It is
// nil where the whole index has to be read: for the quirks of the originals, for other
// wordings, and for an index that is not sound.
func (p *Part) Detail(task string, opts MatchOptions, most Most) (*Breakdown, error) {
	if l, err := p.openLookups(); err != nil || l == nil || opts.Compat || len(opts.Also) > 0 {
		return nil, err
	}
	found, err := p.rate(task, &opts)
	if err != nil {
		return nil, err
	}
	listed := map[bool]int{}
	few, positions, err := p.best(found, func(r *rated) bool {
		listed[r.included]++
		if r.included {
			return listed[true] <= most.Included
		}
		return listed[false] <= most.Others
	})
	if err != nil {
		return nil, err
	}
	counted := sums{total: len(found)}
	if counted.loads, err = p.loads(found); err != nil {
		return nil, err
	}
	b, err := Detail(task, few, opts)
	if err != nil {
		return nil, err
	}
	for i := range b.Entries {
		b.Entries[i].position = positions[b.Entries[i].position]
	}
	b.sums = &counted
	if p.finder.marks && p.Size() > 0 {
		b.Words = displayed(appendTokens(nil, task, true, true))
		if opts.weigher != nil {
			b.Words = withNames(opts.weigher.words, task)
		}
	}
	return b, nil
}

// rate scores, by the tables alone, every core entry and every entry that a word of the
// task hits.
func (p *Part) rate(task string, opts *MatchOptions) ([]rated, error) {
	if err := p.index.Check(); err != nil {
		return nil, err
	}
	var held []heldWords
	if opts.Dialect == Weighted {
		var err error
		if opts.weigher, held, err = p.weigh(task); err != nil {
			return nil, err
		}
	}
	p.finder.collect(task)
	var found []rated
	p.finder.eachCandidate(func(rank uint32) {
		if !slotsSound(p.finder.post.of(rank), len(p.finder.post.terms)) {
			return
		}
		h := p.finder.count(rank)
		s := opts.Dialect.score(h.keywords, h.all, h.bonus)
		if held != nil && h.mode == recordLazy {
			opts.weigher.score(&s, held[rank], false)
		}
		included := opts.includes(loadMode(h.mode), &s)
		if h.mode == recordEager || h.keywords+h.patterns > 0 || s.Evidence != nil {
			found = append(found, rated{s.rank(), rank, h.mode, included})
		}
	})
	return found, nil
}

// Where a row has the estimate of tokens, and how many rows are read at once.
const (
	rowEstimate = 4 * 12
	rowsAtOnce  = 64
)

// loads sums up what the included entries cost.
func (p *Part) loads(found []rated) (l Loads, err error) {
	const row = 4 * rowFields
	found = slices.DeleteFunc(slices.Clone(found), func(r rated) bool { return !r.included })
	place := func(r rated) int { return int(p.finder.post.entry[r.rank]) }
	slices.SortFunc(found, func(a, b rated) int { return place(a) - place(b) })
	data, block := make([]byte, rowsAtOnce*row), -1
	for _, r := range found {
		at := place(r)
		if at/rowsAtOnce != block {
			block = at / rowsAtOnce
			first := block * rowsAtOnce
			if err := p.read(data[:min(rowsAtOnce, p.Size()-first)*row], p.rows+int64(first)*row); err != nil {
				return l, err
			}
		}
		estimate := data[at%rowsAtOnce*row+rowEstimate:]
		l.add(math.Float64frombits(uint64(word(estimate))|uint64(word(estimate[4:]))<<32), r.mode == recordEager)
	}
	return l, nil
}

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

// Part answers from an index.bin of which only what a match needs is in memory:
// the postings, not the entries. A program that lives for one prompt reads a
// quarter of the file that way. The checksum covers the whole file and is not
// looked at; in its place every table is checked before it is used, and every
// entry of an answer is scored again by its own text. So damage of the tables can
// cost a result, or change what a word is worth in the weighted dialect, and never makes one.
type Part struct {
	read    func(b []byte, offset int64) error
	header  [headerFields]uint32
	rows    int64      // offset of the rows
	text    int64      // offset of the text
	index   Index      // without its entries
	finder  wordFinder // of entries that were not read
	all     string     // the text, once it was needed as a whole
	stems   partStems  // empty until they are needed
	lookups *lookups   // once they were needed
	ids     []uint32   // offset and size of each id, once they were needed
}

// OpenPart opens an index.bin of that many bytes. A file that is cut short or of
// another version is a *BinaryError, as is one whose postings are damaged; an
// error of read is returned as it is.
func OpenPart(read func(b []byte, offset int64) error, size int64) (*Part, error) {
	if size > maxBinary {
		return nil, errBinaryLarge
	}
	if size < 4*headerFields+checksumBytes {
		return nil, errBinaryForeign
	}
	p := &Part{read: read, rows: 4 * headerFields}
	if err := p.open(size); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Part) open(size int64) error {
	data := make([]byte, 4*headerFields)
	if err := p.read(data, 0); err != nil {
		return err
	}
	h := &p.header
	for i := range h {
		h[i] = word(data[4*i:])
	}
	if h[fieldMagic0] != binaryMagic0 || h[fieldMagic1] != binaryMagic1 || h[fieldVersion] != binaryVersion {
		return errBinaryForeign
	}
	if binarySize(h) != uint64(size) {
		return errBinaryDamaged
	}
	p.text = size - checksumBytes - int64(h[fieldText])
	head, err := p.at(h[fieldHead], h[fieldHead+1])
	if err != nil {
		return err
	}
	p.index.setHead(Value(head))
	p.index.Budget = binaryBudget(h)
	post, err := p.postings()
	if err != nil {
		return err
	}
	p.finder = newFinder(post, p.index.Tokenizer == Unicode)
	return p.findStems()
}

// postings reads the postings: the two stretches of tables around those of the
// entries' words, and the text of the terms, which lies in one piece.
func (p *Part) postings() (*postings, error) {
	h := &p.header
	n, records, terms, posts := int64(h[fieldEntries]), int64(h[fieldRecords]), int64(h[fieldTerms]), int64(h[fieldPosts])
	at := p.rows + n*rowFields*4
	size := 4 * (n + n + 1 + records)
	first, err := p.table(at, size)
	if err != nil {
		return nil, err
	}
	at += size + 8*int64(h[fieldKeywords]) + 8*int64(h[fieldPatterns])
	second, err := p.table(at, 4*(2*terms+terms+1+posts))
	if err != nil {
		return nil, err
	}
	out := &postings{}
	out.entry, out.start, out.words = first.inPlace(n), first.inPlace(n+1), first.inPlace(records)
	places := second.inPlace(2 * terms)
	out.postStart, out.posts = second.inPlace(terms+1), second.inPlace(posts)
	if out.terms, err = p.terms(places); err != nil {
		return nil, err
	}
	if !out.plausible() {
		return nil, errBinaryDamaged
	}
	return out, nil
}

func (p *Part) table(offset, size int64) (*binaryReader, error) {
	data := make([]byte, size)
	if err := p.read(data, offset); err != nil {
		return nil, err
	}
	return &binaryReader{data: data}, nil
}

// inPlace returns the next numbers without a copy, where the machine has them in the
// order of the file.
func (r *binaryReader) inPlace(n int64) []uint32 {
	one := uint32(1)
	first := *(*byte)(unsafe.Pointer(&one))
	if first != 1 || n == 0 || uintptr(unsafe.Pointer(unsafe.SliceData(r.data)))%4 != 0 {
		return r.words(int(n))
	}
	list := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(r.data[:4*n]))), n)
	r.data = r.data[4*n:]
	return list
}

// terms reads the texts of these places, the pairs of offset and size.
func (p *Part) terms(places []uint32) ([]string, error) {
	if len(places) == 0 {
		return nil, nil
	}
	from, to := uint64(places[0]), uint64(0)
	for i := 0; i < len(places); i += 2 {
		from, to = min(from, uint64(places[i])), max(to, uint64(places[i])+uint64(places[i+1]))
	}
	if to > uint64(p.header[fieldText]) {
		return nil, errBinaryDamaged
	}
	text, err := p.at(uint32(from), uint32(to-from))
	if err != nil {
		return nil, err
	}
	list := make([]string, len(places)/2)
	for i := range list {
		start := uint64(places[2*i]) - from
		list[i] = text[start : start+uint64(places[2*i+1])]
	}
	return list, nil
}

// at reads a stored text.
func (p *Part) at(offset, size uint32) (string, error) {
	end := uint64(offset) + uint64(size)
	if end > uint64(p.header[fieldText]) {
		return "", errBinaryDamaged
	}
	if p.all != "" {
		return p.all[offset:end], nil
	}
	data := make([]byte, size)
	if err := p.read(data, p.text+int64(offset)); err != nil {
		return "", err
	}
	return unsafe.String(unsafe.SliceData(data), len(data)), nil
}

// Head is the index as it was read with its list of entries emptied.
func (p *Part) Head() Value { return p.index.Head }

// Tokenizer is how the index cuts texts into words.
func (p *Part) Tokenizer() Tokenizer { return p.index.Tokenizer }

// Size is how many entries the index has.
func (p *Part) Size() int { return int(p.header[fieldEntries]) }

// Match returns the core entries and the others that the task needs from a score
// up, best first, at most that many of either kind, as the function Match returns
// them. Manual entries are left out.
func (p *Part) Match(task string, dialect Dialect, floor float64, most int) ([]Result, error) {
	opts := MatchOptions{Dialect: dialect, MinScore: &floor}
	found, err := p.rate(task, &opts)
	if err != nil {
		return nil, err
	}
	count := map[bool]int{}
	few, _, err := p.best(found, func(r *rated) bool {
		core := r.mode == recordEager
		if !r.included || count[core] == most {
			return false
		}
		count[core]++
		return true
	})
	if err != nil {
		return nil, err
	}
	return Match(task, few, opts)
}

// best sorts what was found, best first, and returns the index with those of the entries
// that keep accepts, and their positions.
func (p *Part) best(found []rated, keep func(r *rated) bool) (few *Index, positions []uint32, err error) {
	slices.SortFunc(found, func(a, b rated) int { return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.rank, b.rank)) })
	few = &Index{Head: p.index.Head}
	for i := range found {
		if !keep(&found[i]) {
			continue
		}
		position := p.finder.post.entry[found[i].rank]
		e, err := p.entry(position)
		if err != nil {
			return nil, nil, err
		}
		few.Entries, positions = append(few.Entries, e), append(positions, position)
	}
	few.SetTokenizer(p.index.Tokenizer)
	return few, positions, nil
}

// entry reads one entry.
func (p *Part) entry(position uint32) (Entry, error) {
	data := make([]byte, 8)
	if err := p.read(data, p.rows+int64(position)*rowFields*4); err != nil {
		return Entry{}, err
	}
	raw, err := p.at(word(data), word(data[4:]))
	if err != nil {
		return Entry{}, err
	}
	if len(raw) == 0 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return Entry{}, errBinaryDamaged
	}
	return DecodeEntry(Value(raw)), nil
}

// Has reports whether an entry of the index has an id. The first call reads the
// places of all ids, and the text.
func (p *Part) Has(id string) (bool, error) {
	if p.ids == nil && p.header[fieldEntries] > 0 {
		if err := p.readIDs(); err != nil {
			return false, err
		}
	}
	for i := 0; i < len(p.ids); i += 2 {
		if int(p.ids[i+1]) == len(id) && p.all[p.ids[i]:uint64(p.ids[i])+uint64(p.ids[i+1])] == id {
			return true, nil
		}
	}
	return false, nil
}

func (p *Part) readIDs() error {
	all, err := p.at(0, p.header[fieldText])
	if err != nil {
		return err
	}
	n := int64(p.header[fieldEntries])
	rows, err := p.table(p.rows, n*rowFields*4)
	if err != nil {
		return err
	}
	ids := make([]uint32, 0, 2*n)
	for range n {
		row := rows.words(rowFields)
		if uint64(row[2])+uint64(row[3]) > uint64(len(all)) {
			return errBinaryDamaged
		}
		ids = append(ids, row[2], row[3])
	}
	p.all, p.ids = all, ids
	return nil
}
