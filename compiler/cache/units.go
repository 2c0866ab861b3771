package cache

import (
	"fmt"
	"hash/crc32"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Units keeps what was made of each unit of a pack, in shards by the hash of the
// unit's path: a change of few units reads and writes few shards. Its methods may
// be called from several goroutines, but for Write.
type Units struct {
	dir    Dir
	key    string
	sums   []uint32 // of the shards as they should be on disk; 0 when empty
	shards []shard
}

// Unit is what is kept of one: what the analysis of its text gave.
type Unit struct {
	Path string
	Sum  Sum    // of the text
	Blob string // as the compiler writes it
}

type shard struct {
	once  sync.Once
	units []Unit // in path order
}

// maxShards is how many files the units are spread over at most; perShard is how
// many units share one as long as there are fewer of them.
const (
	maxShards = 256
	perShard  = 32
)

// OpenUnits returns the units of a cache with those checksums. Key names everything
// besides the text of a unit that its analysis depends on. A shard is read when it
// is first asked; one that is not as it was written holds nothing.
func (d Dir) OpenUnits(key string, sums []uint32) *Units {
	return &Units{dir: d, key: format + key, sums: sums, shards: make([]shard, len(sums))}
}

// Get returns a unit.
func (u *Units) Get(path string) (Unit, bool) {
	if u == nil || len(u.shards) == 0 {
		return Unit{}, false
	}
	units := u.load(place(path, len(u.shards)))
	i, ok := find(units, path)
	if !ok {
		return Unit{}, false
	}
	return units[i], true
}

func find(units []Unit, path string) (int, bool) {
	return slices.BinarySearchFunc(units, path, func(a Unit, path string) int { return strings.Compare(a.Path, path) })
}

// place is the shard of a path.
func place(path string, shards int) int {
	return int(crc32.Checksum([]byte(path), castagnoli()) % uint32(shards))
}

func shardName(i int) string { return fmt.Sprintf("units-%02x.cache", i) }

// load reads a shard, once.
func (u *Units) load(i int) []Unit {
	s := &u.shards[i]
	s.once.Do(func() {
		if u.sums[i] == 0 {
			return
		}
		r, sum, err := u.dir.open(shardName(i), u.key)
		if err != nil || sum != u.sums[i] {
			return
		}
		s.units = decodeUnits(r)
	})
	return s.units
}

func decodeUnits(r *Reader) []Unit {
	list := make([]Unit, r.countOf(3+len(Sum{})))
	for i := range list {
		list[i] = Unit{Path: r.Str(), Sum: r.Sum(), Blob: r.Str()}
	}
	sorted := slices.IsSortedFunc(list, func(a, b Unit) int { return strings.Compare(a.Path, b.Path) })
	if !r.Done() || !sorted {
		return nil
	}
	return list
}

func encodeUnits(key string, list []Unit) *Writer {
	size := len(key) + 64
	for i := range list {
		size += len(list[i].Path) + len(list[i].Blob) + 64
	}
	w := NewWriter(size)
	w.Str(key)
	w.Uint(len(list))
	for i := range list {
		w.Str(list[i].Path)
		w.Sum(list[i].Sum)
		w.Str(list[i].Blob)
	}
	return w
}

// Replace writes units in place of those that have their paths, and returns the
// checksums of all shards as they are then.
func (u *Units) Replace(units []Unit) ([]uint32, error) {
	sums := slices.Clone(u.sums)
	lists := map[int][]Unit{}
	for _, unit := range units {
		at := place(unit.Path, len(u.shards))
		if lists[at] == nil {
			lists[at] = slices.Clone(u.load(at))
		}
		i, ok := find(lists[at], unit.Path)
		if !ok {
			return nil, errDamaged
		}
		lists[at][i] = unit
	}
	for at, list := range lists {
		var err error
		if sums[at], err = u.dir.write(shardName(at), encodeUnits(u.key, list)); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// WriteUnits makes a list the units of a cache and returns the checksums of its
// shards. Old is what the cache holds, or nil: of it, shards that stay the same
// stay as they are.
func (d Dir) WriteUnits(key string, list []Unit, old *Units, jobs int) ([]uint32, error) {
	n := shardsFor(len(list))
	if old != nil && len(old.shards) > 0 && 2*n >= len(old.shards) && n <= 2*len(old.shards) {
		n = len(old.shards) // a pack that grows a little keeps its shards
	}
	same := old != nil && old.key == format+key && len(old.shards) == n
	lists := make([][]Unit, n)
	for _, unit := range list {
		at := place(unit.Path, n)
		lists[at] = append(lists[at], unit)
	}
	sums := make([]uint32, n)
	var g errgroup.Group
	g.SetLimit(max(1, jobs))
	for i := range lists {
		g.Go(func() (err error) {
			slices.SortFunc(lists[i], func(a, b Unit) int { return strings.Compare(a.Path, b.Path) })
			switch {
			case same && slices.EqualFunc(lists[i], old.load(i), Unit.equal):
				sums[i] = old.sums[i]
			case len(lists[i]) > 0:
				sums[i], err = d.write(shardName(i), encodeUnits(format+key, lists[i]))
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if !same {
		for i := n; i < maxShards; i++ {
			_ = d.remove(shardName(i))
		}
	}
	return sums, nil
}

func (a Unit) equal(b Unit) bool {
	return a.Path == b.Path && a.Sum == b.Sum && a.Blob == b.Blob
}

// shardsFor returns a power of two.
func shardsFor(units int) int {
	return min(maxShards, 1<<bits.Len(uint(units/perShard)))
}
