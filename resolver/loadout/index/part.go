package index

import (
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
)

// draft is an entry before it has an id and keywords.
type draft struct {
	pack     *pack.Pack
	splitID  string // "" for the entry of the pack itself
	path     string // in the pack
	source   string // pack path that findings about the entry name
	title    string
	doubt    string // a status other than ready of what it rests on, otherwise that of the pack
	summary  string // first sentence; "" when there is none
	tokens   int    // estimate of the payload
	lines    int    // line feeds of the payload + 1
	declared declaration
	id       string
}

// part is what the index needs of one pack: its drafts of entries, and its
// words with how many of the entries hold each. The drafts of a large pack would fill
// much memory: they are in the store, in pieces.
type part struct {
	faults   []diag.Diagnostic
	words    []string
	holders  []uint32       // by word
	count    int            // of drafts
	drafts   []store.Digest `keep:"-"` // pieces
	profiles []store.Digest `keep:"-"` // pieces of the words of each draft

	held   [][]byte `keep:"-"` // the pieces of drafts, as far as they were read; nil where they are not held
	making *making  `keep:"-"`
}

// making is what a part has while it is made.
type making struct {
	ids             map[string]uint32 // numbers of words
	count           int               // of drafts in the piece at hand
	drafts, profile store.Writer      // the pieces at hand
}

// Pieces end with a document whose path has a certain hash, so that a section more or less
// changes one of them.
const (
	leastPiece = 32 << 10 // bytes
	meanPiece  = 16       // documents after that
	mostPiece  = 1 << 20  // bytes
)

// profile is the words of one text, by their numbers in the part.
type profile struct {
	title []uint32 // in order
	ours  bool     // the title is not an author's: it names a view
	terms []term   // every word once, in the order of the text
}

// term is a word of a text by its number.
type term struct {
	word  uint32
	count uint32
	place place
}

// add adds a draft with its note.
func (p *part) add(d *draft, n *note) {
	m := p.making
	m.count++
	p.count++
	d.summary, d.tokens, d.lines = n.summary, n.tokens, n.lines
	d.write(&m.drafts)
	w := &m.profile
	w.Bool(d.declared.keywords == nil)
	w.Uint(len(n.title))
	for _, word := range n.title {
		w.Uint(int(p.number(word)))
	}
	w.Bool(n.ours)
	w.Uint(len(n.words))
	for i := range n.words {
		word := p.number(n.words[i])
		p.holders[word]++
		w.Uint(int(word))
		w.Uint(int(n.counts[i]))
		w.Uint(int(n.places[i]))
	}
}

// endDocument ends a document, and the piece where it is large enough.
func (p *part) endDocument(path string, s store.Store) {
	if size := len(p.making.profile.Bytes()); size < leastPiece || size < mostPiece && store.Sum([]byte(path))[0]%meanPiece > 0 {
		return
	}
	p.endPiece(s)
}

func (p *part) endPiece(s store.Store) {
	m := p.making
	if m.count == 0 {
		return
	}
	keep := func(piece *store.Writer) store.Digest {
		w := store.NewWriter(len(piece.Bytes()) + 8)
		w.Uint(m.count)
		w.Raw(piece.Bytes())
		piece.Reset()
		return s.SetBlob(w.Bytes())
	}
	p.drafts, p.profiles = append(p.drafts, keep(&m.drafts)), append(p.profiles, keep(&m.profile))
	m.count = 0
}

// each calls visit with each draft, which is valid until the next.
func (p *part) each(s store.Store, visit func(d *draft) error) error {
	var d draft
	seen := 0
	for n := range p.drafts {
		text, err := p.piece(s, n)
		if err != nil {
			return err
		}
		r := store.ReadBytes(text)
		for range r.CountOf(16) {
			d.read(r)
			if err := visit(&d); err != nil {
				return err
			}
			seen++
		}
		if !r.Done() {
			return errGone
		}
	}
	if seen != p.count {
		return errGone
	}
	return nil
}

// piece returns a piece of the drafts.
func (p *part) piece(s store.Store, n int) ([]byte, error) {
	if p.held != nil && p.held[n] != nil {
		return p.held[n], nil
	}
	text, ok := s.Blob(p.drafts[n])
	if !ok {
		return nil, errGone
	}
	if p.held != nil {
		p.held[n] = text
	}
	return text, nil
}

// hold holds the pieces that are read.
func (p *part) hold() { p.held = make([][]byte, len(p.drafts)) }

