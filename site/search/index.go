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
	Words  func(stems int) (string, error) // the words of a range; nil takes those of the part
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
	w := wordFiles{put: put, weigher: weigher{rules: r.Rules, typical: typical(r.Totals, r.Sections)}}
	for stems := range Ranges {
		if err := eachWord(packs, stems, w.add); err != nil {
			return err
		}
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
	w, _ := gzip.NewWriterLevel(nil, gzip.DefaultCompression) // the level is a known one
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
