package site

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// indexParts cuts the entries of an index by pack; those of a pack follow each other.
type indexParts struct {
	parts []indexPart
}

// indexPart is the entries of a pack, and where their texts begin.
type indexPart struct {
	pack    string
	from    int64
	entries int
	budget  loadout.BudgetSum
}

// partsDir is the folder of the parts, below the site root.
const partsDir = "index/"

// add adds the next entry, whose text begins at a place.
func (p *indexParts) add(e *loadout.Entry, place int64) {
	name, _, _ := strings.Cut(strings.TrimPrefix(e.Path, "packs/"), "/")
	if n := len(p.parts); n == 0 || p.parts[n-1].pack != name {
		p.parts = append(p.parts, indexPart{pack: name, from: place})
	}
	last := &p.parts[len(p.parts)-1]
	last.entries++
	last.budget.Add(e)
}

// put puts the parts and then the root, and returns the size in bytes of all.
func (p *indexParts) put(sink publish.Target, ix *loadout.Index, texts *spool) (size int64, err error) {
	root := &indexjson.Root{Index: *ix}
	for i := range p.parts {
		part, to := &p.parts[i], texts.place()
		if i+1 < len(p.parts) {
			to = p.parts[i+1].from
		}
		one := *ix
		one.Budget = part.budget.Budget()
		sum, path := sha256.New(), partsDir+part.pack+".json"
		n, err := putLast(sink, path, func(w io.Writer) error {
			sum.Reset()
			return writeEntries(io.MultiWriter(w, sum), &one, texts, part.from, to)
		})
		if err != nil {
			return 0, err
		}
		size += n
		root.Parts = append(root.Parts, indexjson.Part{
			Pack: part.pack, Path: path, Entries: part.entries, Tokens: one.Budget.AlwaysLoaded + one.Budget.OnDemandTotal,
			Size: n, SHA256: hex.EncodeToString(sum.Sum(nil)),
		})
	}
	text := root.Write()
	_, err = putLast(sink, "index.json", func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return size + int64(len(text)), err
}
