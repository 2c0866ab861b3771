package search

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// version is that of the format. A script of another version does not read the index.
const version = 1

// RootPath is where the root is, below the site root.
const RootPath = "search/index.json"

// Pack is a pack of the site.
type Pack struct {
	Name   string
	Dir    string // below the site root, with a final slash
	Status schema.Status
	Layout string // name of a file of the pack with what selections from it depend on; "" for none
	Part   *Part
	Words  func(stems int) ([]byte, error) // the words of a range, which stay as they are
}

// root is search/index.json.
type root struct {
	Version  int             `json:"version"`
	Rules    *rank.Rules     `json:"rules"`
	Sections int             `json:"sections"`
	Totals   []int           `json:"totals"` // words of all sections, by field
	Kinds    []string        `json:"kinds"`
	Statuses []schema.Status `json:"statuses"`
	Offered  offered         `json:"offered"`
	Titles   [2]int          `json:"titles"` // sections a file, files a group
	Packs    []rootPack      `json:"packs"`
	Runs     []rootRun       `json:"runs"` // files of flags, in the order of the sections
	Words    shard.Table     `json:"words"`
}

// offered are the kinds and statuses that some section has: what a search can be limited to.
type offered struct {
	Kinds    []string        `json:"kinds"`
	Statuses []schema.Status `json:"statuses"`
}

// offeredBy are those of the sections of packs.
func offeredBy(packs []Pack) offered {
	var ofKind [len(kinds)]bool
	var ofStatus [len(statuses)]bool
	for _, p := range packs {
		own := StatusOf(p.Status)
		for _, f := range p.Part.Flags {
			ofKind[f>>kindShift&1] = true
			status := Status(f >> statusShift)
			if status == 0 {
				status = own
			}
			ofStatus[status] = true
		}
	}
	o := offered{Kinds: []string{}, Statuses: []schema.Status{}}
	for i, is := range ofKind {
		if is {
			o.Kinds = append(o.Kinds, kinds[i])
		}
	}
	for i, is := range ofStatus {
		if is && i > 0 {
			o.Statuses = append(o.Statuses, statuses[i])
		}
	}
	return o
}

type rootPack struct {
	Name     string        `json:"name"`
	Dir      string        `json:"dir"` // as a URL
	Status   schema.Status `json:"status"`
	Sections int           `json:"sections"`
	Titles   []string      `json:"titles"`
	Layout   string        `json:"layout,omitempty"`
}

// rootRun is a file of the flags of sections.
type rootRun struct {
	Name     string `json:"name"`
	Sections int    `json:"sections"`
}

// errDamaged is the error about a part that cannot be read.
var errDamaged = errors.New("what the search knows of a pack is damaged: build again")

// Build makes the files of the index but those of the packs themselves, and hands
// each to put; the root is the last.
func Build(packs []Pack, put func(shard.File) error) error {
	r := root{
		Version: version, Rules: rank.RulesOf(), Totals: make([]int, rank.Fields), Kinds: kinds[:], Statuses: statuses[:], Offered: offeredBy(packs),
		Titles: [2]int{titlesPerFile, filesPerGroup}, Packs: make([]rootPack, len(packs)),
	}
	put = shard.Once(put)
	runs := runs{put: put}
	for i, p := range packs {
		r.Packs[i] = rootPack{p.Name, p.Dir, p.Status, p.Part.Sections, append([]string{}, p.Part.Titles...), p.Layout}
		r.Sections += p.Part.Sections
		for f, n := range p.Part.Totals {
			r.Totals[f] += n
		}
		if err := runs.add(p.Part.Flags); err != nil {
			return err
		}
	}
	var err error
	if r.Runs, err = runs.end(); err != nil {
		return err
	}
	w := wordFiles{Cutter: shard.Cutter{Dir: Dir, Put: put}, weigher: weigher{rules: r.Rules, typical: typical(r.Totals, r.Sections)}}
	for stems := range Ranges {
		if err := eachWord(packs, stems, w.add); err != nil {
			return err
		}
	}
	if r.Words, err = w.End(); err != nil {
		return err
	}
	data, err := json.Marshal(&r)
	if err != nil {
		return fmt.Errorf("write the root of the search index: %w", err)
	}
	return put(shard.File{Path: RootPath, Data: append(data, '\n'), Text: true})
}

// runs makes the files of sections: packs together until there are enough sections,
// large ones in pieces. A file starts with a page.
type runs struct {
	put   func(shard.File) error
	flags []byte // of the file at hand
	list  []rootRun
}

