package loadout

import (
	"math"
	"slices"
)

// Layer is one index of the stack (loadout section 12).
type Layer struct {
	Name  string
	Path  string
	Index *Index
	// Omitted is what the index has besides its Entries: see [Part.Select].
	Omitted Omitted
}

// Size is how many entries the layer has.
func (l *Layer) Size() int { return len(l.Index.Entries) + l.Omitted.Entries }

// Omitted is what an index has besides the entries that were selected.
type Omitted struct {
	Entries, Manual int
	domain          int
	always, demand  int64
}

func (o *Omitted) add(of *Omitted) {
	o.Entries, o.Manual, o.domain = o.Entries+of.Entries, o.Manual+of.Manual, o.domain+of.domain
	o.always, o.demand = o.always+of.always, o.demand+of.demand
}

// MergeOptions steers Merge.
type MergeOptions struct {
	// Generated is the time stamp of the result, ISO 8601 in UTC with
	// milliseconds: the kernel has no clock.
	Generated string
	// Compat reproduces the quirks of the originals: a layer that is not an
	// index is an error, an entry without an id is merged under no id, an id
	// __proto__ is lost from the provenance, and sums of wrongly typed
	// estimates are as JavaScript makes them.
	Compat bool
}

// Merged is the outcome of Merge (loadout sections 2.7 and 11).
type Merged struct {
	Index // Version, Generated, Entries and Budget
	// Provenance says which layer each winning entry comes from, in the order
	// of first definition.
	Provenance []Origin
	Conflicts  []Conflict
	// Skipped lists what was left out: layers that are not an index, entries
	// that are not an object or have no id.
	Skipped []Skipped

	omitted          Omitted
	always, onDemand amount // the sums of Budget as Compat prints them
	compat           bool
	mixed            bool // whether an id is not text: 5 and "5" are then one key
}

// Origin is the layer that supplied the entry of an id.
type Origin struct {
	ID    string
	Layer string
}

// Conflict is an id that more than one definition claims, even in one layer.
type Conflict struct {
	ID     Value    // as it is in the entries
	Layers []string // of all definitions, weakest first, repeats kept
}

// Skipped is a layer or an entry that was left out of a merge.
type Skipped struct {
	Layer    string
	Position int // of the entry in its layer, from 0; -1 for the layer itself
	Problem  string
}

// definition is all that the layers say about one id.
type definition struct {
	id     Value
	entry  *Entry
	layers []string
}

// Merge lays indexes over each other, weakest first: a later definition of an
// id takes the place of the earlier one (loadout section 11). A layer that is
// not an index and an entry without an id are skipped and listed; with Compat
// the former is a *ShapeError and the latter merges like any other.
func Merge(layers []Layer, opts MergeOptions) (*Merged, error) {
	m := &Merged{compat: opts.Compat}
	m.Version, m.Generated = Version, opts.Generated
	most := 0
	for i := range layers {
		most += len(layers[i].Index.Entries)
	}
	definitions, place := make([]definition, 0, most), make(map[Value]int, most)
	names := make([]string, 0, most) // one array for what is mostly one name each
	for i := range layers {
		layer := &layers[i]
		entries, err := layer.Index.mergeable(opts.Compat)
		if err != nil {
			if opts.Compat {
				return nil, err
			}
			m.Skipped = append(m.Skipped, Skipped{layer.Name, -1, err.Error()})
			continue
		}
		m.omitted.add(&layer.Omitted)
		if len(layers) == 1 {
			m.weighed = layer.Index.weighed
		}
		for position := range entries {
			e := &entries[position]
			id := e.idValue()
			if problem := e.unmergeable(id); problem != "" && !opts.Compat {
				m.Skipped = append(m.Skipped, Skipped{layer.Name, position, problem})
				continue
			}
			at, ok := place[id]
			if !ok {
				at = len(definitions)
				place[id] = at
				definitions = append(definitions, definition{id: id})
			}
			d := &definitions[at]
			d.entry = e
			if !ok {
				names = append(names, layer.Name)
				d.layers = names[len(names)-1 : len(names) : len(names)]
				continue
			}
			d.layers = append(d.layers, layer.Name)
		}
	}
	m.fill(definitions)
	return m, nil
}

// mergeable returns the entries of a layer.
func (ix *Index) mergeable(compat bool) ([]Entry, error) {
	if compat {
		if text := ix.Head.Get("entries"); text.Kind() == String {
			return characters(text), nil // JavaScript walks a text by character
		}
	}
	if err := ix.Check(); err != nil {
		return nil, err
	}
	if compat {
		for i := range ix.Entries {
			if ix.Entries[i].Raw == "null" {
				return nil, &entryError{i, "", FaultNotObject}
			}
		}
	}
	return ix.Entries, nil
}

// characters returns an entry for each character of a text.
func characters(text Value) []Entry {
	s, _ := text.Str()
	var entries []Entry
	for s != "" {
		n := characterSize(s)
		entries = append(entries, Entry{Raw: Value(AppendString(nil, s[:n])), TokensEst: math.NaN(), Fault: FaultNotObject})
		s = s[n:]
	}
	return entries
}

// characterSize returns the size in bytes of the character that starts s.
func characterSize(s string) int {
	n := 1
	for n < len(s) && s[n]&0xC0 == 0x80 {
		n++
	}
	return n
}

