package publish

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
)

// entry is one file of the new tree.
type entry struct {
	path    string
	change  Change
	stat    *store.Stat // of the file that exists, when it is as it should be
	size    int64
	sum     [sha256.Size]byte // only with a manifest
	last    int32             // 0: content; otherwise its place after the content
	foreign bool              // the file belongs to another program
	blocked bool              // a directory, or a file further up, is in the way
	refused bool              // meets another path of the new tree: Commit will say so

	at int // its place in the entries; -1 for one that is not among them
}

// entries are the files of the new tree. A site of a million pages has some millions, so
// that little of each is in memory: where it is found. The rest is in records of one size,
// which are held as long as they are few.
type entries struct {
	seed  maphash.Seed
	slots []uint64 // hash of the folded path and place + 1; a power of two, a quarter of them free
	n     int
	list  scratch.Bytes    // records
	stats scratch.Bytes    // of files that are as they should be
	names scratch.Bytes    // the last parts of paths, one after another
	dirs  []string         // directories, with a final slash
	dir   map[string]int32 // their places
	read  [2][]byte        // names that are compared
	err   error            // the first of reading what is not in memory
}

// record is how an entry is held.
type record struct {
	sum    [sha256.Size]byte
	size   int64
	name   int64 // where in names the last part of the path is
	dir    int32
	stat   int32 // its place in stats, with hasStat
	last   int32
	length uint16 // of the last part of the path
	change uint8
	flags  uint8
}

// The flags of a record.
const (
	hasStat = 1 << iota
	isForeign
	isBlocked
	isRefused
)

// changes are the changes of a record.
var changes = [...]Change{"", Created, Updated, Deleted, Unchanged}

// recordSize and statSize are the sizes of a record and of what is known of a file, in bytes.
const (
	recordSize = sha256.Size + 8 + 8 + 3*4 + 4
	statSize   = 4 * 8
)

func (r *record) encode(b *[recordSize]byte) {
	le := binary.LittleEndian
	rest := b[copy(b[:], r.sum[:]):]
	le.PutUint64(rest, uint64(r.size))
	le.PutUint64(rest[8:], uint64(r.name))
	le.PutUint32(rest[16:], uint32(r.dir))
	le.PutUint32(rest[20:], uint32(r.stat))
	le.PutUint32(rest[24:], uint32(r.last))
	le.PutUint16(rest[28:], r.length)
	rest[30], rest[31] = r.change, r.flags
}

func (r *record) decode(b *[recordSize]byte) {
	le := binary.LittleEndian
	rest := b[copy(r.sum[:], b[:]):]
	r.size, r.name = int64(le.Uint64(rest)), int64(le.Uint64(rest[8:]))
	r.dir, r.stat, r.last = int32(le.Uint32(rest[16:])), int32(le.Uint32(rest[20:])), int32(le.Uint32(rest[24:]))
	r.length, r.change, r.flags = le.Uint16(rest[28:]), rest[30], rest[31]
}

// record returns a record; an empty one when it cannot be read.
func (s *entries) record(at int) (r record) {
	var b [recordSize]byte
	if s.failed(s.list.ReadAt(b[:], int64(at)*recordSize)) {
		return record{}
	}
	r.decode(&b)
	return r
}

// failed notes an error.
func (s *entries) failed(_ int, err error) bool {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err != nil
}

