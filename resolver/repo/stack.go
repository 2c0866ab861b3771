package repo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// Resolved is the merged stack in the original's shape (loadout section 17).
func (s *Stack) Resolved() []byte {
	entries := make([][]byte, len(s.Merged.Entries))
	for i := range entries {
		var o indexjson.Object
		entry := s.Merged.Entries[i].JSON()
		for _, field := range [...][2]string{{"id", "id"}, {"priority", "priority"}, {"tokens_est", "tokens"}} {
			if v := entry.Get(field[0]); v != "" {
				o.Value(field[1], []byte(v))
			}
		}
		entries[i] = o.Text("source", s.Merged.Provenance[i].Layer).JSON()
	}
	merged := *s.Merged
	merged.Entries = nil // printed above
	rest := loadout.Value(loadout.AppendMerged(nil, &merged))
	var o indexjson.Object
	o.Value("layers", layers.SearchedJSON(s.Searched, false)).Value("entries", indexjson.List(entries, func(dst, e []byte) []byte { return append(dst, e...) }))
	return o.Value("conflicts", []byte(rest.Get("conflicts"))).Value("budget", []byte(rest.Get("budget"))).JSON()
}

// Origins says which layer each entry of the merged index comes from.
func (s *Stack) Origins() map[*loadout.Entry]string {
	origin := make(map[*loadout.Entry]string, len(s.Merged.Entries))
	for i := range s.Merged.Entries {
		origin[&s.Merged.Entries[i]] = s.Merged.Provenance[i].Layer
	}
	return origin
}

// Ids of what can be wrong with a stack of layers.
const (
	idLayerMalformed = "layer-malformed" // there is something, but no index
	idLayerMissing   = "layer-missing"   // a flag names a layer that does not exist
	idLayersNone     = "layers-none"     // no layer was found
	IDEntryMalformed = "entry-malformed" // an entry of the wrong shape
)

// Stack is the layers that were found, merged, and what is wrong with them.
type Stack struct {
	*layers.Stack
	Merged   *loadout.Merged
	Findings []diag.Diagnostic
}

// namedLayers reports whether a flag of the command names a layer; nil says that none does.
type namedLayers func(layer string) bool

// OpenStack finds, reads and merges the layers. What cannot be used is left
// out and becomes a finding; layers of the severity given. Layers from elsewhere
// come first and are the weakest.
func OpenStack(w *Repo, o layers.Options, named namedLayers, severity diag.Severity, from ...loadout.Layer) (*Stack, error) {
	o.From = from
	found, err := layers.Discover(o)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("find the layers: %w", err), "set HOME, or name the directory of the global layer with --global DIR")
	}
	s := &Stack{Stack: found}
	if s.Merged, err = loadout.Merge(found.Layers, loadout.MergeOptions{Generated: layers.Stamp(time.Time{})}); err != nil {
		return nil, fmt.Errorf("merge the layers: %w", err)
	}
	for _, at := range found.Searched {
		if at.Name == layers.Global && o.Need == nil {
			s.Merged.Budget.AvgObserved = layers.LogBeside(at.Path).Observed(&s.Merged.Index)
		}
		switch {
		case at.Malformed:
			s.Findings = append(s.Findings, layerFinding(w.Paths, at, severity))
		case !at.Found && at.Name == layers.Packs:
			s.Findings = append(s.Findings, diag.Diagnostic{
				ID: idLayerMissing, Severity: diag.Warning, Path: w.Paths.Rel(at.Path),
				Message: "the packs of this repository have no index", Hint: "run packgen build",
			})
		case !at.Found:
			if by := LayerNamedBy(w.Getenv, at.Name, named); by != "" {
				s.Findings = append(s.Findings, diag.Diagnostic{
					ID: idLayerMissing, Severity: diag.Warning, Path: w.Paths.Rel(at.Path),
					Message: "the " + at.Name + " layer does not exist", Hint: "correct " + by,
				})
			}
		}
	}
	if len(found.Layers) == 0 && len(s.Findings) == 0 {
		s.Findings = append(s.Findings, diag.Diagnostic{
			ID: idLayersNone, Severity: diag.Warning, Message: "no layer was found",
			Hint: layersHint,
		})
	}
	s.Findings = append(s.Findings, entryFindings(w.Paths, s)...)
	return s, nil
}

// layersHint says how to make a layer.
const layersHint = "run packgen build where packs are, or name an index with --session FILE; packgen layers shows where layers are looked for"

// LayerNamedBy is the flag or variable that names a layer; "" for one in its usual
// place, which may be absent.
func LayerNamedBy(getenv func(string) string, layer string, named namedLayers) string {
	variable := map[string]string{layers.Org: layers.OrgVariable, layers.Session: layers.SessionVariable}[layer]
	switch {
	case named != nil && named(layer):
		return "--" + layer
	case variable != "" && getenv(variable) != "":
		return "$" + variable
	}
	return ""
}

