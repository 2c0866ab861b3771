package loadout

// Phase is a phase of work that triggers name (loadout section 2.1).
type Phase uint8

// The phases. AnyPhase looks at no triggers, as the originals do.
const (
	AnyPhase Phase = iota
	TaskPhase
	PlanPhase
	EditPhase
)

// PlanOptions steers Plan.
type PlanOptions struct {
	Match MatchOptions
	// Phase leaves out matched entries whose triggers do not name it.
	Phase Phase
}

// LoadPlan says what to load for a task (loadout section 14).
type LoadPlan struct {
	Preload  []Result // to load at once: mode eager
	OnDemand []Result // the other matches
	// Manual is every entry that was not matched, whatever its priority, and
	// every manual one: what upstream calls manual.
	Manual []*Entry
	// ManualOnly is those of Manual with the priority manual.
	ManualOnly []*Entry
	Merged     *Merged
	LayerNames []string
	// PreloadTokens and OnDemandTokens sum the estimates of the two lists.
	PreloadTokens, OnDemandTokens float64

	preloadSum, onDemandSum amount
}

// Plan matches a task against merged layers. It returns what Match returns for
// bad input.
func Plan(task string, m *Merged, layers []Layer, opts PlanOptions) (*LoadPlan, error) {
	results, err := matchLayers(task, m, layers, opts.Match)
	if err != nil {
		return nil, err
	}
	p := &LoadPlan{Merged: m}
	for i := range layers {
		p.LayerNames = append(p.LayerNames, layers[i].Name)
	}
	matched := make(map[Value]bool, len(results))
	preload, onDemand := tally{compat: opts.Match.Compat}, tally{compat: opts.Match.Compat}
	for _, r := range results {
		if !r.Entry.Triggers.during(opts.Phase) {
			continue
		}
		matched[r.Entry.idValue()] = true
		if r.Mode == Eager {
			p.Preload = append(p.Preload, r)
			preload.add(r.Entry)
		} else {
			p.OnDemand = append(p.OnDemand, r)
			onDemand.add(r.Entry)
		}
	}
	p.preloadSum, p.onDemandSum = preload.sum, onDemand.sum
	p.PreloadTokens, p.OnDemandTokens = preload.sum.float(), onDemand.sum.float()
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Priority != PriorityManual && matched[e.idValue()] {
			continue
		}
		p.Manual = append(p.Manual, e)
		if e.Priority == PriorityManual {
			p.ManualOnly = append(p.ManualOnly, e)
		}
	}
	return p, nil
}

// matchLayers matches a task against merged layers. In the weighted dialect a word is worth
// what it is worth in the layer of an entry, whatever other layers there are: an entry has
// the score that a match against its own index gives it.
func matchLayers(task string, m *Merged, layers []Layer, opts MatchOptions) ([]Result, error) {
	if opts.Dialect != Weighted || len(layers) < 2 {
		return Match(task, &m.Index, opts)
	}
	at := make(map[Value]uint32, len(m.Entries))
	for i := range m.Entries {
		at[m.Entries[i].idValue()] = uint32(i)
	}
	var results []Result
	var order []hit
	for i := range layers {
		if layers[i].Index.Check() != nil {
			continue // the merge has left it out, too
		}
		found, err := Match(task, layers[i].Index, opts)
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			place, ok := at[r.Entry.idValue()]
			if !ok || m.Provenance[place].Layer != layers[i].Name || m.Entries[place].JSON() != r.Entry.JSON() {
				continue
			}
			r.Entry = &m.Entries[place]
			order = append(order, hit{total: r.Rank, tokens: r.Entry.sortTokens(), entry: place, place: uint32(len(results))})
			results = append(results, r)
		}
	}
	sortHits(order)
	return permute(results, order), nil
}

// NotLoaded is how many entries there are of the kind of Manual, those too that were not
// selected of their layer.
func (p *LoadPlan) NotLoaded() int { return len(p.Manual) + p.Merged.omitted.Entries }

// ByName is NotLoaded for ManualOnly.
func (p *LoadPlan) ByName() int { return len(p.ManualOnly) + p.Merged.omitted.Manual }

// during reports whether an entry with these triggers is offered in a phase.
func (t Triggers) during(p Phase) bool {
	switch p {
	case TaskPhase:
		return t.Task
	case PlanPhase:
		return t.Plan
	case EditPhase:
		return t.Edit
	}
	return true
}

// AppendPlan appends a plan as compact JSON, keys in the order of loadout
// section 14.
func AppendPlan(dst []byte, p *LoadPlan) []byte {
	dst = AppendResults(appendText(dst, `{"preload":`), p.Preload)
	dst = AppendResults(appendText(dst, `,"onDemand":`), p.OnDemand)
	dst = appendText(dst, `,"manual":[`)
	for _, e := range p.Manual {
		dst = AppendEntry(comma(dst), e)
	}
	dst = p.Merged.appendProvenance(appendText(dst, `],"provenance":`))
	dst = p.Merged.appendBudget(appendText(dst, `,"budget":`))
	dst = p.Merged.appendConflicts(appendText(dst, `,"conflicts":`))
	dst = appendStrings(appendText(dst, `,"layerNames":`), p.LayerNames)
	dst = p.preloadSum.append(appendText(dst, `,"preloadTokens":`))
	dst = p.onDemandSum.append(appendText(dst, `,"onDemandTokens":`))
	return append(dst, '}')
}
