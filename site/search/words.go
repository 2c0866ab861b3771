package search

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Sizes of a file of words, in bytes before it is packed. Where one ends depends on
// the stems near its end, so that a change does not move the ends of all that follow.
const (
	leastWords = 3 << 10
	mostWords  = 12 << 10
	oftenEnd   = 16 // one stem in that many ends a file
)

// mostFiles is how many files of words the root names itself.
const mostFiles = 256

// wordFiles makes the files of words.
type wordFiles struct {
	put     func(File) error
	weigher weigher

	first  string // stem of the file at hand
	before string // the last stem
	data   []byte
	table  wordsOfShard
}

// add adds a word: its stem, and the postings of each pack.
func (x *wordFiles) add(stem string, packs []packWords) error {
	sections := 0
	for _, p := range packs {
		sections += p.sections
	}
	rest := ""
	if sections > mostWhole {
		var err error
		if packs, rest, err = x.cut(packs); err != nil {
			return err
		}
	}
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
	b := binary.AppendUvarint(x.data, uint64(same))
	b = appendText(b, stem[same:])
	b = binary.AppendUvarint(b, uint64(sections))
	b = appendText(b, rest)
	x.data, x.before = appendPacks(b, packs), stem
	return nil
}

// appendPacks appends the postings of a word.
func appendPacks(b []byte, packs []packWords) []byte {
	b = binary.AppendUvarint(b, uint64(len(packs)))
	last := -1
	for _, p := range packs {
		b = binary.AppendUvarint(b, uint64(p.pack-last))
		b = appendText(b, p.postings)
		b = appendText(b, p.lengths)
		last = p.pack
	}
	return b
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
