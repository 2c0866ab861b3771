// This file and those of layers, launches and traces start programs on a file layer that
// fails, or that forgets what was never synced.
//
// The layer lies below the whole program, at the calls of the operating system: a filter
// hands each change of a file to the test, which lets it happen, has it fail, or takes
// half of it. No program is built for it, and no write can go around it. It needs Linux;
// Supported says whether it works.

package faults_test

import (
	"slices"
	"strings"
)

// Fault is a way in which a disk fails.
type Fault int

// The faults of a disk.
const (
	// None lets everything happen.
	None Fault = iota
	// Full takes half of a write and then nothing that needs room.
	Full
	// ReadOnly changes nothing any more.
	ReadOnly
	// Broken fails one change.
	Broken
	// Short takes half of one write, and says so.
	Short
	// Unsynced fails one sync.
	Unsynced
	// Unreadable fails one read of a file or directory, or its opening.
	Unreadable
	// Missing says of one file or directory that it is not there when it is opened or read.
	Missing
)

// String names a fault as the fault figures do.
func (f Fault) String() string {
	return [...]string{"nothing fails", "disk full", "read-only disk", "input/output error", "short write", "failed fsync", "input/output error of a read", "missing file"}[f]
}

// Kind is what a change does.
type Kind string

// The kinds of changes.
const (
	Create   Kind = "create" // opens a file that may have to be made or emptied
	open     Kind = "open"   // opens an existing file for writing
	Read     Kind = "read"   // of a file or directory, or opening it for that
	Write    Kind = "write"
	Sync     Kind = "sync" // of a file, a directory or, with All, everything
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	Mkdir    Kind = "mkdir"
	truncate Kind = "truncate"
	link     Kind = "link"
	symlink  Kind = "symlink"
	mode     Kind = "mode" // mode or times
	copied   Kind = "copy" // refused: what copies bytes by itself then writes them
)

// Change is one change of a disk that a program asked for.
type Change struct {
	Kind Kind
	Path string // absolute
	To   string // the new name of a rename or link, the content of a symbolic link
	All  bool   // a sync of the whole file system

	// Of a disk that records:
	data     []byte
	offset   int64 // of a write, or the size after truncate
	emptied  bool  // create empties what exists
	must     bool  // create wants the name to be free
	withDirs bool  // remove takes a directory
}

// Disk is what a program runs on.
type Disk struct {
	Dirs   []string // where it counts; the rest of the file system works as usual
	Fault  Fault
	At     int  // the number, from 1, of the first change that the fault affects
	Record bool // keep the bytes that are written
}

// Report is what a run did.
type Report struct {
	Changes []Change // below the directories, in order
	Count   int      // changes that the fault could affect
	Failed  []Change // those that it did
}

// affects reports whether a fault can affect a kind of changes.
func (f Fault) affects(k Kind) bool {
	switch f {
	case Full:
		return slices.Contains([]Kind{Create, Write, Mkdir, link, symlink}, k)
	case ReadOnly:
		return k != Sync
	case Broken:
		return k != open
	case Short:
		return k == Write
	case Unsynced:
		return k == Sync
	case Unreadable, Missing:
		return k == Read
	default:
		return false
	}
}

// lasting reports whether a fault affects all changes after the first.
func (f Fault) lasting() bool { return f == Full || f == ReadOnly }

// below reports whether a path is one that counts.
func (d *Disk) below(path string) bool {
	return slices.ContainsFunc(d.Dirs, func(dir string) bool {
		return path == dir || strings.HasPrefix(path, dir+"/")
	})
}
