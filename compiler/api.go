// Package compiler turns a knowledge pack on disk into its compiled views,
// source map and run record (agent-knowledge sections 5 to 9). It knows nothing
// of matching or of HTML.
package compiler

import (
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// Options steer a compile. The zero value is a full compile that writes.
type Options struct {
	Trigger string           // run trigger; "" is "manual"
	DryRun  bool             // compute everything, write nothing
	Force   bool             // overwrite files that were edited by hand
	Now     time.Time        // time of the run; zero is the clock. SOURCE_DATE_EPOCH is the caller's to read
	Jobs    int              // files worked on at once; 0 is GOMAXPROCS
	OutDir  string           // where compiled/, indexes/, runs/ are written; "" is the pack itself (--overlay)
	StateDir string          // locks, journals and staging; "" is <pack>/.packgen
	Visit   func(*Unit) error // sees every unit while its tree is in memory; called from several goroutines
	Skip    func(path string) bool // not used yet
}

// Unit is one Markdown file of the primary source while its parsed tree is in
// memory, with the splits cut from it. A visitor must not keep it.
type Unit struct {
	Pack   *pack.Pack
	Doc    *markdown.Document
	SHA256 string      // of the file's bytes on disk
	Title  string      // first H1, else file stem
	Splits []SplitText // what this unit gave, in order; empty for inputs only
}

// SplitText is a split with its text (markers appended, section 6.6).
type SplitText struct {
	schema.Split        // Order is not yet known: 0
	Start, End   int    // the slice of Doc.Text it was cut from
	Text         string // the file's bytes
}

// Result is what a compile made. It holds no bodies.
type Result struct {
	Pack        *pack.Pack
	Index       schema.Index
	SourceMap   schema.SourceMap
	Run         schema.Run
	RunPath     string // pack-relative; "" when no run was written because nothing changed
	Units       []UnitInfo
	Views       map[string]string // bytes of the generated views by path, for the site and the index
	Diagnostics []diag.Diagnostic // sorted as section 6.11 says; more than the run record holds (line, column, hint)
}

// UnitInfo is what is kept of a unit after its tree is gone.
type UnitInfo struct {
	Path     string
	Title    string
	Status   string // front matter status; "" when none
	SHA256   string
	Size     int64
	Headings []HeadingInfo
}

// HeadingInfo is a heading without its offsets.
type HeadingInfo struct {
	Level    int
	ID, Text string
}
