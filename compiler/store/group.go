package store

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
)

// Group is a part of a store on disk that is read and written as a whole, such as
// what is known of one pack. It reads its segments when it is first asked, and
// writes what was added when the store is closed.
type Group struct {
	dir   string // "" keeps nothing after the store is closed
	keep  bool   // what was added is put in place at the end
	clock func() time.Time

	once   sync.Once
	mu     sync.Mutex
	at     table
	loaded bool // the segments were read
	segs   []segmentFile
	out    *segmentWriter // nil until something is added
	temp   string         // name of its file, while it has one
}

// segmentFile is a segment that was found.
type segmentFile struct {
	*os.File
	name string
	size int64
}

// place is where a payload is: in a segment, or in the new one.
type place struct {
	item
	seg    int32 // in segs, or one of those below
	used   bool  // asked for in this run
	number int   // in the table
}

const (
	fresh   = -1 // in the new segment
	dropped = -2 // nowhere: it was damaged, or is too old
)

const (
	segmentEnding = ".seg"
	tempEnding    = ".tmp"
)

// load reads the segments. Of payloads that exist twice the one of the segment
// with the greater name counts.
func (g *Group) load() {
	g.loaded = true
	if g.dir == "" {
		return
	}
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), segmentEnding) {
			continue
		}
		f, index, err := openSegment(filepath.Join(g.dir, e.Name()))
		if err != nil {
			if err == errDamaged && g.keep {
				_ = regularfile.Remove(filepath.Join(g.dir, e.Name()))
			}
			continue
		}
		size := int64(0)
		if info, err := f.Stat(); err == nil {
			size = info.Size()
		}
		g.at.grow(index.len())
		g.segs = append(g.segs, segmentFile{f, e.Name(), size})
		for x := range index.items {
			if old, ok := g.at.find(x.name); ok {
				x.used = max(x.used, old.item.used)
				old.item.used = x.used
				g.at.save(&old)
			}
			if x.size != touched {
				g.at.put(place{item: x, seg: int32(len(g.segs) - 1)})
			}
		}
	}
}

// get returns a payload, in buf where that is large enough.
func (g *Group) get(n name, buf []byte) ([]byte, bool) {
	g.once.Do(g.load)
	g.mu.Lock()
	p, found := g.at.find(n)
	if !found {
		g.mu.Unlock()
		return nil, false
	}
	var f *os.File
	var data []byte
	if p.seg >= 0 {
		f = g.segs[p.seg].File
	} else if pending, onDisk := g.out.read(&p.item); onDisk {
		f = g.out.file
	} else {
		data = pending
	}
	g.mu.Unlock()
	if f != nil {
		if data = readPayload(f, &p.item, buf); data == nil && p.size > 0 {
			g.drop(n)
			return nil, false
		}
	}
	if !p.used {
		g.mu.Lock()
		if p, found := g.at.find(n); found {
			p.used = true
			g.at.save(&p)
		}
		g.mu.Unlock()
	}
	return data, true
}

// drop forgets a payload that was damaged, so that it is written again.
func (g *Group) drop(n name) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.at.drop(n)
}

// set adds a payload.
func (g *Group) set(n name, data []byte) {
	g.once.Do(g.load)
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, found := g.at.find(n); found && (n.kind == blob || p.size == uint32(len(data)) && p.sum == checksum(data)) && g.whole(&p) {
		p.used = true
		g.at.save(&p)
		return
	}
	if g.out == nil {
		g.out = &segmentWriter{file: g.create()}
	}
	x := g.out.add(item{name: n, used: g.hour()}, data)
	g.at.put(place{item: x, seg: fresh, used: true})
}

// whole reports whether a payload can be read as it was written. What was asked for in
// this run was looked at then.
func (g *Group) whole(p *place) bool {
	if p.used || p.seg < 0 {
		return true
	}
	buf := checkBuffers.Get().(*[]byte)
	defer checkBuffers.Put(buf)
	data := readPayload(g.segs[p.seg].File, &p.item, *buf)
	keepBuffer(buf, data)
	return data != nil
}

