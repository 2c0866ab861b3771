package context

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/parallel"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Cache keeps what is known of the sections of a pack from one process to the next.
// What it loses is worked out again.
type Cache interface {
	Recall() []byte   // what was kept last; nil for nothing
	Keep(data []byte) // data may not be kept
	Fine() bool       // times of the pack's files show changes of the same second
}

// Remember keeps in a pack's Cache what queries need of it, as the first query would. A
// pack that queries have to read as a whole is left alone.
func Remember(ctx context.Context, p Pack) error {
	if p.Cache == nil {
		return nil
	}
	s, err := openContents(&p, p.Cache)
	if err != nil {
		return fmt.Errorf("remember pack %s: %w", p.Dir, err)
	}
	if len(s.splits) > 0 && ctx.Err() == nil {
		(&picker{contents: s, scorer: rank.BM25F{}, pool: s.ranked()}).index()
	}
	return ctx.Err()
}

// snapshot records what is known of a pack whose splits are ranked; false where an
// answer needs more than that.
func (p *picker) snapshot() (*snapshot, bool) {
	newest := p.runs.newest()
	damaged := func(u *unit) bool { return u.absent || u.insteadOf != "" || u.sum == "" || !newest.outputs[u.path] }
	switch {
	case newest == nil || len(p.lost)+len(p.notes)+len(p.runs.warnings()) > 0 || p.pack.Linked() || len(p.splits) == 0:
		return nil, false
	case slices.ContainsFunc(p.splits, damaged), slices.ContainsFunc(p.views, damaged), len(p.uncompiled(nil)) > 0:
		return nil, false
	}
	s := &snapshot{facts: facts{Run: newest.facts(), Statuses: map[string]schema.Status{}, Open: p.openQuestions(), Boundaries: p.boundaryUnits()}}
	for _, c := range p.sourceMap.Claims {
		if c.Status != schema.Confirmed {
			s.facts.Claims = append(s.facts.Claims, c)
		}
	}
	for _, u := range p.views {
		s.facts.Views = append(s.facts.Views, viewFacts{u.path, u.title, u.derived, u.sum})
	}
	places := map[string]int{}
	for _, u := range p.splits {
		at, ok := places[u.document]
		if !ok {
			at = len(places)
			places[u.document] = at
			s.documents.add([]byte(u.document))
			if status := p.document(u.document).status(); u.document != "" && status != "" {
				s.facts.Statuses[u.document] = status
			}
		}
		s.addUnit(u, at)
	}
	var ok bool
	if s.files, s.dirs, ok = restsOn(p.pack, newest.path, p.cache.Fine()); !ok {
		return s, false
	}
	s.mapped, ok = mappedRest(p.pack, p.cache.Fine())
	return s, ok
}

// mappedRest is what shows whether the mapped folders are as they were; false where
// nothing does.
func mappedRest(p *pack.Pack, fine bool) ([]pack.Watched, bool) {
	list, ok := p.WatchMapped()
	for _, w := range list {
		for _, f := range w.Files {
			ok = ok && f.ChangeTime != 0 && atRest(f.File, p.Listed, fine)
		}
		for _, d := range w.Dirs {
			ok = ok && atRest(d, p.Listed, fine)
		}
	}
	return list, ok
}

// facts are what is kept of a run.
func (r *run) facts() runFacts {
	f := runFacts{Path: r.path, Status: r.status, Sources: map[string]string{}}
	for name, sum := range r.inputs {
		if !makesViews(name) {
			f.Sources[name] = sum
		}
	}
	for name := range r.outputs {
		if !strings.HasPrefix(name, splitsDir) {
			f.Outputs = append(f.Outputs, name)
		}
	}
	slices.Sort(f.Outputs)
	for _, d := range r.found {
		if d.Severity != diag.Info {
			f.Found = append(f.Found, d)
		}
	}
	return f
}

// restsOn are the files and directories of a pack that show whether anything has changed
// since they were listed. Splits and views are not among them: each has a hash. It is
// false where they cannot: on a file system without times of change, or where
// somebody is writing.
func restsOn(p *pack.Pack, newestRun string, fine bool) (files, dirs []pack.File, ok bool) {
	for _, f := range p.Files {
		if p.IsMapped(f.Path) {
			continue
		}
		written := f.Path == indexPath || f.Path == sourceMapPath || f.Path == newestRun || f.Path == schema.RunLedgerPath(newestRun)
		if f.ChangeTime == 0 {
			return nil, nil, false
		}
		if pack.LayerOf(f.Path).IsOutput() {
			if !written {
				continue
			}
		} else if !atRest(f, p.Listed, fine) {
			return nil, nil, false
		}
		files = append(files, f)
	}
	for _, top := range []string{".", "answers", "documents", "sources", "wiki"} {
		err := fs.WalkDir(p.FS(), top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && name == top:
				return nil
			case err != nil:
				return err
			case !d.IsDir():
				return nil
			case name != "." && strings.HasPrefix(path.Base(name), "."):
				return fs.SkipDir // never listed
			}
			f, ok := pack.LookDir(p.FS(), name)
			if !ok || !atRest(f, p.Listed, fine) && name != "." {
				return fs.ErrInvalid
			}
			dirs = append(dirs, f)
			if name == "." {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			return nil, nil, false
		}
	}
	return files, dirs, true
}

