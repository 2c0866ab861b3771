package loadout

import "math"

// BinaryWriter makes an index.bin of entries that are given one after another, so that
// neither the index nor the file need be in memory as a whole. Make one with
// [NewBinaryWriter].
type BinaryWriter struct {
	*builder
	post     *postings    // once all entries were added
	stems    *stemBuilder // may be nil: then the weighted dialect looks at all entries
	lookups  *lookups     // may be nil: then answers about few entries read them all
	rows     []uint32
	keywords []uint32
	patterns []uint32
	text     uint64 // bytes of the text of the entries
}

// NewBinaryWriter returns a writer of an index without entries.
func NewBinaryWriter() *BinaryWriter { return &BinaryWriter{builder: newBuilder()} }

// newCompleteWriter returns a writer of an index that answers every question about few of
// its entries from them alone.
func newCompleteWriter() *BinaryWriter {
	w := NewBinaryWriter()
	w.stems, w.lookups = &stemBuilder{lists: map[string]*[]uint32{}}, &lookups{}
	return w
}

// Marshal returns the index and its postings, those of stems as well, as the bytes of an index.bin.
// An index that would pass 1 GiB is a *BinaryError.
func Marshal(ix *Index) ([]byte, error) {
	w := newCompleteWriter()
	text := make([]byte, 0, aboutEntry*len(ix.Entries))
	for i := range ix.Entries {
		text, _ = w.Add(text, &ix.Entries[i])
	}
	out := make([]byte, 0, 2*len(text))
	err := w.Write(ix, func(put func([]byte) error) error { return put(text) }, func(piece []byte) error {
		out = append(out, piece...)
		return nil
	})
	return out, err
}

// aboutEntry is about how many bytes of text an entry has.
const aboutEntry = 448

// Add adds an entry, and appends its part of the text of the file to dst: its JSON as
// AppendEntry appends it, of size bytes, and the texts that the JSON does not hold as they
// are. Write asks for the parts of all entries.
func (w *BinaryWriter) Add(dst []byte, e *Entry) (text []byte, size int) {
	start, offset := len(dst), uint32(w.text)
	if w.Full() {
		return dst, 0 // Write says so
	}
	if w.stems != nil {
		w.stems.addEntry(e, len(w.rows)/rowFields)
	}
	if w.lookups != nil && !w.lookups.add(e) {
		w.lookups = nil
	}
	w.add(e)
	dst = AppendEntry(dst, e)
	raw, from := dst[start:], 0
	within := func(s string) (at, size uint32) {
		i := -1
		if len(raw) <= searchRaw {
			// An entry of ours has its texts in this order.
			if i = find(raw, s, from); i < 0 {
				i = find(raw, s, 0)
			}
		}
		if i < 0 {
			i = len(dst) - start
			dst = append(dst, s...)
		} else {
			from = i + len(s)
		}
		return offset + uint32(i), uint32(len(s))
	}
	var fields [8]uint32
	fields[0], fields[1] = within(e.ID)
	fields[2], fields[3] = within(e.Path)
	for _, s := range e.Keywords {
		at, size := within(s)
		w.keywords = append(w.keywords, at, size)
	}
	for _, s := range e.Patterns {
		at, size := within(s)
		w.patterns = append(w.patterns, at, size)
	}
	fields[6], fields[7] = within(e.Priority)
	fields[4], fields[5] = within(e.Summary)
	w.rows = append(append(w.rows, offset, uint32(len(raw))), fields[:]...)
	w.figures(e)
	w.text += uint64(len(dst) - start)
	return dst, len(raw)
}

// Full reports that the texts of the entries alone pass 1 GiB: no file can be written of them,
// and Add does nothing any more.
func (w *BinaryWriter) Full() bool { return w.text > maxBinary }

// figures appends what a row has of an entry besides its texts.
func (w *BinaryWriter) figures(e *Entry) {
	flags := uint32(e.Fault) << faultShift
	if e.Triggers.Task {
		flags |= flagTask
	}
	if e.Triggers.Plan {
		flags |= flagPlan
	}
	if e.Triggers.Edit {
		flags |= flagEdit
	}
	if e.unicode {
		flags |= flagUnicode
	}
	tokens := e.TokensEst
	if math.IsNaN(tokens) {
		tokens = math.NaN() // there are many: write one
	}
	bits := math.Float64bits(tokens)
	w.rows = append(w.rows, flags, uint32(e.Lines), uint32(bits), uint32(bits>>32),
		uint32(len(e.Keywords)), uint32(len(e.Patterns)))
}

