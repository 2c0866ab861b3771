package render

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Printer writes answers to W.
type Printer struct {
	W io.Writer
	color.Painter
	Quiet   bool                          // leave out what may be left out
	Verbose bool                          // leave out nothing
	Origin  func(e *loadout.Entry) string // where an entry is from, "" for nowhere in particular; nil when all are one's own
}

// writeOrigin writes where an entry is from, on a line of its own.
func writeOrigin(p *Printer, indent string, e *loadout.Entry) {
	if p.Origin == nil {
		return
	}
	if from := p.Origin(e); from != "" {
		p.Printf("%s%s\n", indent, p.Dim(diag.Printable(from)))
	}
}

// fewRows is the number of near misses, manual entries and names of a row shown without
// Verbose.
const fewRows = 5

// Printf writes formatted text.
func (p *Printer) Printf(format string, args ...any) { fmt.Fprintf(p.W, format, args...) }

// Below writes a table after an empty line.
func (p *Printer) Below(t *columns.Table) {
	p.Printf("\n")
	t.Write(p.W)
}

// Rows returns how many of n rows are shown where few are enough.
func (p *Printer) Rows(n, few int) int {
	if p.Verbose {
		return n
	}
	return min(n, few)
}

// Shortened joins the first few names of a list.
func (p *Printer) Shortened(names []string) string {
	shown := names[:p.Rows(len(names), fewRows)]
	rest := ""
	if n := len(names) - len(shown); n > 0 {
		rest = " and " + amount.Grouped(n) + " more"
	}
	return diag.Printable(strings.Join(shown, ", ") + rest)
}

// ID returns the id of an entry, even one that is a number.
func ID(e *loadout.Entry) string {
	if e.ID == "" {
		return diag.Printable(e.JSON().Get("id").Text())
	}
	return diag.Printable(e.ID)
}

// Tokens returns the estimate of an entry.
func Tokens(e *loadout.Entry) string { return Number(e.TokensEst) }

// Number returns a sum of estimates, or "unknown" when one was missing.
func Number(f float64) string {
	if math.IsNaN(f) {
		return "unknown"
	}
	return indexjson.Rounded(f)
}

// sumTokens sums the estimates of entries; a missing one counts as zero.
func sumTokens(entries []loadout.Entry) float64 {
	sum := 0.0
	for i := range entries {
		sum += known(&entries[i])
	}
	return sum
}

// known returns the estimate of an entry, 0 for a missing one.
func known(e *loadout.Entry) float64 {
	if math.IsNaN(e.TokensEst) {
		return 0
	}
	return e.TokensEst
}

// Bracketed returns words as the reason of a match has them.
func Bracketed(words []string) string {
	return "[" + diag.Printable(strings.Join(words, ", ")) + "]"
}

// WordsOf returns the words of a task.
func WordsOf(words []string) string {
	if len(words) == 0 {
		return "none that the matcher can see"
	}
	return diag.Printable(strings.Join(words, ", "))
}

// orUnset returns a priority, or that an entry has none.
func orUnset(priority string) string {
	if priority == "" {
		return "no priority"
	}
	return diag.Printable(priority)
}
