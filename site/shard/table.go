package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Sizes of a file, in bytes before it is packed. Where one ends depends on the keys near
// its end, so that a change does not move the ends of all that follow.
const (
	least    = 3 << 10
	most     = 12 << 10
	oftenEnd = 16 // one key in that many ends a file
)

// mostFiles is how many files a table names itself.
const mostFiles = 256

// Table says which file holds which keys: the first key of each.
type Table struct {
	Depth int      `json:"depth"` // 0: the files hold keys; 1: more such tables, which name those that do
	Keys  []string `json:"stems"`
	Names []string `json:"names"`
}

// Cutter cuts a list of keys into files. Each key is in the file as what it shares with
// the one before and the rest of it, and after it comes what is kept of it.
type Cutter struct {
	Dir string // of the files, with a final slash
	Put func(File) error

	first  string // key of the file at hand
	before string // the last key
	data   []byte
	table  Table
}

// Add adds a key, which is after all before it, with what is kept of it.
func (x *Cutter) Add(key string, value []byte) error {
	if len(x.data) > 0 && (len(x.data)+len(value) > most || len(x.data) >= least && endsFile(key)) {
		if err := x.close(); err != nil {
			return err
		}
	}
	if len(x.data) == 0 {
		x.first, x.before = key, ""
	}
	same := 0
	for same < len(key) && same < len(x.before) && key[same] == x.before[same] {
		same++
	}
	b := binary.AppendUvarint(x.data, uint64(same))
	b = AppendText(b, key[same:])
	x.data, x.before = append(b, value...), key
	return nil
}

// AppendText appends a text with its length in bytes in front.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// endsFile reports a key at which a file may start.
func endsFile(key string) bool {
	sum := sha256.Sum256([]byte(key))
	return sum[0]%oftenEnd == 0
}

func (x *Cutter) close() error {
	name := Name(x.data)
	x.table.Keys, x.table.Names = append(x.table.Keys, x.first), append(x.table.Names, name)
	err := x.Put(File{Path: x.Path(name), Data: x.data})
	x.data = nil
	return err
}

// Path is where the file of a name is.
func (x *Cutter) Path(name string) string { return x.Dir + name + ".bin" }

// End returns the table of the files; of many files a table of tables.
func (x *Cutter) End() (Table, error) {
	if len(x.data) > 0 {
		if err := x.close(); err != nil {
			return Table{}, err
		}
	}
	if len(x.table.Names) <= mostFiles {
		return x.table, nil
	}
	upper := Table{Depth: 1}
	for from := 0; from < len(x.table.Names); {
		to := from + 1
		for to < len(x.table.Names) && (to-from < mostFiles/4 || !endsFile(x.table.Keys[to])) && to-from < mostFiles {
			to++
		}
		data, err := json.Marshal(Table{Keys: x.table.Keys[from:to], Names: x.table.Names[from:to]})
		if err != nil {
			return upper, fmt.Errorf("write a table of %s: %w", x.Dir, err)
		}
		name := Name(data)
		upper.Keys, upper.Names = append(upper.Keys, x.table.Keys[from]), append(upper.Names, name)
		if err := x.Put(File{Path: x.Path(name), Data: data}); err != nil {
			return upper, err
		}
		from = to
	}
	return upper, nil
}
