package search

import (
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