// idValue returns the id as it is in the entry.
func (e *Entry) idValue() Value {
	if e.ID == "" && e.Raw != "" {
		return e.Raw.Get("id")
	}
	return Value(AppendString(nil, e.ID))
}

// unmergeable says why an entry cannot be merged, empty when it can.
func (e *Entry) unmergeable(id Value) string {
	switch {
	case e.Fault == FaultNotObject:
		return e.Fault.String()
	case id.Falsy():
		return "entry has no id"
	}
	return ""
}

// fill sets everything that follows from the definitions.
func (m *Merged) fill(definitions []definition) {
	m.Entries, m.Provenance = slices.Grow(m.Entries, len(definitions)), slices.Grow(m.Provenance, len(definitions))
	always, onDemand := tally{compat: m.compat}, tally{compat: m.compat}
	always.sum.number, onDemand.sum.number = float64(m.omitted.always), float64(m.omitted.demand)
	domain := m.omitted.domain
	for i := range definitions {
		d := &definitions[i]
		m.Entries = append(m.Entries, *d.entry)
		if d.entry.Priority == PriorityCore {
			always.add(d.entry)
		} else {
			onDemand.add(d.entry)
		}
		if d.entry.Priority == PriorityDomain {
			domain++
		}
		last := d.layers[len(d.layers)-1]
		m.mixed = m.mixed || d.id.Kind() != String
		if id := d.id.Text(); id != "__proto__" || !m.compat {
			m.Provenance = append(m.Provenance, Origin{id, last})
		}
		if len(d.layers) > 1 {
			m.Conflicts = append(m.Conflicts, Conflict{d.id, d.layers})
		}
	}
	m.always, m.onDemand = always.sum, onDemand.sum
	m.Budget = Budget{AlwaysLoaded: always.sum.float(), OnDemandTotal: onDemand.sum.float()}
	if domain > 0 {
		m.Budget.AvgTaskLoad = round(m.Budget.OnDemandTotal / float64(domain))
	}
}

// AppendMerged appends the merged index as compact JSON, keys in the order of
// loadout section 2.7.
func AppendMerged(dst []byte, m *Merged) []byte {
	dst = AppendString(appendText(dst, `{"version":`), m.Version)
	dst = AppendString(appendText(dst, `,"generated":`), m.Generated)
	dst = appendEntries(appendText(dst, `,"entries":`), m.Entries)
	dst = m.appendBudget(appendText(dst, `,"budget":`))
	dst = m.appendProvenance(appendText(dst, `,"provenance":`))
	dst = m.appendConflicts(appendText(dst, `,"conflicts":`))
	return append(dst, '}')
}

func (m *Merged) appendBudget(dst []byte) []byte {
	if !m.compat {
		return AppendBudget(dst, m.Budget)
	}
	dst = m.always.append(appendText(dst, `{"always_loaded_est":`))
	dst = m.onDemand.append(appendText(dst, `,"on_demand_total_est":`))
	dst = AppendNumber(appendText(dst, `,"avg_task_load_est":`), m.Budget.AvgTaskLoad)
	return appendText(dst, `,"avg_task_load_observed":null}`)
}

// appendProvenance appends the provenance as an object. Ids that look like an
// array index come first, ascending, as in every JavaScript object.
func (m *Merged) appendProvenance(dst []byte) []byte {
	order := make([]hit, len(m.Provenance))
	for i := range m.Provenance {
		order[i] = hit{tokens: math.Inf(1), entry: uint32(i), place: uint32(i)}
		if n := ArrayIndex(m.Provenance[i].ID); n >= 0 {
			order[i].tokens = float64(n)
		}
	}
	sortHits(order)
	origins := permute(m.Provenance, order)
	if m.mixed {
		origins = oncePerKey(origins)
	}
	dst = append(dst, '{')
	for _, o := range origins {
		dst = AppendString(AppendKey(dst, o.ID), o.Layer)
	}
	return append(dst, '}')
}

// oncePerKey returns each key once: at its first place, with its last layer.
func oncePerKey(origins []Origin) []Origin {
	place := make(map[string]int, len(origins))
	kept := origins[:0]
	for _, o := range origins {
		if i, ok := place[o.ID]; ok {
			kept[i].Layer = o.Layer
			continue
		}
		place[o.ID] = len(kept)
		kept = append(kept, o)
	}
	return kept
}

func (m *Merged) appendConflicts(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range m.Conflicts {
		c := &m.Conflicts[i]
		dst = append(comma(dst), '{')
		if c.ID != "" {
			dst = append(AppendKey(dst, "entryId"), c.ID...)
		}
		dst = appendStrings(AppendKey(dst, "layers"), c.Layers)
		dst = appendText(dst, `,"resolution":"override"}`)
	}
	return append(dst, ']')
}

// ArrayIndex returns the number a key stands for when JavaScript treats it as
// an array index, a canonical decimal from 0 to 4294967294; otherwise -1 (loadout
// section 3.6).
func ArrayIndex[T string | []byte](key T) int64 {
	if len(key) == 0 || len(key) > 10 || key[0] == '0' && len(key) > 1 {
		return -1
	}
	n := int64(0)
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return -1
		}
		n = n*10 + int64(key[i]-'0')
	}
	if n > 4294967294 {
		return -1
	}
	return n
}

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
