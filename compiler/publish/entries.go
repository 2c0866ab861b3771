package publish

import (
	"cmp"
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/store"
)

// entry is one file of the new tree.
type entry struct {
	path    string
	change  Change
	stat    *store.Stat // of the file that exists, when it is as it should be
	size    int64
	sum     [sha256.Size]byte // only with a manifest
	tree    string            // the directory it is staged with; "" when by itself
	staged  int32             // number in the stage, when it is staged by itself
	last    int32             // 0: content; otherwise its place after the content
	foreign bool              // the file belongs to another program
	blocked bool              // a directory, or a file further up, is in the way
	refused bool              // meets another path of the new tree: Commit will say so

	at int // its place in the entries; -1 for one that is not among them
}

// entries are the files of the new tree. A site of a million pages has some millions, so
// that they are held in few large pieces: about a hundred bytes each, the path included.
type entries struct {
	seed    maphash.Seed
	slots   []uint64 // hash of the folded path and place + 1; a power of two, a quarter of them free
	records pieces[record]
	stats   pieces[store.Stat]
	names   pieces[byte]     // the last parts of paths, one after another
	dirs    []string         // directories, with a final slash
	dir     map[string]int32 // their places
}

// record is how an entry is held.
type record struct {
	sum    [sha256.Size]byte
	size   int64
	name   uint32 // where in names the last part of the path is
	dir    int32
	where  int32 // what kind says
	last   int32
	length uint16 // of the last part of the path
	change uint8
	flags  uint8
}

// The flags of a record. The first three say what where is.
const (
	isStaged = 1 << iota // a number in the stage
	isInTree             // a directory: that which the file is staged with
	hasStat              // a place in stats
	isForeign
	isBlocked
	isRefused
)

// changes are the changes of a record.
var changes = [...]Change{"", Created, Updated, Deleted, Unchanged}

// pieces is a list that grows without being copied.
type pieces[T any] struct {
	list [][]T
	n    int
}

// pieceLen is how many items a piece holds.
const pieceLen = 1 << 13

// add adds items that follow each other in one piece, and returns the place of the first.
func (p *pieces[T]) add(items ...T) int {
	if room := len(p.list)*pieceLen - p.n; len(p.list) == 0 || room < len(items) {
		p.n = len(p.list) * pieceLen
		p.list = append(p.list, make([]T, 0, min(pieceLen, max(len(items), 64*len(p.list)*pieceLen))))
	}
	at := p.n
	piece := &p.list[at/pieceLen]
	*piece = append(*piece, items...)
	p.n += len(items)
	return at
}

func (p *pieces[T]) at(i int) *T { return &p.list[i/pieceLen][i%pieceLen] }

func newEntries() entries {
	return entries{seed: maphash.MakeSeed(), slots: make([]uint64, 16), dir: map[string]int32{}}
}

// len is how many there are.
func (s *entries) len() int { return s.records.n }

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
	r := record{dir: s.directory(e.path[:slash]), name: uint32(s.names.add([]byte(name)...)), length: uint16(len(name))}
	e.at = s.records.add(r)
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
	r := s.records.at(e.at)
	r.sum, r.size, r.last = e.sum, e.size, e.last
	r.change = uint8(slices.Index(changes[:], e.change))
	r.flags, r.where = 0, 0
	switch {
	case e.staged > 0:
		r.flags, r.where = isStaged, e.staged
	case e.tree != "":
		r.flags, r.where = isInTree, s.directory(e.tree+"/")
	case e.stat != nil:
		r.flags, r.where = hasStat, int32(s.stats.add(*e.stat))
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
}

// get returns an entry.
func (s *entries) get(at int) entry {
	r := s.records.at(at)
	e := entry{
		path: s.path(at), change: changes[r.change], size: r.size, sum: r.sum, last: r.last, at: at,
		foreign: r.flags&isForeign != 0, blocked: r.flags&isBlocked != 0, refused: r.flags&isRefused != 0,
	}
	switch {
	case r.flags&isStaged != 0:
		e.staged = r.where
	case r.flags&isInTree != 0:
		e.tree = strings.TrimSuffix(s.dirs[r.where], "/")
	case r.flags&hasStat != 0:
		e.stat = s.stats.at(int(r.where))
	}
	return e
}

// name is the last part of the path of an entry.
func (s *entries) name(r *record) []byte {
	if r.length == 0 {
		return nil
	}
	piece := s.names.list[r.name/pieceLen]
	return piece[r.name%pieceLen:][:r.length]
}

func (s *entries) path(at int) string {
	r := s.records.at(at)
	return s.dirs[r.dir] + string(s.name(r))
}

// compare compares the paths of two entries.
func (s *entries) compare(a, b int32) int {
	x, y := s.records.at(int(a)), s.records.at(int(b))
	if x.dir == y.dir {
		return compareBytes(s.name(x), s.name(y))
	}
	above, other := s.dirs[x.dir], s.dirs[y.dir]
	n := min(len(above), len(other))
	switch c := strings.Compare(above[:n], other[:n]); {
	case c != 0:
		return c
	case len(above) < len(other):
		return compareBytes(s.name(x), []byte(other[n:]))
	default:
		return compareBytes([]byte(above[n:]), s.name(y))
	}
}

func compareBytes(a, b []byte) int { return strings.Compare(string(a), string(b)) }

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
		return cmp.Or(cmp.Compare(s.records.at(int(a)).last, s.records.at(int(b)).last), s.compare(a, b))
	})
	return files{s, order}
}

// byPath returns the same entries by path.
func (f files) byPath() files {
	f.order = slices.Clone(f.order)
	slices.SortFunc(f.order, f.of.compare)
	return f
}

// all yields the entries, each valid until the next.
func (f files) all(yield func(e *entry) bool) {
	for _, at := range f.order {
		e := f.of.get(int(at))
		if !yield(&e) {
			return
		}
	}
}