func (d *draft) write(w *store.Writer) {
	for _, s := range []string{d.splitID, d.path, d.source, d.title, d.doubt, d.summary} {
		w.Str(s)
	}
	w.Uint(d.tokens)
	w.Uint(d.lines)
	w.Str(d.declared.encode())
}

func (d *draft) read(r *store.Reader) {
	for _, s := range []*string{&d.splitID, &d.path, &d.source, &d.title, &d.doubt, &d.summary} {
		*s = r.Str()
	}
	d.tokens, d.lines = r.Uint(), r.Uint()
	var ok bool
	if d.declared, ok = decodeDeclaration(r.Str()); !ok {
		r.Fail()
	}
}

// number returns the number of a word.
func (p *part) number(word string) uint32 {
	n, ok := p.making.ids[word]
	if !ok {
		word = strings.Clone(word) // it is a part of all that is known of a file
		n = uint32(len(p.words))
		p.making.ids[word] = n
		p.words, p.holders = append(p.words, word), append(p.holders, 0)
	}
	return n
}

// profiles reads the profiles of the drafts, one after another.
type profiles struct {
	*store.Reader
	words int
	next  profile
}

func (r *profiles) number() uint32 {
	n := r.Uint()
	if n >= r.words {
		r.Fail()
		return 0
	}
	return uint32(n)
}

// read returns the profile of the next draft, which is valid until the one after it.
func (r *profiles) read() *profile {
	p := &r.next
	p.title, p.terms = p.title[:0], p.terms[:0]
	for range r.Count() {
		p.title = append(p.title, r.number())
	}
	p.ours = r.Bool()
	for range r.CountOf(3) {
		p.terms = append(p.terms, term{r.number(), uint32(r.Uint()), place(r.Uint())})
	}
	return p
}

// keywords returns the derived keywords of each draft that declares none. They
// depend on the words of the pack and, of all other packs, on no more than how
// common each of these words is, roughly: so an edit elsewhere rarely changes them.
func (b *Builder) keywords(p *part, shared map[string]int) (*keywords, error) {
	s := p.sharing(shared)
	profiles := store.NewWriter(len(p.profiles) * len(store.Digest{}))
	for _, sum := range p.profiles {
		profiles.Digest(sum)
	}
	key := store.Key("keywords", profiles.Text(), string(s.key()))
	if found, ok := b.store.Action(key); ok && len(found) == 1 {
		if data, ok := b.store.Blob(found[0]); ok {
			if k := p.openKeywords(data); k.whole(p.count) {
				return p.openKeywords(data), nil
			}
		}
	}
	text, err := b.derive(p, s)
	if err != nil {
		return nil, err
	}
	b.store.SetAction(key, store.Result{b.store.SetBlob(text)})
	return p.openKeywords(text), nil
}

// derive writes the numbers of the derived keywords of each draft.
func (b *Builder) derive(p *part, s *sharing) ([]byte, error) {
	w := store.NewWriter(1 << 12)
	seen := 0
	for _, sum := range p.profiles {
		data, ok := b.store.Blob(sum)
		if !ok {
			return nil, errGone
		}
		r := profiles{Reader: store.ReadBytes(data), words: len(p.words)}
		for range r.CountOf(4) {
			var derived []uint32
			if undeclared := r.Bool(); undeclared {
				derived = s.derive(r.read())
			} else {
				r.read()
			}
			w.Uint(len(derived))
			for _, word := range derived {
				w.Uint(int(word))
			}
			seen++
		}
		if !r.Done() {
			return nil, errGone
		}
	}
	if seen != p.count {
		return nil, errGone
	}
	return w.Bytes(), nil
}

// keywords are those of the drafts of a part, one after another.
type keywords struct {
	*store.Reader
	words []string
}

func (p *part) openKeywords(text []byte) *keywords {
	return &keywords{Reader: store.ReadBytes(text), words: p.words}
}

// next returns those of the next draft; nil for none.
func (k *keywords) next() []string {
	n := k.Count()
	if n == 0 {
		return nil
	}
	list := make([]string, 0, n)
	for range n {
		if word := k.Uint(); word < len(k.words) {
			list = append(list, k.words[word])
		} else {
			k.Fail()
		}
	}
	return list
}

// whole reports whether there are keywords of that many drafts, and reads them.
func (k *keywords) whole(drafts int) bool {
	for range drafts {
		for range k.Count() {
			if k.Uint() >= len(k.words) {
				return false
			}
		}
	}
	return k.Done()
}