// atRest reports whether a file was not touched so recently that its times may not show it.
func atRest(f pack.File, listed time.Time, fine bool) bool {
	return store.Quiet(f.Stat, listed.UnixNano(), fine)
}

// frontBoundaries are the places that the front matter of files calls boundaries.
func (s *contents) frontBoundaries(names []string) []string {
	lists := make([][]string, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			lists[i] = s.boundariesOf(names[i])
		}
	})
	return slices.Concat(lists...)
}

// index is what is counted in the pool; nil for a scorer that counts nothing. It is
// counted once, and kept with whatever else a query needs where the pack is as its newest
// run has left it.
func (p *picker) index() *rank.Index {
	if _, ok := p.scorer.(rank.BM25F); !ok {
		return nil
	}
	if s, ok := p.pool.(*snapshot); ok {
		return s.index
	}
	p.counting.Do(func() {
		list := all(p.pool)
		p.counted = rank.NewIndex(p.sections(list, p.questions()))
		if p.cache == nil || len(list) == 0 || len(list) != len(p.splits) || list[0] != p.splits[0] {
			return
		}
		s, ok := p.snapshot()
		if !ok {
			return
		}
		s.index = p.counted
		p.cache.Keep(s.encode())
	})
	return p.counted
}

// pool is what is ranked: splits, sections cut in memory, or pages.
type pool interface {
	len() int
	at(i int) *unit
}

// units are a pool in memory.
type units []*unit

func (l units) len() int       { return len(l) }
func (l units) at(i int) *unit { return l[i] }

func (s *snapshot) len() int { return s.units.len() }

// all lists the units of a pool.
func all(p pool) []*unit {
	if list, ok := p.(units); ok {
		return list
	}
	list := make([]*unit, p.len())
	for i := range list {
		list[i] = p.at(i)
	}
	return list
}

// openFromCache opens a pack from what is kept of it; nil where that no longer holds. entry is
// the pack as the catalog has read it.
func openFromCache(from *Pack, entry *pack.Pack) *contents {
	if from.Cache == nil || entry == nil {
		return nil
	}
	snap := readSnapshot(from.Cache.Recall())
	if snap == nil || newestRun(from.FS) != snap.facts.Run.Path || !pack.Unchanged(from.FS, snap.files, snap.dirs) || !snap.mappingsHold(from.Mappings) {
		return nil
	}
	p := entry.Recall(snap.files, snap.mapped, from.Mappings)
	s := &contents{
		pack: p, meta: &p.Meta, snap: snap, from: *from,
		documents: map[string]*docState{}, sources: map[string]string{},
		sourceMap: &schema.SourceMap{Claims: snap.facts.Claims}, runs: &runs{pack: p, read: []*run{snap.run()}},
	}
	s.doubts = compiler.DoubtsOf(s.sourceMap)
	for i, v := range snap.facts.Views {
		s.views = append(s.views, &unit{kind: view, path: v.Path, title: v.Kind, derived: v.Derived, order: i + 1, sum: v.SHA256})
	}
	return s
}

// mappingsHold reports whether the same folders are mapped, and are as they were.
func (s *snapshot) mappingsHold(list []pack.Mapping) bool {
	if len(list) != len(s.mapped) {
		return false
	}
	for i := range list {
		if !s.mapped[i].Holds(&list[i]) {
			return false
		}
	}
	return true
}

// run is the newest run, as far as it is kept.
func (s *snapshot) run() *run {
	f := &s.facts.Run
	r := &run{path: f.Path, status: f.Status, inputs: f.Sources, outputs: map[string]bool{}, found: f.Found, allSplits: true}
	for _, name := range f.Outputs {
		r.outputs[name] = true
	}
	return r
}

// ranked is what is ranked of a compiled pack.
func (s *contents) ranked() pool {
	if s.snap != nil {
		return s.snap
	}
	return units(s.splits)
}

// loaded returns a unit with its text: itself, or a copy where texts are not loaded. It
// is nil, and what is kept is broken, when the file is no longer what compile wrote.
func (p *picker) loaded(u *unit) *unit {
	if u == nil || p.snap == nil || u.kind != split && u.kind != view || u.text != "" {
		return u
	}
	own := *u
	if p.read(&own); own.absent || own.altered {
		p.broken = true
		return nil
	}
	return &own
}

// statusOf is the status that a document or page declares.
func (s *contents) statusOf(name string) schema.Status {
	if s.snap != nil {
		return s.snap.facts.Statuses[name]
	}
	return s.document(name).status()
}

