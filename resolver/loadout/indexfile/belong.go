package indexfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"os"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// seal says which index.json an index.words was made from. Size and modification
// time alone are not enough: programs that copy files set the time, and words of an
// equally long index would answer in its place. The time of the last change is the
// system's own. Where it is not known, the text itself is looked at.
type seal struct {
	size, modified, changed int64
	inode                   uint64
	sum                     uint32 // CRC-32C of the text
}

// sealBytes is the size of a seal in a file.
const sealBytes = 8 + 8 + 8 + 8 + 4

func sealOf(info fs.FileInfo, sum uint32) seal {
	s := seal{size: info.Size(), modified: info.ModTime().UnixNano(), sum: sum}
	s.changed, s.inode, _ = changed(info)
	return s
}

func (s seal) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(le.AppendUint64(b, uint64(s.size)), uint64(s.modified))
	b = le.AppendUint64(le.AppendUint64(b, uint64(s.changed)), s.inode)
	return le.AppendUint32(b, s.sum)
}

func readSeal(b []byte) seal {
	le := binary.LittleEndian
	return seal{int64(le.Uint64(b)), int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:])), le.Uint64(b[24:]), le.Uint32(b[32:])}
}

// fits reports whether the index.json of that name is the one that was sealed.
func (s seal) fits(json string) bool {
	info, err := os.Stat(json)
	if err != nil || sealOf(info, s.sum) != s {
		return false
	}
	if _, _, ok := changed(info); ok {
		return true
	}
	return s.holds(json)
}

// holds reports whether the index.json has the text that was sealed.
func (s seal) holds(json string) bool {
	text, err := atomicfile.Read(json, indexjson.MaxIndex)
	return err == nil && sumOf(text) == s.sum
}

func sumOf(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// clockStep is more than a step of the clock that systems stamp files with.
const clockStep = 20 * time.Millisecond

// settle waits until a change of the index.json that was just written would give it
// another time, and returns its seal; ok is false when somebody else has written it
// meanwhile, or the disk counts whole seconds.
func settle(json string, text []byte) (s seal, ok bool) {
	info, err := os.Stat(json)
	if err != nil {
		return s, false
	}
	s = sealOf(info, sumOf(text))
	if at, _, known := changed(info); known {
		if at%int64(time.Second) == 0 {
			return s, false
		}
		time.Sleep(clockStep - min(clockStep, max(0, time.Since(time.Unix(0, at)))))
	}
	now, err := atomicfile.Read(json, indexjson.MaxIndex)
	return s, err == nil && bytes.Equal(now, text) && s.fits(json)
}
