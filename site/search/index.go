package search

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/packgen/packgen/resolver/context/rank"
)

// version is that of the format. A script of another version does not read the index.
const version = 1

// RootPath is where the root is, below the site root.
const RootPath = "search/index.json"

// Pack is a pack of the site.
type Pack struct {
	Name   string
	Dir    string // below the site root, with a final slash
	Status string
	Part   *Part
}

// root is search/index.json.
type root struct {
	Version  int          `json:"version"`
	Rules    *rank.Rules  `json:"rules"`
	Sections int          `json:"sections"`
	Totals   []int        `json:"totals"` // words of all sections, by field
	Kinds    []string     `json:"kinds"`
	Statuses []string     `json:"statuses"`
	Titles   [2]int       `json:"titles"` // sections a file, files a group
	Packs    []rootPack   `json:"packs"`
	Runs     []rootRun    `json:"runs"` // files of flags, in the order of the sections
	Words    wordsOfShard `json:"words"`
}

type rootPack struct {
	Name     string   `json:"name"`
	Dir      string   `json:"dir"` // as a URL
	Status   string   `json:"status"`
	Sections int      `json:"sections"`
	Titles   []string `json:"titles"`
}

// rootRun is a file of the flags of sections.
type rootRun struct {
	Name     string `json:"name"`
	Sections int    `json:"sections"`
}

// wordsOfShard says which file holds which stems: the first stem of each.
type wordsOfShard struct {
	Depth int      `json:"depth"` // 0: the files hold words; 1: more such tables, which name those that do
	Stems []string `json:"stems"`
	Names []string `json:"names"`
}

// errDamaged is the error about a part that cannot be read.
var errDamaged = errors.New("what the search knows of a pack is damaged: build again")

// Build makes the files of the index but those of the packs themselves, and hands
// each to put; the root is the last.
func Build(packs []Pack, put func(File) error) error {
	r := root{
		Version: version, Rules: rank.RulesOf(), Totals: make([]int, rank.Fields), Kinds: kinds[:], Statuses: statuses[:],
		Titles: [2]int{titlesPerFile, filesPerGroup}, Packs: make([]rootPack, len(packs)),
	}
	put = once(put)
	runs := runs{put: put}
	for i, p := range packs {
		r.Packs[i] = rootPack{p.Name, p.Dir, p.Status, p.Part.Sections, append([]string{}, p.Part.Titles...)}
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
	w := wordFiles{put: put}
	if err := eachWord(packs, w.add); err != nil {
		return err
	}
	if r.Words, err = w.end(); err != nil {
		return err
	}
	data, err := json.Marshal(&r)
	if err != nil {
		return fmt.Errorf("write the root of the search index: %w", err)
	}
	return put(File{Path: RootPath, Data: append(data, '\n'), Text: true})
}

// once hands on each file once: files are named by what they hold, and thousands of
// pages of one section each may make the same again and again.
func once(put func(File) error) func(File) error {
	made := map[string]bool{}
	return func(f File) error {
		if made[f.Path] {
			return nil
		}
		made[f.Path] = true
		return put(f)
	}
}

// runs makes the files of sections: packs together until there are enough sections,
// large ones in pieces. A file starts with a page.
type runs struct {
	put   func(File) error
	flags []byte // of the file at hand
	list  []rootRun
}

// leastRun is how many sections a run has at least, the last one aside.
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
	name := nameOf(x.flags)
	x.list = append(x.list, rootRun{name, len(x.flags)})
	err := x.put(File{Path: pathOf(name), Data: x.flags})
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

// Sizes of a file of words, in bytes before it is packed. Where one ends depends on
// the stems near its end, so that a change does not move the ends of all that follow.
const (
	leastWords = 4 << 10
	mostWords  = 24 << 10
	oftenEnd   = 16 // one stem in so many ends a file
)

// mostFiles is how many files of words the root names itself.
const mostFiles = 512

// wordFiles makes the files of words.
type wordFiles struct {
	put    func(File) error
	first  string // stem of the file at hand
	before string // the last stem
	data   []byte
	table  wordsOfShard
}

// add adds a word: its stem, and the postings of each pack.
func (x *wordFiles) add(stem string, packs []packWords) error {
	size := 0
	for _, p := range packs {
		size += len(p.postings) + len(p.lengths) + 4
	}
	if len(x.data) > 0 && (len(x.data)+size > mostWords || len(x.data) >= leastWords && endsFile(stem)) {
		if err := x.close(); err != nil {
			return err
		}
	}
	if len(x.data) == 0 {
		x.first, x.before = stem, ""
	}
	same := 0
	for same < len(stem) && same < len(x.before) && stem[same] == x.before[same] {
		same++
	}
	sections := 0
	for _, p := range packs {
		sections += p.sections
	}
	b := binary.AppendUvarint(x.data, uint64(same))
	b = appendText(b, stem[same:])
	b = binary.AppendUvarint(b, uint64(sections))
	b = binary.AppendUvarint(b, uint64(len(packs)))
	last := -1
	for _, p := range packs {
		b = binary.AppendUvarint(b, uint64(p.pack-last))
		b = appendText(b, p.postings)
		b = appendText(b, p.lengths)
		last = p.pack
	}
	x.data, x.before = b, stem
	return nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// endsFile reports a stem at which a file may start.
func endsFile(stem string) bool {
	sum := sha256.Sum256([]byte(stem))
	return sum[0]%oftenEnd == 0
}

func (x *wordFiles) close() error {
	name := nameOf(x.data)
	x.table.Stems, x.table.Names = append(x.table.Stems, x.first), append(x.table.Names, name)
	err := x.put(File{Path: pathOf(name), Data: x.data})
	x.data = nil
	return err
}

// end returns the table of the files; of many files a table of tables.
func (x *wordFiles) end() (wordsOfShard, error) {
	if len(x.data) > 0 {
		if err := x.close(); err != nil {
			return wordsOfShard{}, err
		}
	}
	if len(x.table.Names) <= mostFiles {
		return x.table, nil
	}
	upper := wordsOfShard{Depth: 1}
	for from := 0; from < len(x.table.Names); {
		to := from + 1
		for to < len(x.table.Names) && (to-from < mostFiles/4 || !endsFile(x.table.Stems[to])) && to-from < mostFiles {
			to++
		}
		data, err := json.Marshal(wordsOfShard{Stems: x.table.Stems[from:to], Names: x.table.Names[from:to]})
		if err != nil {
			return upper, fmt.Errorf("write a table of the search index: %w", err)
		}
		name := nameOf(data)
		upper.Stems, upper.Names = append(upper.Stems, x.table.Stems[from]), append(upper.Names, name)
		if err := x.put(File{Path: pathOf(name), Data: data}); err != nil {
			return upper, err
		}
		from = to
	}
	return upper, nil
}

func pathOf(name string) string { return "search/" + name + ".bin" }

func digits(n int) string { return strconv.Itoa(n) }

var alphabet = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// nameOf returns the name of a file with that content: 50 bits in ten characters that
// file systems without upper case tell apart.
func nameOf(parts ...[]byte) string {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write(p)
	}
	return alphabet.EncodeToString(h.Sum(nil))[:10]
}

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // the level is a known one
	return w
}}

// Pack returns what is published of a file.
func (f *File) Pack() []byte {
	if f.Text {
		return f.Data
	}
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	_, _ = w.Write(f.Data) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
