package search

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// Page is a page of a pack, as its hits show it. Its sections are in the order of the
// page.
type Page struct {
	Note     string // what [Note] made of the sections of its file
	URL      string // below the folder of the pack
	Title    string
	Kind     Kind
	Sections []Section
}

// Section is a section, as its hit shows it.
type Section struct {
	Number    int      // in the note
	Fragment  string   // of its heading; "" for the page itself
	Title     string   // "" when it is that of the page
	Above     []string // headings that it is below, from the outermost, without the title of the page
	Tokens    int
	Text      string   // of the published split, below compiled/splits/, without .md
	Status    Status   // when it is not that of the pack
	Questions []string // that it answers, beside those of the note
}

// Kind is what a page is.
type Kind uint8

// The kinds of pages.
const (
	Document Kind = iota
	Wiki
)

// Status is what is said of a section.
type Status uint8

// StatusOf returns the status of that name; 0, that of the pack, for any other.
func StatusOf(name schema.Status) Status {
	for i, s := range statuses {
		if s == name {
			return Status(i)
		}
	}
	return 0
}

// statuses are the names of statuses. Their order is part of the format.
var statuses = [...]schema.Status{"", schema.Ready, schema.NeedsReview, schema.Stale, schema.Disputed, schema.Draft}

// kinds are the names of kinds. Their order is part of the format.
var kinds = [...]string{"document", "wiki"}

// The byte of each section.
const (
	firstOfPage = 1 << 0
	kindShift   = 1
	statusShift = 3
)

// Part is what the index has of one pack.
type Part struct {
	Sections int
	Titles   []string         // names of the groups of files with titles, see titles.go
	Flags    []byte           // of each section
	Totals   [rank.Fields]int // words of all sections
}

// Run is some pages that follow each other.
type Run struct {
	Pages []Page
	Words string // what [Words] has made of them; their notes are not needed then
}

// Join makes the part of a pack, and its own files. Name is that of the pack. It
// returns false when a note is damaged. How the pages are cut into runs does not matter.
// The words of the part go to keep, range by range, each valid until the next, and the files
// to put, whose error it returns: neither are held together.
func Join(name string, runs iter.Seq[Run], keep func(words []byte), put func(shard.File) error) (*Part, bool, error) {
	return joinHolding(mostHeld, name, runs, keep, put)
}

// joinHolding is Join that holds that many bytes of postings at most, and then of one range.
func joinHolding(most int, name string, runs iter.Seq[Run], keep func(words []byte), put func(shard.File) error) (*Part, bool, error) {
	j := joiner{words: lists{}, part: &Part{}, titles: titles{pack: name}}
	defer j.spill.close()
	for run := range runs {
		if !j.run(&run) {
			return nil, false, nil
		}
		if j.held > most {
			if err := j.spillWords(); err != nil {
				return nil, true, err
			}
		}
		if err := j.titles.handOn(put); err != nil {
			return nil, true, err
		}
	}
	if ok, err := j.end(keep); !ok || err != nil {
		return nil, ok || err != nil, err
	}
	j.part.Titles = j.titles.end()
	return j.part, true, j.titles.handOn(put)
}

// joiner makes a part.
type joiner struct {
	part   *Part
	words  lists
	titles titles
	tally  *tally

	spill spill
	base  int // first section of the words that are held
	held  int // bytes of postings in them, as far as they came from notes and runs

	untitled bool // the files with titles are made elsewhere
}

// page adds the sections of a page.
func (j *joiner) page(p *Page) bool {
	if len(p.Sections) == 0 {
		return true
	}
	note, ok := openNote(p.Note)
	if !ok {
		return false
	}
	if !p.whole(note) {
		return j.someOf(p, note)
	}
	base := j.part.Sections
	for i := range p.Sections {
		j.section(p, i)
		j.count(note.lengths[i])
	}
	return j.add(&note.words, note.n, base)
}

// add adds the words of the sections from base on, as list.write has written each.
func (j *joiner) add(words *store.Reader, n, base int) bool {
	return j.addWords(words, n, base, j.part.Sections-base)
}

// addWords is add for a number of sections.
func (j *joiner) addWords(words *store.Reader, n, base, sections int) bool {
	for range n {
		stem, held, last := words.Str(), words.Uint(), words.Uint()
		postings, lengths := words.Str(), words.Str()
		first, rest, ok := cutPosting(postings)
		if !ok || last >= sections || first.gap > last+1 {
			return false
		}
		l := j.list(stem)
		first.gap += base - 1 - l.last
		l.postings = appendPosting(l.postings, first)
		l.postings = append(l.postings, rest...)
		l.lengths = append(l.lengths, lengths...)
		l.sections += held
		l.last = base + last
		j.held += len(postings) + len(lengths)
	}
	return words.Done()
}

// list returns the words of a stem. A new stem is copied: it is a part of a note.
func (j *joiner) list(stem string) *list {
	if l := j.words[stem]; l != nil {
		return l
	}
	l := j.words.of(strings.Clone(stem))
	l.last = j.base - 1
	return l
}

// whole reports a page whose sections are those of the note, so that its postings can
// be taken as they are.
func (p *Page) whole(note *noted) bool {
	if len(p.Sections) != len(note.lengths) {
		return false
	}
	for i := range p.Sections {
		if p.Sections[i].Number != i || len(p.Sections[i].Questions) > 0 {
			return false
		}
	}
	return true
}