// newestRun is the path of the newest record of a compile run, "" when there is none.
func newestRun(fsys fs.FS) string {
	list, err := fs.Glob(fsys, "runs/*")
	if err != nil {
		return ""
	}
	return schema.NewestCompile(slices.Values(list))
}

// memoryMagic opens what is kept; its number changes with what is counted.
const memoryMagic = "packgen sections 14\n"

// snapshot is what is kept of a pack, so that a query is answered without a listing of
// it, its records or any text but what is selected. It holds while the files and
// directories that it names are as they were; texts are compared with their hashes when
// they are read.
//
// It is encoded as the magic, a CRC-32 of the rest, and then, each after its length: the
// files and facts, documents, units, and the index of words.
type snapshot struct {
	files, dirs []pack.File    // of the pack's own directory, as they were
	mapped      []pack.Watched // folders from elsewhere, as they were
	facts       facts
	documents   table       `keep:"-"` // paths
	units       table       `keep:"-"`
	index       *rank.Index `keep:"-"`
}

// facts are what is known of a pack beside its sections. They are few.
type facts struct {
	Run        runFacts
	Claims     []schema.Claim           // those that are not confirmed
	Statuses   map[string]schema.Status // of documents and pages that declare one
	Open       []string                 // titles
	Views      []viewFacts
	Boundaries []boundary
}

// runFacts are those of the newest run, which made all splits and views.
type runFacts struct {
	Path    string
	Status  schema.Status
	Sources map[string]string // SHA-256 of what claims rest on
	Outputs []string          // but splits
	Found   []schema.RunDiagnostic
}

type viewFacts struct {
	Path    string
	Kind    string
	Derived []string
	SHA256  string
}

// encode writes the snapshot.
func (s *snapshot) encode() []byte {
	var body []byte
	for _, part := range [][]byte{store.Encode(s), s.documents.encode(), s.units.encode(), s.index.Append(nil)} {
		body = binary.AppendUvarint(body, uint64(len(part)))
		body = append(body, part...)
	}
	data := binary.LittleEndian.AppendUint32([]byte(memoryMagic), crc32.ChecksumIEEE(body))
	return append(data, body...)
}

// readSnapshot reads what encode wrote; nil for anything else.
func readSnapshot(data []byte) *snapshot {
	body, ok := bytes.CutPrefix(data, []byte(memoryMagic))
	if !ok || len(body) < 4 || crc32.ChecksumIEEE(body[4:]) != binary.LittleEndian.Uint32(body) {
		return nil
	}
	r, s := store.ReadBytes(body[4:]), &snapshot{}
	whole := store.Decode(r.Bytes(), s)
	s.documents, s.units = readTable(r.Bytes()), readTable(r.Bytes())
	index := r.Bytes()
	if !r.Done() || !whole || s.documents.bad() || s.units.bad() {
		return nil
	}
	var err error
	if s.index, err = rank.ReadIndex(index); err != nil || s.index.Len() != s.units.len() {
		return nil
	}
	return s
}

// addUnit appends a split to the table of units; document is its place in the table of
// documents.
func (s *snapshot) addUnit(u *unit, document int) {
	sum, _ := hex.DecodeString(u.sum) // of a record that is checked
	w := store.NewWriter(256)
	w.Uint(document)
	for _, text := range []string{u.path, u.title, u.section, string(sum)} {
		w.Str(text)
	}
	w.Strs(u.sections)
	w.Strs(u.anchors)
	s.units.add(w.Bytes())
}

// at returns a split, without its text. It is a new one each time.
func (s *snapshot) at(i int) *unit {
	r := store.ReadBytes(s.units.at(i))
	document := r.Uint()
	u := &unit{kind: split, order: i + 1, path: r.Str(), title: r.Str(), section: r.Str()}
	u.sum = hex.EncodeToString([]byte(r.Str()))
	u.sections, u.anchors = r.Strs(), r.Strs()
	if document < s.documents.len() {
		u.document = string(s.documents.at(document))
	}
	return u
}

// table is a list of records that can be read one by one.
type table struct {
	ends    []byte // of each record, four bytes
	records []byte
}

func (t *table) add(record []byte) {
	t.records = append(t.records, record...)
	t.ends = binary.LittleEndian.AppendUint32(t.ends, uint32(len(t.records)))
}

func (t *table) len() int { return len(t.ends) / 4 }

func (t *table) end(i int) int {
	if i < 0 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(t.ends[4*i:]))
}

// at returns a record; nil for one of a damaged table.
func (t *table) at(i int) []byte {
	from, to := t.end(i-1), t.end(i)
	if from > to || to > len(t.records) {
		return nil
	}
	return t.records[from:to]
}

func (t *table) bad() bool { return len(t.ends)%4 != 0 || t.end(t.len()-1) != len(t.records) }

func (t *table) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(t.ends)))
	return append(append(b, t.ends...), t.records...)
}

func readTable(b []byte) table {
	r := store.ReadBytes(b)
	t := table{ends: r.Bytes()}
	t.records = r.Rest()
	return t
}
