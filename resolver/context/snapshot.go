package context

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"math"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
)

// memoryMagic opens what is kept; its number changes with what is counted.
const memoryMagic = "packgen sections 11\n"

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
	var watched []byte
	for _, list := range [][]pack.File{s.files, s.dirs} {
		watched = appendFiles(watched, list)
	}
	watched = binary.AppendUvarint(watched, uint64(len(s.mapped)))
	for i := range s.mapped {
		watched = appendWatched(watched, &s.mapped[i])
	}
	var body []byte
	for _, part := range [][]byte{watched, known, s.documents.encode(), s.units.encode()} {
		body = binary.AppendUvarint(body, uint64(len(part)))
		body = append(body, part...)
	}
	body = s.index.Append(body)
	data := binary.LittleEndian.AppendUint32([]byte(memoryMagic), crc32.ChecksumIEEE(body))
	return append(data, body...), nil
}

func appendFiles(b []byte, list []pack.File) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, f := range list {
		b = appendText(b, f.Path)
		for _, n := range []uint64{uint64(f.Size), uint64(f.ModTime), uint64(f.ChangeTime), f.Inode} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
	}
	return b
}

func appendWatched(b []byte, w *pack.Watched) []byte {
	files := make([]pack.File, len(w.Files))
	for i, f := range w.Files {
		files[i] = f.File
	}
	b = appendFiles(appendFiles(appendText(b, w.Key), w.Dirs), files)
	for _, f := range w.Files {
		b = appendText(b, f.Listed)
	}
	return b
}

// readSnapshot reads what encode wrote; nil for anything else.
func readSnapshot(data []byte) *snapshot {
	body, ok := bytes.CutPrefix(data, []byte(memoryMagic))
	if !ok || len(body) < 4 || crc32.ChecksumIEEE(body[4:]) != binary.LittleEndian.Uint32(body) {
		return nil
	}
	r := &cursor{rest: body[4:]}
	watched, known := &cursor{rest: r.part()}, r.part()
	s := &snapshot{files: watched.files(), dirs: watched.files(), mapped: watched.mapped(), documents: readTable(r.part()), units: readTable(r.part())}
	if r.bad || watched.bad || s.documents.bad() || s.units.bad() || json.Unmarshal(known, &s.facts) != nil {
		return nil
	}
	var err error
	if s.index, err = rank.ReadIndex(r.rest); err != nil || s.index.Len() != s.units.len() {
		return nil
	}
	return s
}

// addUnit appends a split to the table of units; document is its place in the table of
// documents.
func (s *snapshot) addUnit(u *unit, document int) {
	b := binary.AppendUvarint(nil, uint64(document))
	for _, text := range []string{u.path, u.title, u.section} {
		b = appendText(b, text)
	}
	sum, _ := hex.DecodeString(u.sum) // of a record that is checked
	b = append(binary.AppendUvarint(b, uint64(len(sum))), sum...)
	for _, list := range [][]string{u.sections, u.anchors} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, text := range list {
			b = appendText(b, text)
		}
	}
	s.units.add(b)
}

// at returns a split, without its text. It is a new one each time.
func (s *snapshot) at(i int) *unit {
	r := &cursor{rest: s.units.at(i)}
	document := int(r.number(math.MaxInt32))
	u := &unit{kind: split, order: i + 1, path: r.text(), title: r.text(), section: r.text()}
	u.sum = hex.EncodeToString(r.part())
	u.sections, u.anchors = r.texts(), r.texts()
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
	r := &cursor{rest: b}
	t := table{ends: r.part()}
	t.records = r.rest
	return t
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// cursor reads what is kept; after a fault it is bad and reads nothing.
type cursor struct {
	rest []byte
	bad  bool
}

// number reads a number of at most most.
func (c *cursor) number(most uint64) uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 || n > most {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// part reads bytes after their length.
func (c *cursor) part() []byte { return c.bytes(int(c.number(uint64(len(c.rest))))) }

func (c *cursor) text() string { return string(c.part()) }

// texts reads a list of texts, not nil.
func (c *cursor) texts() []string {
	list := make([]string, c.number(uint64(len(c.rest))))
	for i := range list {
		list[i] = c.text()
	}
	return list
}

func (c *cursor) bytes(n int) []byte {
	if n > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

// files reads a list of files.
func (c *cursor) files() []pack.File {
	list := make([]pack.File, c.number(uint64(len(c.rest))))
	for i := range list {
		name, b := c.text(), c.bytes(32)
		if b == nil {
			return nil
		}
		n := func(at int) uint64 { return binary.LittleEndian.Uint64(b[8*at:]) }
		list[i] = pack.File{Path: name, Stat: store.Stat{Size: int64(n(0)), ModTime: int64(n(1)), ChangeTime: int64(n(2)), Inode: n(3)}}
	}
	return list
}

// mapped reads what shows whether mapped folders are as they were.
func (c *cursor) mapped() []pack.Watched {
	list := make([]pack.Watched, c.number(uint64(len(c.rest))))
	for i := range list {
		w := &list[i]
		w.Key, w.Dirs = c.text(), c.files()
		for _, f := range c.files() {
			w.Files = append(w.Files, pack.WatchedFile{File: f})
		}
		for j := range w.Files {
			w.Files[j].Listed = c.text()
		}
	}
	return list
}