// someOf adds a page that lacks a section of its note, or has more questions.
func (j *joiner) someOf(p *Page, note *noted) bool {
	counts := make([]map[string][rank.Fields]int, len(note.lengths))
	for i := range counts {
		counts[i] = map[string][rank.Fields]int{}
	}
	for range note.n {
		stem, _, _, postings, _ := note.words.Str(), note.words.Uint(), note.words.Uint(), note.words.Str(), note.words.Str()
		at := -1
		for postings != "" {
			one, rest, ok := cutPosting(postings)
			if at += one.gap; !ok || at >= len(counts) {
				return false
			}
			counts[at][stem] = one.count
			postings = rest
		}
	}
	if !note.words.Done() {
		return false
	}
	if j.tally == nil {
		j.tally = tallies.Get().(*tally)
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if s.Number < 0 || s.Number >= len(counts) {
			return false
		}
		lengths, words := note.lengths[s.Number], counts[s.Number]
		more, longer := j.tally.Of(&rank.Section{Questions: s.Questions})
		for f, n := range longer {
			lengths[f] += n
		}
		for _, term := range more {
			stem := j.tally.Stem(term.Stem)
			sum := words[stem]
			for f, n := range term.Count {
				sum[f] += n
			}
			words[stem] = sum
		}
		at := j.part.Sections
		j.section(p, i)
		j.count(lengths)
		for stem, count := range words {
			j.list(stem).add(at, count, lengths)
		}
	}
	return true
}

// section adds what is known of a section but its words.
func (j *joiner) section(p *Page, i int) {
	s := &p.Sections[i]
	flags := byte(p.Kind)<<kindShift | byte(s.Status)<<statusShift
	if i == 0 {
		flags |= firstOfPage
	}
	j.part.Flags = append(j.part.Flags, flags)
	if !j.untitled {
		j.titles.add(p, s, i == 0)
	}
	j.part.Sections++
}

// count adds to the words of all sections.
func (j *joiner) count(lengths [rank.Fields]int) {
	for f, n := range lengths {
		j.part.Totals[f] += n
	}
}

// titles makes the files that say how hits are shown. A file holds some sections; the
// files of a group share one name and differ in their number, so that the
// root need not name each.
type titles struct {
	pack  string
	n     int // sections so far
	rows  []shownPage
	group [][]byte
	names []string
	files []shard.File // that were not handed on yet
}

// handOn hands on the files of the groups that are closed.
func (t *titles) handOn(put func(shard.File) error) error {
	for _, f := range t.files {
		if err := put(f); err != nil {
			return err
		}
	}
	t.files = nil
	return nil
}

// Sizes of files with titles. They are part of the format.
const (
	titlesPerFile = 32 // sections
	filesPerGroup = 32
)

// shownPage is a page in a file of titles, as JSON: URL, title, sections.
type shownPage [3]any

// shownSection is a section: fragment, title, tokens, text, headings above.
type shownSection [5]any

func (t *titles) add(p *Page, s *Section, first bool) {
	if t.n > 0 && t.n%titlesPerFile == 0 {
		t.file()
	}
	if first || len(t.rows) == 0 {
		t.rows = append(t.rows, shownPage{p.URL, p.Title, []shownSection{}})
	}
	page := &t.rows[len(t.rows)-1]
	page[2] = append(page[2].([]shownSection), shownSection{s.Fragment, s.Title, s.Tokens, s.Text, s.Above})
	t.n++
}

// file closes a file.
func (t *titles) file() {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(t.rows) // lists of strings and numbers
	t.group = append(t.group, text.Bytes())
	t.rows = nil
	if len(t.group) == filesPerGroup {
		t.close()
	}
}

// close closes a group.
func (t *titles) close() {
	name := shard.Name(append([][]byte{[]byte(t.pack)}, t.group...)...)
	for i, data := range t.group {
		t.files = append(t.files, shard.File{Path: "search/" + name + "-" + digits(i) + ".bin", Data: data})
	}
	t.names = append(t.names, name)
	t.group = nil
}

func (t *titles) end() []string {
	if len(t.rows) > 0 {
		t.file()
	}
	if len(t.group) > 0 {
		t.close()
	}
	return t.names
}

// packWords is a word in one pack.
type packWords struct {
	pack     int
	sections int
	postings string
	lengths  string
}

// cursor is at a word of a pack.
type cursor struct {
	packWords
	stem string
	r    *store.Reader
	left int
}

// Key implements [shard.Cursor].
func (c *cursor) Key() string { return c.stem }

// Next implements [shard.Cursor].
func (c *cursor) Next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	c.stem, c.sections = c.r.Str(), c.r.Uint()
	c.r.Uint() // the last section
	c.postings, c.lengths = c.r.Str(), c.r.Str()
	return c.postings != ""
}

// eachWord yields the words of a range of all packs in the order of their stems.
func eachWord(packs []Pack, stems int, yield func(stem string, packs []packWords) error) error {
	var all, open []*cursor
	for i, p := range packs {
		words, err := p.Words(stems)
		if err != nil {
			return err
		}
		r := store.ReadBytes(words)
		c := &cursor{packWords: packWords{pack: i}, r: r, left: r.CountOf(leastWord)}
		if all = append(all, c); c.Next() {
			open = append(open, c)
		}
	}
	var found []packWords
	err := shard.Merge(open, func(c *cursor) { found = append(found, c.packWords) }, func(stem string) error {
		err := yield(stem, found)
		found = found[:0]
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if !c.r.Done() {
			return errDamaged
		}
	}
	return nil
}