// addStat keeps what is known of a file and returns its place.
func (s *entries) addStat(stat *store.Stat) int32 {
	var b [statSize]byte
	for i, v := range [...]int64{stat.Size, stat.ModTime, stat.ChangeTime, int64(stat.Inode)} {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
	return int32(s.stats.Append(b[:]) / statSize)
}

func (s *entries) stat(at int32) *store.Stat {
	var b [statSize]byte
	s.failed(s.stats.ReadAt(b[:], int64(at)*statSize))
	v := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return &store.Stat{Size: v(0), ModTime: v(1), ChangeTime: v(2), Inode: uint64(v(3))}
}

func newEntries() entries {
	return entries{seed: maphash.MakeSeed(), slots: make([]uint64, 16), dir: map[string]int32{}}
}

// close lets the records go.
func (s *entries) close() {
	_, _, _ = s.list.Close(), s.stats.Close(), s.names.Close()
}

// len is how many there are.
func (s *entries) len() int { return s.n }

// slot returns the slot of a folded path, or the free one where it belongs, and the hash that
// goes into it.
func (s *entries) slot(key string) (slot *uint64, tag uint64) {
	hash := maphash.String(s.seed, key)
	tag = hash &^ (1<<32 - 1)
	for at := hash; ; at++ {
		slot = &s.slots[at&uint64(len(s.slots)-1)]
		if *slot == 0 || *slot&^(1<<32-1) == tag && fold(s.path(int(*slot&(1<<32-1))-1)) == key {
			return slot, tag
		}
	}
}

// find returns the place of the entry of a folded path; -1 for none.
func (s *entries) find(key string) int {
	slot, _ := s.slot(key)
	return int(*slot&(1<<32-1)) - 1
}

// add adds an entry, whose folded path no other has.
func (s *entries) add(e *entry, key string) {
	if 4*(s.len()+1) > 3*len(s.slots) {
		s.grow()
	}
	slash := strings.LastIndexByte(e.path, '/') + 1
	name := e.path[slash:]
	r := record{dir: s.directory(e.path[:slash]), name: s.names.Append([]byte(name)), length: uint16(len(name))}
	var b [recordSize]byte
	r.encode(&b)
	e.at = int(s.list.Append(b[:]) / recordSize)
	s.n++
	slot, tag := s.slot(key)
	*slot = tag | uint64(e.at+1)
	s.set(e)
}

// grow makes room for more.
func (s *entries) grow() {
	s.slots = make([]uint64, 2*len(s.slots))
	for i := range s.len() {
		slot, tag := s.free(fold(s.path(i)))
		*slot = tag | uint64(i+1)
	}
}

// free returns the slot of a folded path that is not among the slots.
func (s *entries) free(key string) (slot *uint64, tag uint64) {
	hash := maphash.String(s.seed, key)
	for at := hash; ; at++ {
		if slot = &s.slots[at&uint64(len(s.slots)-1)]; *slot == 0 {
			return slot, hash &^ (1<<32 - 1)
		}
	}
}

// directory returns the place of a directory.
func (s *entries) directory(dir string) int32 {
	at, known := s.dir[dir]
	if !known {
		dir = strings.Clone(dir)
		at = int32(len(s.dirs))
		s.dirs, s.dir[dir] = append(s.dirs, dir), at
	}
	return at
}

// set notes what is known of an entry by now.
func (s *entries) set(e *entry) {
	r := s.record(e.at)
	r.sum, r.size, r.last = e.sum, e.size, e.last
	r.change = uint8(slices.Index(changes[:], e.change))
	r.flags = 0
	if e.stat != nil {
		r.flags, r.stat = hasStat, s.addStat(e.stat)
	}
	if e.foreign {
		r.flags |= isForeign
	}
	if e.blocked {
		r.flags |= isBlocked
	}
	if e.refused {
		r.flags |= isRefused
	}
	var b [recordSize]byte
	r.encode(&b)
	s.failed(s.list.WriteAt(b[:], int64(e.at)*recordSize))
}

// get returns an entry.
func (s *entries) get(at int) entry {
	r := s.record(at)
	e := entry{
		path: s.pathOf(&r), change: changes[r.change], size: r.size, sum: r.sum, last: r.last, at: at,
		foreign: r.flags&isForeign != 0, blocked: r.flags&isBlocked != 0, refused: r.flags&isRefused != 0,
	}
	if r.flags&hasStat != 0 {
		e.stat = s.stat(r.stat)
	}
	return e
}

// name reads the last part of the path of an entry, into buf where that is large enough.
func (s *entries) name(r *record, buf *[]byte) []byte {
	if cap(*buf) < int(r.length) {
		*buf = make([]byte, 2*int(r.length))
	}
	name := (*buf)[:r.length]
	s.failed(s.names.ReadAt(name, r.name))
	return name
}

func (s *entries) path(at int) string {
	r := s.record(at)
	return s.pathOf(&r)
}

func (s *entries) pathOf(r *record) string { return s.dirs[r.dir] + string(s.name(r, &s.read[0])) }

// compare compares the paths of two entries.
func (s *entries) compare(a, b int32) int {
	x, y := s.record(int(a)), s.record(int(b))
	return s.comparePaths(&x, &y)
}

func (s *entries) comparePaths(x, y *record) int {
	name, otherName := s.name(x, &s.read[0]), s.name(y, &s.read[1])
	if x.dir == y.dir {
		return bytes.Compare(name, otherName)
	}
	above, other := s.dirs[x.dir], s.dirs[y.dir]
	n := min(len(above), len(other))
	switch c := strings.Compare(above[:n], other[:n]); {
	case c != 0:
		return c
	case len(above) < len(other):
		return strings.Compare(string(name), other[n:])
	default:
		return strings.Compare(above[n:], string(otherName))
	}
}

// files are entries in an order.
type files struct {
	of    *entries
	order []int32
}

// inOrder returns all entries: those of content by path, then the others as they were
// put.
func (s *entries) inOrder() files {
	order := make([]int32, s.len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := s.record(int(a)), s.record(int(b))
		return cmp.Or(cmp.Compare(x.last, y.last), s.comparePaths(&x, &y))
	})
	return files{s, order}
}

// byPath returns the same entries by path.
func (f files) byPath() files {
	f.order = slices.Clone(f.order)
	slices.SortFunc(f.order, f.of.compare)
	return f
}

// all yields the entries, each valid until the next, up to one that cannot be read.
func (f files) all(yield func(e *entry) bool) {
	for _, at := range f.order {
		e := f.of.get(int(at))
		if f.of.err != nil || !yield(&e) {
			return
		}
	}
}