// create makes the file of the new segment; nil when there can be none.
func (g *Group) create() *os.File {
	dir := g.dir
	if !g.keep || dir != "" && regularfile.MkdirAll(dir, 0o777) != nil {
		dir = ""
	}
	if dir != "" {
		if f, err := regularfile.CreateTemp(dir, "*"+tempEnding); err == nil {
			g.temp = f.Name()
			return f
		}
	}
	f, err := scratch.NewFile("", "store")
	if err != nil {
		return nil
	}
	g.temp = f.NameLeft()
	return f.File
}

// Action implements [Store].
func (g *Group) Action(key Digest) (Result, bool) {
	data, ok := g.get(name{action, key}, nil)
	if ok {
		if data, ok = unsealAction(key, data); !ok {
			g.drop(name{action, key})
		}
	}
	if !ok || len(data)%len(Digest{}) != 0 {
		return nil, false
	}
	r := make(Result, len(data)/len(Digest{}))
	for i := range r {
		copy(r[i][:], data[i*len(Digest{}):])
	}
	return r, true
}

// SetAction implements [Store].
func (g *Group) SetAction(key Digest, r Result) {
	data := make([]byte, 0, len(r)*len(Digest{})+sealSize)
	for i := range r {
		data = append(data, r[i][:]...)
	}
	g.set(name{action, key}, sealAction(key, data))
}

// Blob implements [Store].
func (g *Group) Blob(d Digest) ([]byte, bool) { return g.get(name{blob, d}, nil) }

// checkBuffers are for bytes that are read to be checked.
var checkBuffers = sync.Pool{New: func() any { return new([]byte) }}

// Has implements [Store].
func (g *Group) Has(d Digest) bool {
	buf := checkBuffers.Get().(*[]byte)
	defer checkBuffers.Put(buf)
	data, ok := g.get(name{blob, d}, *buf)
	keepBuffer(buf, data)
	return ok
}

// keepBuffer uses what was read for the next check, where it is larger.
func keepBuffer(buf *[]byte, data []byte) {
	if cap(data) > cap(*buf) && cap(data) <= maxChecked {
		*buf = data
	}
}

// maxChecked is the largest buffer in bytes that is used again.
const maxChecked = 1 << 20

// SetBlob implements [Store].
func (g *Group) SetBlob(data []byte) Digest {
	d := Sum(data)
	g.set(name{blob, d}, data)
	return d
}

// hour is the time that uses are noted with.
func (g *Group) hour() uint32 { return uint32(g.clock().Unix() / 3600) }

// Flush puts what was added in place, for other processes and for the next run.
// What cannot be written is lost with the end of the store; that costs time only.
func (g *Group) Flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.loaded {
		return
	}
	g.touch()
	if g.out == nil {
		return
	}
	w := g.out
	if !g.keep || g.dir == "" || g.temp == "" {
		return
	}
	final := g.newName()
	var added []item
	for p := range g.at.each {
		if p.seg == fresh {
			added = append(added, p.item)
		}
	}
	userKey().keep()
	if w.finish(added) != nil || regularfile.Rename(g.temp, final) != nil {
		return
	}
	g.temp = ""
	g.segs = append(g.segs, segmentFile{w.file, filepath.Base(final), w.flushed})
	for p := range g.at.each {
		if p.seg == fresh {
			p.seg = int32(len(g.segs) - 1)
		}
	}
	g.out = nil
	g.trim()
}

// newName is the name of a new segment. Later ones have greater names on one
// machine; where a clock ran backwards, an older result may count, which is as good.
func (g *Group) newName() string {
	random := filepath.Base(g.temp)
	random = strings.TrimSuffix(random, tempEnding)
	return filepath.Join(g.dir, fmt.Sprintf("%016x-%s%s", g.clock().UnixNano(), hex.EncodeToString([]byte(random)), segmentEnding))
}

// touchAfter is how many hours old the last known use is before another is noted:
// noting each would write at every run.
const touchAfter = 24

// touch notes what was used and is not known to have been recently.
func (g *Group) touch() {
	if !g.keep || g.dir == "" {
		return
	}
	now := g.hour()
	var list []item
	for p := range g.at.each {
		if p.used && p.seg >= 0 && p.item.used+touchAfter < now {
			list = append(list, item{name: p.name, size: touched, used: now})
			p.item.used = now
		}
	}
	if len(list) == 0 {
		return
	}
	if g.out == nil {
		g.out = &segmentWriter{file: g.create()}
	}
	g.out.touched = append(g.out.touched, list...)
}

