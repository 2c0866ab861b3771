package compiler

import (
	"cmp"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// statIndex is what is remembered of the files of a pack, inputs and outputs, so
// that a file that was not touched need not be read. It is a way to save work and
// nothing else: without it, or when it is damaged, everything is read.
type statIndex struct {
	listed  int64 // when the files were listed, in nanoseconds since 1970
	entries []statEntry
	settled bool // compiling once more would change nothing
	last    lastRun
}

// statEntry is one file.
type statEntry struct {
	path   string
	size   int64
	stamp  pack.Stamp
	sha256 string
	lines  int               // of an input that is no unit
	diags  []diag.Diagnostic // what the scans of such an input found
}

// lastRun is what a compile that finds nothing changed has to say.
type lastRun struct {
	status, suggested string
	counts            Counts
	outputs           []string
	diags             []diag.Diagnostic
}

// racy is how much older than the listing a file must be for its times to be
// trusted: a younger one may be written again without its times telling.
const racy = 2 * time.Second

// quiet reports whether a file was at rest when it was listed.
func (e *statEntry) quiet(listed int64) bool {
	return max(e.stamp.ModTime, e.stamp.ChangeTime) < listed-int64(racy)
}

// find returns the entry of a path; nil when there is none.
func (x *statIndex) find(path string) *statEntry {
	i, ok := slices.BinarySearchFunc(x.entries, path, func(e statEntry, path string) int { return cmp.Compare(e.path, path) })
	if !ok {
		return nil
	}
	return &x.entries[i]
}

func (x *statIndex) encode(format string) []byte {
	p := &packer{b: make([]byte, 0, 160*len(x.entries)+1024)}
	p.str(format)
	p.int64(x.listed)
	p.bool(x.settled)
	p.str(x.last.status)
	p.str(x.last.suggested)
	for _, n := range x.last.counts.list() {
		p.uint(*n)
	}
	p.strs(x.last.outputs)
	packFindings(p, x.last.diags)
	p.uint(len(x.entries))
	for i := range x.entries {
		e := &x.entries[i]
		p.str(e.path)
		p.int64(e.size)
		p.int64(e.stamp.ModTime)
		p.int64(e.stamp.ChangeTime)
		p.int64(int64(e.stamp.Inode))
		p.str(e.sha256)
		p.uint(e.lines)
		packFindings(p, e.diags)
	}
	return p.seal()
}

func decodeStatIndex(data []byte, format string) (*statIndex, error) {
	u, err := unseal(data, format)
	if err != nil {
		return nil, err
	}
	x := &statIndex{listed: u.int64(), settled: u.bool()}
	x.last.status, x.last.suggested = u.str(), u.str()
	for _, n := range x.last.counts.list() {
		*n = u.uint()
	}
	x.last.outputs = u.strs()
	x.last.diags = unpackFindings(u)
	x.entries = make([]statEntry, u.count())
	for i := range x.entries {
		e := &x.entries[i]
		e.path, e.size = u.str(), u.int64()
		e.stamp = pack.Stamp{ModTime: u.int64(), ChangeTime: u.int64(), Inode: uint64(u.int64())}
		e.sha256, e.lines, e.diags = u.str(), u.uint(), unpackFindings(u)
	}
	sorted := slices.IsSortedFunc(x.entries, func(a, b statEntry) int { return cmp.Compare(a.path, b.path) })
	if u.bad || u.s != "" || !sorted {
		return nil, errCache
	}
	return x, nil
}

// Counts sum up what a compile made.
type Counts struct {
	Views, Splits, Claims int
	Tokens                int // estimate over views and splits
}

func (c *Counts) list() []*int { return []*int{&c.Views, &c.Splits, &c.Claims, &c.Tokens} }
