package compiler

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// Result is what a compile made. It holds no bodies.
type Result struct {
	Pack      *pack.Pack
	Index     schema.Index     // compiled/index.json
	SourceMap schema.SourceMap // indexes/source-map.json
	Run       schema.Run       // the run, written or not
	// RunPath is the pack-relative path of the run record, in a dry run the one
	// that would be written; "" when nothing changed, so that no run is recorded.
	RunPath string
	// Recorded are the pack-relative paths of the compile runs that were there
	// before, newest first: those of the directory that outputs go to and of the
	// pack. They are listed after an interrupted run has been finished, so they can
	// be more than the pack held when it was opened.
	Recorded []string
	// SuggestedStatus is the pack status that the run proposes (section 6.11).
	// Compile never edits front matter, and never proposes "ready" by itself.
	SuggestedStatus string
	Counts          Counts
	// Reused says that nothing has changed since the last compile, which an
	// incremental one finds without reading the pack: Index, SourceMap, Units and
	// Views are empty then, and of the run only status and outputs are known.
	Reused bool
	// Patched says that few files had changed, and that an incremental compile put
	// their parts into the records as they stood: what is empty when Reused is empty
	// then, and of the run its chapters.
	Patched bool
	Units   []UnitInfo        // compile order, then the Markdown files that are no primary source, in path order
	Views   map[string]string // texts of the generated views by path, for the site and the index
	// Diagnostics are sorted as section 6.11 says. They hold more than the run
	// record: line, column and hint, and findings that no gate of section 6.10
	// knows, such as broken links.
	Diagnostics []diag.Diagnostic
}

// UnitInfo is what is kept of a unit after its tree is gone.
type UnitInfo struct {
	Path     string
	Title    string // text of the first H1, else the file stem
	Status   string // front matter status; "" when none
	SHA256   string // of the bytes on disk, 64 lower-case hex digits
	Size     int64  // bytes on disk
	Headings []HeadingInfo
}

// HeadingInfo is a heading without its offsets.
type HeadingInfo struct {
	Level    int // 1 to 6
	ID, Text string
}

// Counts sum up what a compile made.
type Counts struct {
	Views, Splits, Claims int
	Tokens                int // estimate over views and splits
}

// array is the form for the cache.
func (c Counts) array() [4]int { return [4]int{c.Views, c.Splits, c.Claims, c.Tokens} }

func countsFrom(n [4]int) Counts { return Counts{n[0], n[1], n[2], n[3]} }
