package cache

import (
	"cmp"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
)

// Files is what is remembered of a pack as a whole and of each of its files,
// inputs and outputs, so that a file that was not touched need not be read.
type Files struct {
	Settled bool   // compiling once more would change nothing
	Edited  bool   // compiled/index.json names hashes that some files it tells of have not
	Context string // names what else the findings depend on

	Newest  string            // fingerprint of the newest run
	Skipped []diag.Diagnostic // run records that cannot be used

	Status, Suggested string
	Counts            [4]int
	Findings          []diag.Diagnostic

	Joined  uint32   // checksum of joined.cache; 0 when there is none
	Marks   uint32   // checksum of marks.cache
	Shards  []uint32 // checksums of the shards, see Units
	Entries []Entry  // in path order
}

// Entry is one file.
type Entry struct {
	Path     string
	Size     int64
	Stamp    pack.Stamp
	Quiet    bool // the stamp is old enough to tell of any later change, see Quiet
	Output   bool // what a compile owns or keeps
	Made     bool // a split or view that compile generated
	Sum      Sum
	Lines    int               // of an input
	Findings []diag.Diagnostic // what the scans of an input that is no unit found
}

const filesName = "files.cache"

// format is the first part of every key.
const format = "packgen compile cache 4 "

// ReadFiles reads files.cache; nil when it is not there or of no use.
func (d Dir) ReadFiles(key string) *Files {
	r, _, err := d.open(filesName, format+key)
	if err != nil {
		return nil
	}
	x := decodeFiles(r)
	if !r.Done() || !slices.IsSortedFunc(x.Entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) }) {
		return nil
	}
	return x
}

// Write puts files.cache in place.
func (d Dir) Write(key string, x *Files) error {
	w := NewWriter(128*len(x.Entries) + 1024)
	w.Str(format + key)
	x.encode(w)
	_, err := d.write(filesName, w)
	return err
}

// Forget removes files.cache, without which nothing of the cache is used, and what
// processes that were killed left half-written. The caller holds the lock of those
// who write here.
func (d Dir) Forget() error {
	d.sweep()
	return d.remove(filesName)
}

func (x *Files) encode(w *Writer) {
	w.Bool(x.Settled)
	w.Bool(x.Edited)
	w.Str(x.Context)
	w.Str(x.Newest)
	w.Findings(x.Skipped)
	w.Str(x.Status)
	w.Str(x.Suggested)
	for _, n := range x.Counts {
		w.Uint(n)
	}
	w.Findings(x.Findings)
	w.Uint(int(x.Joined))
	w.Uint(int(x.Marks))
	w.Uint(len(x.Shards))
	for _, sum := range x.Shards {
		w.Uint(int(sum))
	}
	w.Uint(len(x.Entries))
	for i := range x.Entries {
		x.Entries[i].encode(w)
	}
}

func decodeFiles(r *Reader) *Files {
	x := &Files{Settled: r.Bool(), Edited: r.Bool(), Context: r.Str(), Newest: r.Str(), Skipped: r.Findings()}
	x.Status, x.Suggested = r.Str(), r.Str()
	for i := range x.Counts {
		x.Counts[i] = r.Uint()
	}
	x.Findings = r.Findings()
	x.Joined = uint32(r.Uint())
	x.Marks = uint32(r.Uint())
	x.Shards = make([]uint32, r.Count())
	for i := range x.Shards {
		x.Shards[i] = uint32(r.Uint())
	}
	x.Entries = make([]Entry, r.countOf(leastEntry))
	for i := range x.Entries {
		x.Entries[i].decode(r)
	}
	return x
}

// leastEntry is how many bytes an entry takes at least as it is written.
const leastEntry = 8 + len(Sum{})

// The flags of an entry as they are written.
const (
	flagQuiet = 1 << iota
	flagOutput
	flagMade
)

func (e *Entry) encode(w *Writer) {
	flags := 0
	if e.Quiet {
		flags |= flagQuiet
	}
	if e.Output {
		flags |= flagOutput
	}
	if e.Made {
		flags |= flagMade
	}
	w.Str(e.Path)
	w.Uint(flags)
	w.Int64(e.Size)
	w.Int64(e.Stamp.ModTime)
	w.Int64(e.Stamp.ChangeTime)
	w.Int64(int64(e.Stamp.Inode))
	w.Sum(e.Sum)
	w.Uint(e.Lines)
	w.Findings(e.Findings)
}

func (e *Entry) decode(r *Reader) {
	e.Path = r.Str()
	flags := r.Uint()
	e.Quiet, e.Output, e.Made = flags&flagQuiet != 0, flags&flagOutput != 0, flags&flagMade != 0
	e.Size = r.Int64()
	e.Stamp = pack.Stamp{ModTime: r.Int64(), ChangeTime: r.Int64(), Inode: uint64(r.Int64())}
	e.Sum, e.Lines, e.Findings = r.Sum(), r.Uint(), r.Findings()
}

// Find returns the entry of a path; nil when there is none.
func (x *Files) Find(path string) *Entry {
	i, ok := slices.BinarySearchFunc(x.Entries, path, func(e Entry, path string) int { return cmp.Compare(e.Path, path) })
	if !ok {
		return nil
	}
	return &x.Entries[i]
}

// Insert adds an entry for a path that has none.
func (x *Files) Insert(path string) *Entry {
	i, _ := slices.BinarySearchFunc(x.Entries, path, func(e Entry, path string) int { return cmp.Compare(e.Path, path) })
	x.Entries = slices.Insert(x.Entries, i, Entry{Path: path})
	return &x.Entries[i]
}

// AtRest reports whether the stamp of a file says that nobody touched it since.
func (e *Entry) AtRest(f pack.File) bool {
	return e.Quiet && e.Size == f.Size && e.Stamp == f.Stamp() && e.Stamp != pack.Stamp{}
}

// How much older than the moment of looking at it a file must be for its times to
// tell of any later change: a younger one may be written again without. A file
// system may keep times to the second or two; the clock that a local one of today
// takes them from moves on at least every 10 ms.
const (
	CoarseWindow = 2 * time.Second
	FineWindow   = 15 * time.Millisecond
)

// Quiet reports whether a file was at rest at a moment, in nanoseconds since 1970.
// Fine says that it lies on a file system whose times are of the local clock.
// The time of modification alone tells nothing: its owner may set it back.
func Quiet(s pack.Stamp, moment int64, fine bool) bool {
	if s.ChangeTime == 0 {
		return false
	}
	window := CoarseWindow
	// Times without digits below the millisecond are those of a coarse clock.
	if fine && s.ChangeTime%1e6 != 0 {
		window = FineWindow
	}
	return max(s.ModTime, s.ChangeTime) < moment-int64(window)
}
