package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// Ids of what can be wrong with a stack of layers.
const (
	idLayerMalformed = "layer-malformed" // there is something, but no index
	idLayerMissing   = "layer-missing"   // a flag names a layer that is not there
	idLayersNone     = "layers-none"     // no layer was found
	idEntryMalformed = "entry-malformed" // an entry of the wrong shape
)

// stackFlags are the flags that say where the layers are (loadout section 12).
type stackFlags struct {
	global, org, project, session string
}

// register adds the flags to a verb.
func (f *stackFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.global, "global", "", "`DIR` of the global layer (default .ai-loadout in the home directory)")
	flags.StringVar(&f.org, "org", "", "`FILE` of the organisation's layer (default $"+layers.OrgVariable+")")
	flags.StringVar(&f.project, "project", "", "`DIR` whose .claude/loadout/index.json is the project layer (default the repository)")
	flags.StringVar(&f.session, "session", "", "`FILE` of the session's layer (default $"+layers.SessionVariable+")")
}

// options turns the flags into options. A flag that is not given leaves the
// decision to the environment; an empty one means no such layer.
func (f *stackFlags) options(a *app, flags *pflag.FlagSet) (layers.Options, error) {
	project := a.projectDir()
	o := layers.Options{Dir: a.dir, ProjectRoot: &project, Getenv: func(name string) string { return a.given(a.getenv(name)) }}
	for _, flag := range []struct {
		name  string
		value string
		field **string
	}{
		{"global", f.global, &o.GlobalDir}, {"org", f.org, &o.OrgPath},
		{"project", f.project, &o.ProjectRoot}, {"session", f.session, &o.SessionPath},
	} {
		if !flags.Changed(flag.name) {
			continue
		}
		if err := checkFlagValue(flag.name, flag.value); err != nil {
			return o, err
		}
		*flag.field = &flag.value
	}
	return o, nil
}

// checkFlagValue refuses a value that is the next flag: the value itself was
// forgotten (loadout section 18).
func checkFlagValue(name, value string) error {
	if !strings.HasPrefix(value, "--") {
		return nil
	}
	return diag.WithHint(fmt.Errorf("--%s was given without a value (the next word %q is a flag, not a value)", name, value),
		"Provide a value, such as --%s=PATH.", name)
}

// stack is the layers that were found, merged, and what is wrong with them.
type stack struct {
	*layers.Stack
	merged   *loadout.Merged
	findings []diag.Diagnostic
}

// namedLayers reports whether a flag of the command names a layer; nil says that none does.
type namedLayers func(layer string) bool

// readStack reads the layers that the flags say.
func (a *app) readStack(f stackFlags, flags *pflag.FlagSet, severity diag.Severity, from ...loadout.Layer) (*stack, error) {
	o, err := f.options(a, flags)
	if err != nil {
		return nil, err
	}
	return a.openStack(o, flags.Changed, severity, from...)
}

// openStack finds, reads and merges the layers. What cannot be used is left
// out and becomes a finding; layers of the severity given. Layers from elsewhere
// come first and are the weakest.
func (w *workspace) openStack(o layers.Options, named namedLayers, severity diag.Severity, from ...loadout.Layer) (*stack, error) {
	found, err := layers.Discover(o)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("find the layers: %w", err), "Set HOME, or name the directory of the global layer with --global DIR.")
	}
	found.Layers = slices.Concat(from, found.Layers)
	s := &stack{Stack: found}
	if s.merged, err = found.Merge(time.Time{}, false); err != nil {
		return nil, fmt.Errorf("merge the layers: %w", err)
	}
	for _, at := range found.Searched {
		switch {
		case at.Malformed:
			s.findings = append(s.findings, w.layerFinding(at, severity))
		case !at.Found:
			if by := w.layerNamedBy(at.Name, named); by != "" {
				s.findings = append(s.findings, diag.Diagnostic{
					ID: idLayerMissing, Severity: diag.Warning, Path: w.rel(at.Path),
					Message: "The " + at.Name + " layer is not there.", Hint: "correct " + by,
				})
			}
		}
	}
	if len(found.Layers) == 0 && len(s.findings) == 0 {
		s.findings = append(s.findings, diag.Diagnostic{
			ID: idLayersNone, Severity: diag.Warning, Message: "No layer was found.",
			Hint: w.layerHint(),
		})
	}
	s.findings = append(s.findings, w.entryFindings(s)...)
	return s, nil
}

