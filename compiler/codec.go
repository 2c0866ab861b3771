package compiler

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"strings"
	"sync"
)

// packer writes the compact form of cache files: numbers as varints, strings with
// their length in front.
type packer struct{ b []byte }

func (p *packer) uint(n int)    { p.b = binary.AppendUvarint(p.b, uint64(n)) }
func (p *packer) int64(n int64) { p.b = binary.AppendVarint(p.b, n) }

func (p *packer) str(s string) {
	p.uint(len(s))
	p.b = append(p.b, s...)
}

func (p *packer) bool(v bool) {
	n := 0
	if v {
		n = 1
	}
	p.uint(n)
}

func (p *packer) strs(list []string) {
	p.uint(len(list))
	for _, s := range list {
		p.str(s)
	}
}

func (p *packer) place(at place) {
	p.uint(at.line)
	p.uint(at.column)
}

// unpacker reads what a packer wrote. Strings are parts of the text that it reads,
// so that nothing is copied. What does not fit sets bad, once and for all, and
// reads as zero.
type unpacker struct {
	s   string
	bad bool
}

func (u *unpacker) fail() {
	u.bad, u.s = true, ""
}

func (u *unpacker) uvarint() uint64 {
	n := uint64(0)
	for i := 0; i < len(u.s) && i < binary.MaxVarintLen64; i++ {
		c := u.s[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.s = u.s[i+1:]
			return n
		}
	}
	u.fail()
	return 0
}

// uint reads a number that is a size or a count of something in memory.
func (u *unpacker) uint() int {
	n := u.uvarint()
	if n > 1<<40 {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) int64() int64 {
	n := u.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

// count reads the length of a list, of which every item fills at least one byte.
func (u *unpacker) count() int {
	n := u.uint()
	if n > len(u.s) {
		u.fail()
		return 0
	}
	return n
}

func (u *unpacker) str() string {
	n := u.count()
	s := u.s[:n]
	u.s = u.s[n:]
	return s
}

func (u *unpacker) bool() bool { return u.uint() == 1 }

func (u *unpacker) strs() []string {
	n := u.count()
	list := make([]string, 0, n)
	for range n {
		list = append(list, u.str())
	}
	return list
}

func (u *unpacker) place() place { return place{u.uint(), u.uint()} }

var errCache = errors.New("the cache is not whole")

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// seal adds a checksum; a cache file that was cut or damaged is not read.
func (p *packer) seal() []byte {
	return binary.LittleEndian.AppendUint32(p.b, crc32.Checksum(p.b, castagnoli()))
}

// unseal checks a cache file with its first string, which names the format and
// everything that it depends on.
func unseal(data []byte, format string) (*unpacker, error) {
	const size = 4
	if len(data) < size {
		return nil, errCache
	}
	body := data[:len(data)-size]
	if crc32.Checksum(body, castagnoli()) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errCache
	}
	var text strings.Builder
	text.Write(body)
	u := &unpacker{s: text.String()}
	if u.str() != format {
		return nil, errCache
	}
	return u, nil
}