// close ends the group; nothing may be asked of it any more.
func (g *Group) close() {
	g.Flush()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.segs {
		_ = s.Close()
	}
	if g.out != nil && g.out.file != nil {
		_ = g.out.file.Close()
		if g.temp != "" {
			_ = regularfile.Remove(g.temp)
		}
	}
	g.at.close()
	g.segs, g.out, g.loaded = nil, nil, false
}

// The bounds of a group.
const (
	maxSegments = 6       // from that many on the smaller ones become one
	maxAge      = 5 * 24  // hours: what was not used for longer is dropped
	maxGroup    = 2 << 30 // bytes
)

// trim joins segments when they are many, and drops what is old when a quarter of
// the group is so, or it is too large.
func (g *Group) trim() {
	total, old := int64(0), int64(0)
	for _, s := range g.segs {
		total += s.size
	}
	limit := g.hour() - min(g.hour(), maxAge)
	live := int64(0)
	for p := range g.at.each {
		if p.item.used >= limit {
			live += int64(p.size)
		} else {
			old += int64(p.size)
		}
	}
	switch {
	case total > maxGroup || total > 1<<20 && (total-live)*4 > total*3:
		g.rewrite(func(string) bool { return true }, g.oldest(maxGroup/2, limit))
	case old*4 > total:
		g.rewrite(func(string) bool { return true }, limit)
	case len(g.segs) > maxSegments:
		g.rewrite(g.smallest(), 0)
	}
}

// oldest is the hour before which uses are dropped for a group to fit.
func (g *Group) oldest(room int64, limit uint32) uint32 {
	list := make([]item, 0, g.at.n)
	for p := range g.at.each {
		list = append(list, p.item)
	}
	slices.SortFunc(list, func(a, b item) int { return cmp.Compare(b.used, a.used) })
	for i := range list {
		if room -= int64(list[i].size); room < 0 {
			return max(limit, list[i].used+1)
		}
	}
	return limit
}

// smallest chooses the segments that become one: each that is smaller than all
// chosen before it together, so that what is large is seldom copied.
func (g *Group) smallest() func(string) bool {
	list := slices.Clone(g.segs)
	slices.SortFunc(list, func(a, b segmentFile) int { return cmp.Compare(a.size, b.size) })
	chosen, sum := map[string]bool{}, int64(0)
	for i, s := range list {
		if i < 2 || i < maxSegments/2 || s.size <= sum {
			chosen[s.name] = true
			sum += s.size
		}
	}
	return func(name string) bool { return chosen[name] }
}

// rewrite puts what is worth keeping of some segments into a new one, and removes
// them. Whoever has one open can still read it.
func (g *Group) rewrite(chosen func(name string) bool, limit uint32) {
	w := &segmentWriter{file: g.create()}
	if w.file == nil || g.temp == "" {
		return
	}
	var order []*place
	for p := range g.at.each {
		if chosen(g.segs[p.seg].name) {
			order = append(order, p)
		}
	}
	slices.SortFunc(order, func(a, b *place) int {
		return cmp.Or(cmp.Compare(a.seg, b.seg), cmp.Compare(a.offset, b.offset), cmp.Compare(a.kind, b.kind))
	})
	moved := make([]place, 0, len(order))
	for _, p := range order {
		if p.item.used < limit && !p.used {
			p.seg = dropped
			g.at.save(p)
			continue
		}
		if data := readPayload(g.segs[p.seg].File, &p.item, nil); data != nil {
			moved = append(moved, place{item: w.add(item{name: p.name, used: p.item.used}, data), seg: int32(len(g.segs)), used: true})
		}
	}
	final := g.newName()
	added := make([]item, len(moved))
	for i := range moved {
		added[i] = moved[i].item
	}
	if w.finish(added) != nil || regularfile.Rename(g.temp, final) != nil {
		_ = w.file.Close()
		_ = regularfile.Remove(g.temp)
		g.temp = ""
		return
	}
	g.temp = ""
	for _, p := range moved {
		g.at.put(p)
	}
	for _, s := range g.segs {
		if chosen(s.name) {
			_ = regularfile.Remove(filepath.Join(g.dir, s.name))
		}
	}
	g.segs = append(g.segs, segmentFile{w.file, filepath.Base(final), w.flushed})
}
