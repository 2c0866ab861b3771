package index

import (
	"slices"
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
	doubt    string // "stale" or "disputed" when it rests on such material or the pack is so
	summary  string // first sentence; "" when there is none
	tokens   int    // estimate of the payload
	lines    int    // line feeds of the payload + 1
	declared declaration
	id       string
}

// part is what the index needs of one pack: its drafts of entries, and its
// words with how many of the entries hold each.
type part struct {
	drafts   []draft
	faults   []diag.Diagnostic
	words    []string
	holders  []uint32     // by word
	profiles store.Digest // of the words of each draft

	terms *store.Writer // the same while the part is made
	ids   map[string]uint32
}

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
func (p *part) add(d draft, n *note) {
	d.summary, d.tokens, d.lines = strings.Clone(n.summary), n.tokens, n.lines
	w := p.terms
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
	p.drafts = append(p.drafts, d)
}

// number returns the number of a word.
func (p *part) number(word string) uint32 {
	n, ok := p.ids[word]
	if !ok {
		word = strings.Clone(word) // it is a part of all that is known of a file
		n = uint32(len(p.words))
		p.ids[word] = n
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

// pack returns all of the part but the profiles.
func (p *part) pack() []byte {
	w := store.NewWriter(1<<14 + 12*len(p.words) + 400*len(p.drafts))
	w.Findings(p.faults)
	w.Strs(p.words)
	for _, n := range p.holders {
		w.Uint(int(n))
	}
	w.Uint(len(p.drafts))
	for i := range p.drafts {
		d := &p.drafts[i]
		for _, s := range []string{d.splitID, d.path, d.source, d.title, d.doubt, d.summary} {
			w.Str(s)
		}
		w.Uint(d.tokens)
		w.Uint(d.lines)
		d.declared.pack(w)
	}
	return w.Bytes()
}

func unpackPart(data []byte) *part {
	r := store.ReadBytes(data)
	p := &part{faults: r.Findings(), words: r.Strs()}
	p.holders = make([]uint32, len(p.words))
	for i := range p.holders {
		p.holders[i] = uint32(r.Uint())
	}
	p.drafts = make([]draft, r.CountOf(16))
	for i := range p.drafts {
		d := &p.drafts[i]
		for _, s := range []*string{&d.splitID, &d.path, &d.source, &d.title, &d.doubt, &d.summary} {
			*s = r.Str()
		}
		d.tokens, d.lines = r.Uint(), r.Uint()
		d.declared = *unpackDeclaration(r)
	}
	if !r.Done() {
		return nil
	}
	return p
}

// keywords returns the derived keywords of each draft that declares none. They
// depend on the words of the pack and, of all other packs, on no more than how
// common each of these words is, roughly: so an edit elsewhere rarely changes them.
func (b *Builder) keywords(p *part, shared map[string]int) ([][]string, error) {
	s := p.sharing(shared)
	key := store.Key("keywords", string(p.profiles[:]), string(s.key()))
	if found, ok := b.store.Action(key); ok && len(found) == 1 {
		if data, ok := b.store.Blob(found[0]); ok {
			if lists := p.unpackKeywords(string(data)); lists != nil {
				return lists, nil
			}
		}
	}
	data, ok := b.store.Blob(p.profiles)
	if !ok {
		return nil, errGone
	}
	r := profiles{Reader: store.ReadBytes(data), words: len(p.words)}
	w := store.NewWriter(1 << 12)
	lists := make([][]string, len(p.drafts))
	for i := range p.drafts {
		var derived []uint32
		if words := r.read(); p.drafts[i].declared.keywords == nil {
			derived = s.derive(words)
		}
		w.Uint(len(derived))
		for _, word := range derived {
			lists[i] = append(lists[i], p.words[word])
			w.Uint(int(word))
		}
	}
	if !r.Done() {
		return nil, errGone
	}
	b.store.SetAction(key, store.Result{b.store.SetBlob(w.Bytes())})
	return lists, nil
}

func (p *part) unpackKeywords(text string) [][]string {
	r := store.NewReader(text)
	lists := make([][]string, len(p.drafts))
	for i := range lists {
		list := make([]string, 0, r.Count())
		for range cap(list) {
			if n := r.Uint(); n < len(p.words) {
				list = append(list, p.words[n])
			} else {
				r.Fail()
			}
		}
		lists[i] = slices.Clip(list)
		if len(list) == 0 {
			lists[i] = nil
		}
	}
	if !r.Done() {
		return nil
	}
	return lists
}
