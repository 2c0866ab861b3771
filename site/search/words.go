package search

import (
	"encoding/binary"

	"github.com/packgen/packgen/site/shard"
)

// wordFiles makes the files of words.
type wordFiles struct {
	shard.Cutter
	weigher weigher
	value   []byte
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
	b := binary.AppendUvarint(x.value[:0], uint64(sections))
	x.value = appendPacks(shard.AppendText(b, rest), packs)
	return x.Add(stem, x.value)
}

// appendPacks appends the postings of a word.
func appendPacks(b []byte, packs []packWords) []byte {
	b = binary.AppendUvarint(b, uint64(len(packs)))
	last := -1
	for _, p := range packs {
		b = binary.AppendUvarint(b, uint64(p.pack-last))
		b = shard.AppendText(b, p.postings)
		b = shard.AppendText(b, p.lengths)
		last = p.pack
	}
	return b
}
