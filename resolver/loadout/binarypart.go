package loadout

import (
	"cmp"
	"slices"
	"unsafe"
)

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