// Write writes the file in pieces, which put must not keep. The index says everything but
// the entries; text hands on what Add has appended for all of them, in order. Write may be
// called more than once. A file that would pass 1 GiB is a *BinaryError; nothing was put
// then.
func (w *BinaryWriter) Write(ix *Index, text func(put func([]byte) error) error, put func([]byte) error) error {
	if w.Full() {
		return errBinaryLarge
	}
	if w.post == nil {
		w.post = w.postings()
		if w.lookups != nil {
			w.lookups.ids.sort()
			w.lookups.paths.sort()
		}
	}
	p := w.post
	var terms []uint32
	var rest []byte // of the text, after the entries
	add := func(refs []uint32, s string) []uint32 {
		refs = append(refs, uint32(w.text)+uint32(len(rest)), uint32(len(s)))
		rest = append(rest, s...)
		return refs
	}
	for _, t := range p.terms {
		terms = add(terms, t)
	}
	head := add(nil, string(ix.head()))
	if w.lookups != nil {
		rest = w.lookups.append(rest)
	}
	if w.stems != nil {
		s := w.stems.postings(p.entry)
		var places []uint32
		for _, text := range s.stems {
			places = add(places, text)
		}
		rest = s.append(rest, places)
	}
	header := w.header(ix, head, len(rest))
	if binarySize(&header) > maxBinary {
		return errBinaryLarge
	}
	sum := uint32(0)
	summed := func(piece []byte) error {
		sum = extendChecksum(sum, piece)
		return put(piece)
	}
	for _, table := range [][]uint32{
		header[:], w.rows, p.entry, p.start, p.words, w.keywords, w.patterns, terms, p.postStart, p.posts,
	} {
		if err := putWords(table, summed); err != nil {
			return err
		}
	}
	if err := text(summed); err != nil {
		return err
	}
	if err := summed(rest); err != nil {
		return err
	}
	return put(appendWords(nil, []uint32{sum}))
}

// header returns the header of a file whose head is at a place, and whose text
// continues for that many bytes after the entries.
func (w *BinaryWriter) header(ix *Index, head []uint32, rest int) [headerFields]uint32 {
	p := w.post
	h := [headerFields]uint32{
		fieldMagic0: binaryMagic0, fieldMagic1: binaryMagic1, fieldVersion: binaryVersion,
		fieldEntries: uint32(len(p.entry)), fieldRecords: uint32(len(p.words)),
		fieldKeywords: uint32(len(w.keywords) / 2), fieldPatterns: uint32(len(w.patterns) / 2),
		fieldTerms: uint32(len(p.terms)), fieldPosts: uint32(len(p.posts)),
		fieldText: uint32(w.text) + uint32(rest), fieldHead: head[0], fieldHead + 1: head[1],
	}
	b := ix.Budget
	observed := math.NaN()
	if b.AvgObserved != nil {
		observed = *b.AvgObserved
	}
	for i, f := range [...]float64{b.AlwaysLoaded, b.OnDemandTotal, b.AvgTaskLoad, observed} {
		bits := math.Float64bits(f)
		h[fieldBudget+2*i], h[fieldBudget+2*i+1] = uint32(bits), uint32(bits>>32)
	}
	return h
}

// find returns the offset of s in text at from or after it, -1 when it is absent. The
// kernel does without the packages bytes and strings, which would bring the tables of
// Unicode along.
func find(text []byte, s string, from int) int {
	for i := from; i+len(s) <= len(text); i++ {
		if string(text[i:i+len(s)]) == s {
			return i
		}
	}
	return -1
}

// putWords puts numbers, some thousands at a time.
func putWords(words []uint32, put func([]byte) error) error {
	const atOnce = 16 << 10
	buf := make([]byte, 0, 4*min(len(words), atOnce))
	for len(words) > 0 {
		n := min(len(words), atOnce)
		if err := put(appendWords(buf[:0], words[:n])); err != nil {
			return err
		}
		words = words[n:]
	}
	return nil
}

func appendWords(dst []byte, words []uint32) []byte {
	for _, v := range words {
		dst = append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return dst
}
