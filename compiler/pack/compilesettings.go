package pack

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Shape says how a compile makes the files of compiled/, in tokens: metadata.compile,
// with the default for what is not declared.
type Shape struct {
	Join       int // sections below it are joined with small neighbours; 0 joins none
	Briefing   int // what compiled/briefing.md may have; 0 means any number, as for those below
	Facts      int // what compiled/facts.md may have
	Boundaries int // what compiled/boundaries.md may have beside the limits of the guide, which are never left out
}

func defaultShape() Shape { return Shape{Join: 120, Briefing: 2000, Facts: 4000, Boundaries: 2000} }

// shape reads metadata.compile.
func (r *reader) shape() {
	r.k.Shape = defaultShape()
	m := r.metadata.Map("compile")
	fields := map[string]*int{"join": &r.k.Shape.Join, "briefing": &r.k.Shape.Briefing, "facts": &r.k.Shape.Facts, "boundaries": &r.k.Shape.Boundaries}
	names := []string{"join", "briefing", "facts", "boundaries"}
	for _, key := range m.Keys() {
		into := fields[key.Value]
		if into == nil {
			m.Report(key.Value, "unknown-field", diag.Warning, fmt.Sprintf("metadata.compile.%s is not a setting of a compile", key.Value), suggest(key.Value, names, "the settings are "+strings.Join(names, ", ")))
			continue
		}
		v := m.Value(key.Value)
		if v == nil {
			continue // a key without a value is as good as none
		}
		n, ok := amount.Whole(v.Value)
		if !ok || n < 0 || n > maxShape || strictyaml.Type(v) != strictyaml.Number {
			r.error(m, key.Value, fmt.Sprintf("metadata.compile.%s must be a number of tokens up to %d, not %q", key.Value, maxShape, v.Value), "write it as "+strconv.Itoa(*into))
			continue
		}
		*into = int(n)
	}
}

// maxShape is the most tokens that a setting may ask for.
const maxShape = 1_000_000
