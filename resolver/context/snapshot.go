package context

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
)

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
