package gctuning

import (
	"os"
	"runtime/debug"
	"sync/atomic"
)

// What a build may use before the collector works harder: a base for the
// program and the assets, and a share for each file, which is about twice what
// is kept of one. Of very many files less is kept: the packs come one after another. Of a
// very large pack all that its pages know of each other is held at once, and of hundreds of
// thousands of files their names are much: a limit below that would have the collector run
// all the time and find nothing.
const (
	memoryBase    = 128 << 20  // bytes
	MemoryPerFile = 16 << 10   // bytes
	memoryMost    = 512 << 20  // bytes
	memoryPerPage = 11 << 10   // bytes, of the largest pack
	memoryLargest = 1200 << 20 // bytes
	memoryPerName = 1 << 10    // bytes, of each file
	memoryOfNames = 1100 << 20 // bytes
)

// LimitMemory keeps the peak of a build near what it needs: most of what it
// allocates is gone a moment later. GOMEMLIMIT and GOGC, when set, take
// precedence. Largest is how many of the files are in the largest pack.
func LimitMemory(files, largest int) {
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetMemoryLimit(limit(int64(files), int64(largest)))
		debug.SetGCPercent(buildGC)
	}
}

// limit is the limit of a build, in bytes.
func limit(files, largest int64) int64 {
	ofPages, ofNames := min(memoryBase+memoryPerPage*largest, memoryLargest), min(memoryBase+memoryPerName*files, memoryOfNames)
	return min(memoryBase+MemoryPerFile*files, max(memoryMost, ofPages, ofNames))
}

// buildGC is the GOGC of builds: up to their limit they may use memory as they like.
const buildGC = 800

// readingGC is the GOGC of commands that read packs, answer and end: what they
// allocate is little, and collecting it costs more than keeping it.
const readingGC = 400

// Seldom trades memory for time in a short command, unless GOGC is set.
func Seldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(readingGC)
	}
}

// ManyFiles is how many files a short command reads at most.
const ManyFiles = 100

// Usually returns what is to be called for each file that is read: from that many on
// the command is not a short one, and memory is collected as usual again.
func Usually(from int64) func() {
	var read atomic.Int64
	return func() {
		if read.Add(1) == from && os.Getenv("GOGC") == "" {
			debug.SetGCPercent(100)
		}
	}
}
