package site

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/site/matching"
	"github.com/packgen/packgen/site/shard"
)

// Index is what pages say about the loadout index of the site.
type Index struct {
	Entries int
	Tokens  int // of all entries
	Average int // of an entry that a task loads

	Text int64 // size of index.json, in bytes

	LeftOut bool // it is larger than is read again: there is neither index.json nor index.bin
}

// Evals are those that the match page scores again after a change.
type Evals struct {
	Tasks  []matching.Task
	Suites []matching.Suite
}

// PutIndex publishes the index as index.json and index.bin, unless it is larger than is read
// again, and for the match page in small files, with the evals of the packs, and returns what
// [Input] asks for. Entries hands on the entries one after another and returns the index
// without them: neither the index nor a file of it is ever in memory as a whole. It may say
// first how many come at least.
func (s *Site) PutIndex(sink publish.Target, evals Evals, entries func(least func(entries int), visit func(e *loadout.Entry) error) (*loadout.Index, error)) (Index, error) {
	facts, wanted := Index{}, wantsIndex(sink)
	b, err := s.begin(Input{}, sink)
	if err != nil {
		return Index{}, err
	}
	page := matching.New(matching.Options{
		Store: s.opts.Store, Program: compiler.Program(), Tasks: evals.Tasks, Suites: evals.Suites, Known: s.takeLists(),
		Put: func(f shard.File) error { return b.putShard(&f, func(string) {}) },
	})
	files, paged := newIndexFiles(s.mostEntries), sink.Wants(matching.RootPath)
	defer files.drop()
	ix, err := entries(files.expect, func(e *loadout.Entry) error {
		facts.Entries++
		if !wanted {
			return nil
		}
		text, err := files.add(e)
		if err == nil && paged {
			err = page.Add(e, text)
		}
		return err
	})
	if err != nil {
		return Index{}, err
	}
	facts.Tokens, facts.Average = int(ix.Budget.AlwaysLoaded+ix.Budget.OnDemandTotal), int(ix.Budget.AvgTaskLoad)
	if !wanted {
		return facts, nil
	}
	if paged {
		if err := page.End(ix); err != nil {
			return Index{}, err
		}
	}
	if facts.LeftOut = !files.fit(ix); facts.LeftOut {
		return facts, nil
	}
	facts.Text, err = files.put(sink, ix, s.opts.SplitIndex)
	return facts, err
}

// takeLists returns what notes where the lists of a pack are; nil when nobody asks.
func (s *Site) takeLists() func(pack string, keys []store.Digest) {
	if !s.opts.Lists {
		return nil
	}
	s.lists = map[string][]store.Digest{}
	return func(pack string, keys []store.Digest) { s.lists[pack] = keys }
}

// MatchLists returns the keys of the actions that made what the match page has of a pack, once
// PutIndex is done: see [Options.Lists].
func (s *Site) MatchLists(pack string) []store.Digest { return s.lists[pack] }

// indexFiles are index.json and index.bin while they are made.
type indexFiles struct {
	binary *loadout.BinaryWriter // nil: there are more entries, or bytes, than are read again
	texts  *spool
	parts  *indexParts
	text   []byte
	most   int // entries
	n      int
}

func newIndexFiles(most int) *indexFiles {
	return &indexFiles{binary: loadout.NewBinaryWriter(), texts: &spool{}, parts: &indexParts{}, most: most}
}

// drop gives back what is held of the entries.
func (f *indexFiles) drop() {
	f.texts.close()
	f.binary, f.texts, f.parts = nil, &spool{}, nil
}

// expect holds nothing of an index that will be too large.
func (f *indexFiles) expect(entries int) {
	if entries > f.most {
		f.drop()
	}
}

// add adds an entry, and returns its JSON, valid until the next.
func (f *indexFiles) add(e *loadout.Entry) ([]byte, error) {
	if f.n++; f.binary != nil && (f.n > f.most || f.texts.place() > indexjson.MaxIndex || f.binary.Full()) {
		f.drop()
	}
	if f.binary == nil {
		f.text = loadout.AppendEntry(f.text[:0], e)
		return f.text, nil
	}
	var entry int
	f.text, entry = f.binary.Add(f.text[:0], e)
	f.parts.add(e, f.texts.place())
	return f.text[:entry], f.texts.add(f.text, entry)
}

// fit reports whether files of these entries are read again.
func (f *indexFiles) fit(ix *loadout.Index) bool {
	if f.binary == nil {
		return false
	}
	var large *loadout.BinaryError
	err := f.writeBinary(ix, func([]byte) error { return errStopped }) // the size is known before the first byte
	return !errors.As(err, &large)
}

func (f *indexFiles) writeBinary(ix *loadout.Index, put func(piece []byte) error) error {
	return f.binary.Write(ix, func(put func([]byte) error) error {
		return f.texts.each(func(text []byte, _ int) error { return put(text) })
	}, put)
}

// put publishes index.bin and then index.json, split or in one, and returns the size in bytes
// of the second with its parts.
func (f *indexFiles) put(sink publish.Target, ix *loadout.Index, split bool) (size int64, err error) {
	_, err = putLast(sink, "index.bin", func(w io.Writer) error {
		return f.writeBinary(ix, func(piece []byte) error {
			_, err := w.Write(piece)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	if split {
		return f.parts.put(sink, ix, f.texts)
	}
	return putLast(sink, "index.json", func(w io.Writer) error { return writeEntries(w, ix, f.texts, 0, f.texts.place()) })
}

// writeEntries writes an index with the entries whose texts are between two places.
func writeEntries(w io.Writer, ix *loadout.Index, texts *spool, from, to int64) error {
	var failed error
	err := indexjson.WriteEach(w, ix, func(yield func([]byte) bool) {
		failed = texts.between(from, to, func(text []byte, entry int) error {
			if !yield(text[:entry]) {
				return errStopped
			}
			return nil
		})
	})
	return cmp.Or(err, failed)
}

// errStopped ends a walk over texts that nobody reads on.
var errStopped = errors.New("stopped")

// matchName is the match page.
const matchName = "match.html"

// wantsIndex reports whether the index is made, in one of its forms.
func wantsIndex(sink publish.Target) bool {
	return sink.Wants("index.json") || sink.Wants("index.bin") || sink.Wants(matching.RootPath)
}

// putLast passes on a file that should appear after all others, in pieces,
// and returns its size in bytes.
func putLast(sink publish.Target, path string, content publish.Content) (size int64, err error) {
	_, err = sink.PutFrom(publish.File{Path: path, Last: true, Content: func(w io.Writer) error {
		c := &counter{w: w}
		err := content(c)
		size = c.n
		return err
	}})
	if err != nil {
		return size, fmt.Errorf("write %s: %w", path, err)
	}
	return size, nil
}

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