// layerHint says how a layer comes to be. The index of a site that was built is one
// at hand.
func (w *workspace) layerHint() string {
	const hint = "packgen layers shows where they are looked for; "
	if cfg, err := w.loadConfig(); err == nil {
		if index := filepath.Join(cfg.Out, "index.json"); holds(w.path(cfg.Out), "index.json") {
			return hint + "--session " + diag.ShellWord(w.fromStart(index)) + " takes the index that packgen build has written"
		}
	}
	return hint + "--session FILE takes any index as one"
}

// layerNamedBy is the flag or variable that names a layer; "" for one in its usual
// place, which may be absent.
func (w *workspace) layerNamedBy(layer string, named namedLayers) string {
	variable := map[string]string{layers.Org: layers.OrgVariable, layers.Session: layers.SessionVariable}[layer]
	switch {
	case named != nil && named(layer):
		return "--" + layer
	case variable != "" && w.getenv(variable) != "":
		return "$" + variable
	}
	return ""
}

// layerFinding says why a layer cannot be used.
func (w *workspace) layerFinding(at layers.Searched, severity diag.Severity) diag.Diagnostic {
	d := diag.Diagnostic{
		ID: idLayerMalformed, Severity: severity, Path: w.rel(at.Path),
		Hint: "the " + at.Name + " layer is left out; mend the file or write it anew",
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
	d.Message = "The " + at.Name + " layer cannot be used: " + reason + "."
	return d
}

// entryFault is an entry of a layer that cannot be used as written.
type entryFault struct {
	layer    string
	position int
	problem  string
}

// entryFindings says which entries are left out or never match. The rest of
// their layer stands.
func (w *workspace) entryFindings(s *stack) []diag.Diagnostic {
	var faults []entryFault
	for _, f := range s.Faults {
		faults = append(faults, entryFault{f.Layer, f.Position, f.Problem})
	}
	for _, f := range s.merged.Skipped {
		faults = append(faults, entryFault{f.Layer, f.Position, f.Problem})
	}
	slices.SortFunc(faults, func(x, y entryFault) int {
		return cmp.Or(cmp.Compare(x.layer, y.layer), cmp.Compare(x.position, y.position), cmp.Compare(x.problem, y.problem))
	})
	var findings []diag.Diagnostic
	places := map[string][]place{}
	for _, f := range slices.Compact(faults) {
		layer := s.layer(f.layer)
		if layer == nil || f.position < 0 {
			continue
		}
		if _, ok := places[f.layer]; !ok {
			text, err := readLimited(layer.Path, indexjson.MaxIndex)
			if err != nil {
				text = nil // it went away meanwhile: no places
			}
			places[f.layer] = entryPlaces(text)
		}
		d := diag.Diagnostic{
			ID: idEntryMalformed, Severity: diag.Warning, Path: w.rel(layer.Path),
			Message: fmt.Sprintf("Entry %s of the %s layer: %s.", named(layer.Index, f.position), f.layer, f.problem),
			Hint:    "the other entries are used; fix this one",
		}
		if at := places[f.layer]; f.position < len(at) {
			d.Line, d.Column = at[f.position].line, at[f.position].column
		}
		findings = append(findings, d)
	}
	return findings
}

// layer returns a layer that loaded, nil for another.
func (s *stack) layer(name string) *loadout.Layer {
	for i := range s.Layers {
		if s.Layers[i].Name == name {
			return &s.Layers[i]
		}
	}
	return nil
}

// named names an entry by its place and, where it has one, its id.
func named(ix *loadout.Index, position int) string {
	name := fmt.Sprint(position + 1)
	if position < len(ix.Entries) && ix.Entries[position].ID != "" {
		name += fmt.Sprintf(" (%s)", ix.Entries[position].ID)
	}
	return name
}

// stackEnvelope is the envelope of a verb that worked on layers.
func stackEnvelope(command string, findings []diag.Diagnostic) envelope {
	e := envelope{OK: diag.Count(findings, diag.Error) == 0, Status: "passed", Command: command, Findings: findingsOf(findings)}
	if !e.OK {
		e.Status = "failed"
	}
	return e
}

// layerList names the layers that loaded, weakest first.
func (s *stack) layerList() string {
	if len(s.Layers) == 0 {
		return "none"
	}
	names := make([]string, len(s.Layers))
	for i, l := range s.Layers {
		names[i] = fmt.Sprintf("%s (%s)", l.Name, amount.Entries(len(l.Index.Entries)))
	}
	return strings.Join(names, ", ")
}

// tokenizer is the one that cuts the task: the richer of those of the layers.
func (s *stack) tokenizer() loadout.Tokenizer {
	for i := range s.Layers {
		if s.Layers[i].Index.Tokenizer == loadout.Unicode {
			return loadout.Unicode
		}
	}
	return ""
}
