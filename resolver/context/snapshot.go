package context

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
)

// memoryMagic opens what is kept; its number changes with what is counted.
const memoryMagic = "packgen sections 13\n"

// snapshot is what is kept of a pack, so that a query is answered without a listing of
// it, its records or any text but what is selected. It holds while the files and
// directories that it names are as they were; texts are compared with their hashes when
// they are read.
//
// It is encoded as the magic, a CRC-32 of the rest, and then, each after its length: the
// watched files and directories, of mapped folders too, facts as JSON, documents, units, and the index of words,
// which needs no length.
type snapshot struct {
	files, dirs []pack.File    // of the pack's own directory, as they were
	mapped      []pack.Watched // folders from elsewhere, as they were
	facts       facts
	documents   table // paths
	units       table
	index       *rank.Index
}

// facts are what is known of a pack beside its sections. They are few.
type facts struct {
	Run        runFacts                 `json:"run"`
	Claims     []schema.Claim           `json:"claims,omitempty"`         // those that are not confirmed
	Statuses   map[string]schema.Status `json:"statuses,omitempty"`       // of documents and pages that declare one
	Open       []string                 `json:"open_questions,omitempty"` // titles
	Views      []viewFacts              `json:"views,omitempty"`
	Boundaries []boundary               `json:"boundaries,omitempty"`
}

// runFacts are those of the newest run, which made all splits and views.
type runFacts struct {
	Path    string                 `json:"path"`
	Status  schema.Status          `json:"status"`
	Sources map[string]string      `json:"sources,omitempty"` // SHA-256 of what claims rest on
	Outputs []string               `json:"outputs"`           // but splits
	Found   []schema.RunDiagnostic `json:"found,omitempty"`
}

type viewFacts struct {
	Path    string   `json:"path"`
	Kind    string   `json:"kind"`
	Derived []string `json:"derived,omitempty"`
	SHA256  string   `json:"sha256"`
}

// encode writes the snapshot.
func (s *snapshot) encode() ([]byte, error) {
	known, err := json.Marshal(&s.facts)
	if err != nil {
		return nil, err
	}
	watched := store.NewWriter(1 << 12)
	packFiles(watched, s.files)
	packFiles(watched, s.dirs)
	watched.Uint(len(s.mapped))
	for i := range s.mapped {
		packWatched(watched, &s.mapped[i])
	}
	var body []byte
	for _, part := range [][]byte{watched.Bytes(), known, s.documents.encode(), s.units.encode(), s.index.Append(nil)} {
		body = binary.AppendUvarint(body, uint64(len(part)))
		body = append(body, part...)
	}
	data := binary.LittleEndian.AppendUint32([]byte(memoryMagic), crc32.ChecksumIEEE(body))
	return append(data, body...), nil
}

func packFiles(w *store.Writer, list []pack.File) {
	w.Uint(len(list))
	for _, f := range list {
		w.Str(f.Path)
		for _, n := range []int64{f.Size, f.ModTime, f.ChangeTime, int64(f.Inode)} {
			w.Int64(n)
		}
	}
}

func unpackFiles(r *store.Reader) []pack.File {
	list := make([]pack.File, r.CountOf(5))
	for i := range list {
		list[i] = pack.File{Path: r.Str(), Stat: store.Stat{Size: r.Int64(), ModTime: r.Int64(), ChangeTime: r.Int64(), Inode: uint64(r.Int64())}}
	}
	return list
}

func packWatched(to *store.Writer, w *pack.Watched) {
	files := make([]pack.File, len(w.Files))
	for i, f := range w.Files {
		files[i] = f.File
	}
	to.Str(w.Key)
	packFiles(to, w.Dirs)
	packFiles(to, files)
	for _, f := range w.Files {
		to.Str(f.Listed)
	}
}

func unpackWatched(r *store.Reader) []pack.Watched {
	list := make([]pack.Watched, r.Count())
	for i := range list {
		w := &list[i]
		w.Key, w.Dirs = r.Str(), unpackFiles(r)
		for _, f := range unpackFiles(r) {
			w.Files = append(w.Files, pack.WatchedFile{File: f})
		}
		for j := range w.Files {
			w.Files[j].Listed = r.Str()
		}
	}
	return list
}

// readSnapshot reads what encode wrote; nil for anything else.
func readSnapshot(data []byte) *snapshot {
	body, ok := bytes.CutPrefix(data, []byte(memoryMagic))
	if !ok || len(body) < 4 || crc32.ChecksumIEEE(body[4:]) != binary.LittleEndian.Uint32(body) {
		return nil
	}
	r := store.ReadBytes(body[4:])
	watched, known := store.NewReader(r.Str()), r.Bytes()
	s := &snapshot{files: unpackFiles(watched), dirs: unpackFiles(watched), mapped: unpackWatched(watched), documents: readTable(r.Bytes()), units: readTable(r.Bytes())}
	index := r.Bytes()
	if !r.Done() || !watched.Done() || s.documents.bad() || s.units.bad() || json.Unmarshal(known, &s.facts) != nil {
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