// layerFinding says why a layer cannot be used.
func layerFinding(paths Paths, at layers.Searched, severity diag.Severity) diag.Diagnostic {
	d := diag.Diagnostic{
		ID: idLayerMalformed, Severity: severity, Path: paths.Rel(at.Path),
		Hint: "correct the file or write it again; the " + at.Name + " layer is left out",
	}
	reason := at.Problem
	var syntax *indexjson.SyntaxError
	var shape *loadout.ShapeError
	switch {
	case errors.As(at.Err, &syntax):
		d.Line, d.Column, reason = syntax.Line, syntax.Column, syntax.Problem
	case errors.As(at.Err, &shape):
		reason = shape.Error()
	}
	d.Message = "the " + at.Name + " layer cannot be used: " + reason
	return d
}

// entryFault is an entry of a layer that cannot be used as written.
type entryFault struct {
	layer    string
	position int
	problem  string
}

// entryFindings says which entries are left out or never match. The rest of
// their layer is.
func entryFindings(paths Paths, s *Stack) []diag.Diagnostic {
	var faults []entryFault
	for _, f := range s.Faults {
		faults = append(faults, entryFault{f.Layer, f.Position, f.Problem})
	}
	for _, f := range s.Merged.Skipped {
		faults = append(faults, entryFault{f.Layer, f.Position, f.Problem})
	}
	slices.SortFunc(faults, func(x, y entryFault) int {
		return cmp.Or(cmp.Compare(x.layer, y.layer), cmp.Compare(x.position, y.position), cmp.Compare(x.problem, y.problem))
	})
	var findings []diag.Diagnostic
	places := map[string][]place{}
	for _, f := range slices.Compact(faults) {
		layer := s.Layer(f.layer)
		if layer == nil || f.position < 0 {
			continue
		}
		if _, ok := places[f.layer]; !ok {
			text, err := atomicfile.Read(layer.Path, indexjson.MaxIndex)
			if err != nil {
				text = nil // it was deleted meanwhile: no places
			}
			places[f.layer] = EntryPlaces(text)
		}
		d := diag.Diagnostic{
			ID: IDEntryMalformed, Severity: diag.Warning, Path: paths.Rel(layer.Path),
			Message: fmt.Sprintf("entry %s of the %s layer is malformed: %s", Named(layer.Index, f.position), f.layer, f.problem),
			Hint:    "correct this entry; the others are used",
		}
		if at := places[f.layer]; f.position < len(at) {
			d.Line, d.Column = at[f.position].Line, at[f.position].Column
		}
		findings = append(findings, d)
	}
	return findings
}

// Layer returns a layer that loaded, nil for another.
func (s *Stack) Layer(name string) *loadout.Layer {
	for i := range s.Layers {
		if s.Layers[i].Name == name {
			return &s.Layers[i]
		}
	}
	return nil
}

// Named names an entry by its place and, where it has one, its id.
func Named(ix *loadout.Index, position int) string {
	name := fmt.Sprint(position + 1)
	if position < len(ix.Entries) && ix.Entries[position].ID != "" {
		name += fmt.Sprintf(" (%s)", ix.Entries[position].ID)
	}
	return name
}

// LayerList names the layers that loaded, weakest first.
func (s *Stack) LayerList() string {
	if len(s.Layers) == 0 {
		return "none"
	}
	names := make([]string, len(s.Layers))
	for i, l := range s.Layers {
		names[i] = fmt.Sprintf("%s (%s)", l.Name, amount.Entries(l.Size()))
	}
	return strings.Join(names, ", ")
}

// Tokenizer is the tokenizer of the task: the richer of those of the layers.
func (s *Stack) Tokenizer() loadout.Tokenizer {
	for i := range s.Layers {
		if s.Layers[i].Index.Tokenizer == loadout.Unicode {
			return loadout.Unicode
		}
	}
	return ""
}

// place is where something is in a text, both from 1, the column in bytes.
type place struct{ Line, Column int }

// EntryPlaces finds where each entry of the text of an index starts. It
// returns nothing when the text is not an index; of several lists of entries
// the last counts, as it does for the reader.
func EntryPlaces(text []byte) []place {
	var index map[string]json.RawMessage
	var entries []json.RawMessage
	if json.Unmarshal(text, &index) != nil || json.Unmarshal(index["entries"], &entries) != nil {
		return nil
	}
	places := make([]place, len(entries))
	line, start, at := 1, 0, 0
	advance := func(n int) {
		part := text[at : at+n]
		line += bytes.Count(part, []byte("\n"))
		if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
			start = at + end + 1
		}
		at += n
	}
	advance(max(0, bytes.LastIndex(text, index["entries"])))
	for i, entry := range entries {
		advance(bytes.Index(text[at:], entry)) // what is between two entries cannot be a part of one
		places[i] = place{line, at - start + 1}
		advance(len(entry))
	}
	return places
}