// leastRun is how many sections a run has at least, except for the last one.
const leastRun = 4096

func (x *runs) add(flags []byte) error {
	for _, f := range flags {
		if f&firstOfPage != 0 && len(x.flags) >= leastRun {
			if err := x.close(); err != nil {
				return err
			}
		}
		x.flags = append(x.flags, f)
	}
	return nil
}

func (x *runs) close() error {
	name := shard.Name(x.flags)
	x.list = append(x.list, rootRun{name, len(x.flags)})
	err := x.put(shard.File{Path: pathOf(name), Data: x.flags})
	x.flags = x.flags[:0]
	return err
}

func (x *runs) end() ([]rootRun, error) {
	if len(x.flags) == 0 {
		return x.list, nil
	}
	err := x.close()
	return x.list, err
}

// Dir is where the files are, below the site root or the folder of a pack.
const Dir = "search/"

func pathOf(name string) string { return Dir + name + ".bin" }

func digits(n int) string { return strconv.Itoa(n) }

// posting is a word in a section.
type posting struct {
	gap   int // from the section before; the first counts from -1
	count [rank.Fields]int
}

// Limits of a posting that is one byte: the word is in the body alone, a few times,
// and the section is one of the next.
const (
	shortGaps   = 16
	shortCounts = 8
	longMark    = 0x80 // other postings start with a byte that has this bit and one for each field
)

// bodyField is the field of which short postings speak.
const bodyField = 2

// appendPosting appends a posting: one byte, (gap-1)<<3 | (count-1), where the word is
// only in the body and both are small; otherwise a byte that marks the fields, the
// gap, and the count of each field.
func appendPosting(b []byte, p posting) []byte {
	mask, short := 0, p.gap <= shortGaps
	for f, n := range p.count {
		if n > 0 {
			mask |= 1 << f
		}
	}
	if n := p.count[bodyField]; short && mask == 1<<bodyField && n <= shortCounts {
		return append(b, byte((p.gap-1)<<3|(n-1)))
	}
	b = append(b, longMark|byte(mask))
	b = binary.AppendUvarint(b, uint64(p.gap))
	for _, n := range p.count {
		if n > 0 {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return b
}

// maxCount is more than a section can hold of anything.
const maxCount = 1 << 31

// cutPosting reads the posting at the start of a text; false when there is none.
func cutPosting(s string) (p posting, rest string, ok bool) {
	if s == "" {
		return p, "", false
	}
	first := s[0]
	s = s[1:]
	if first < longMark {
		p.gap = int(first>>3) + 1
		p.count[bodyField] = int(first&7) + 1
		return p, s, true
	}
	number := func() (n int) {
		var whole bool
		if n, s, whole = cutNumber(s); !whole || n == 0 {
			ok = false
		}
		return n
	}
	const marks = longMark | (1<<rank.Fields - 1)
	ok = first&^marks == 0
	p.gap = number()
	for f := range p.count {
		if first&(1<<f) != 0 {
			p.count[f] = number()
		}
	}
	return p, s, ok && first != longMark
}

// cutNumber reads the number at the start of a text; false when there is none.
func cutNumber(s string) (n int, rest string, ok bool) {
	if s != "" && s[0] < 0x80 {
		return int(s[0]), s[1:], true
	}
	for i := 0; i < len(s) && i < binary.MaxVarintLen32; i++ {
		n |= int(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:], n <= maxCount
		}
	}
	return 0, "", false
}

// wordFiles makes the files of words.
type wordFiles struct {
	shard.Cutter
	weigher weigher
	value   []byte
}

// add adds a word: its stem, and the postings of each pack.
func (x *wordFiles) add(stem string, packs []packWords) error {
	sections := 0
	for _, p := range packs {
		sections += p.sections
	}
	rest := ""
	if sections > mostWhole {
		var err error
		if packs, rest, err = x.cut(packs); err != nil {
			return err
		}
	}
	b := binary.AppendUvarint(x.value[:0], uint64(sections))
	x.value = appendPacks(shard.AppendText(b, rest), packs)
	return x.Add(stem, x.value)
}

// appendPacks appends the postings of a word.
func appendPacks(b []byte, packs []packWords) []byte {
	b = binary.AppendUvarint(b, uint64(len(packs)))
	last := -1
	for _, p := range packs {
		b = binary.AppendUvarint(b, uint64(p.pack-last))
		b = shard.AppendText(b, p.postings)
		b = shard.AppendText(b, p.lengths)
		last = p.pack
	}
	return b
}
