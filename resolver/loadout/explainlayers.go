package loadout

// Explanation says where an entry comes from (loadout section 13).
type Explanation struct {
	ID         string
	FinalLayer string // the layer that wins
	// Definitions are those of the layers that have the entry, weakest first.
	Definitions []Definition
}

// Definition is what one layer says about an entry.
type Definition struct {
	Layer string
	Entry *Entry
	// Repeats counts further definitions of the id in the same layer.
	Repeats int
}

// IsConflict reports whether more than one layer defines the entry.
func (x *Explanation) IsConflict() bool { return len(x.Definitions) > 1 }

// Explain says which layers define an entry and which of them wins; nil when
// none does. Where a layer defines the id twice it shows the definition that
// wins, the last; with compat the first, as the originals do. A layer that is
// not an index has no entries; with compat it is a *ShapeError.
func Explain(id string, layers []Layer, compat bool) (*Explanation, error) {
	x := &Explanation{ID: id}
	for i := range layers {
		ix := layers[i].Index
		if err := ix.Check(); err != nil {
			if compat {
				return nil, err
			}
			continue
		}
		d := Definition{Layer: layers[i].Name}
		for j := range ix.Entries {
			e := &ix.Entries[j]
			if e.ID != id || !e.hasID() {
				continue
			}
			if d.Entry != nil {
				d.Repeats++
			}
			if d.Entry == nil || !compat {
				d.Entry = e
			}
		}
		if d.Entry != nil {
			x.Definitions = append(x.Definitions, d)
			x.FinalLayer = d.Layer
		}
	}
	if len(x.Definitions) == 0 {
		return nil, nil
	}
	return x, nil
}

// AppendExplanation appends an explanation as compact JSON, null for nil.
func AppendExplanation(dst []byte, x *Explanation) []byte {
	if x == nil {
		return appendText(dst, "null")
	}
	dst = AppendString(appendText(dst, `{"id":`), x.ID)
	dst = AppendString(appendText(dst, `,"finalLayer":`), x.FinalLayer)
	dst = appendText(dst, `,"definitions":[`)
	for i := range x.Definitions {
		dst = appendDefinition(comma(dst), &x.Definitions[i])
	}
	dst = appendText(dst, `],"overrideChain":[`)
	for i := range x.Definitions {
		dst = AppendString(comma(dst), x.Definitions[i].Layer)
	}
	dst = appendBool(appendText(dst, `],"isConflict":`), x.IsConflict())
	return append(dst, '}')
}

// appendDefinition appends the fields of an entry that an explanation shows.
// Missing ones are left out.
func appendDefinition(dst []byte, d *Definition) []byte {
	dst = AppendString(appendText(dst, `{"layer":`), d.Layer)
	entry := d.Entry.JSON()
	for _, field := range [...][2]string{
		{"summary", "summary"}, {"priority", "priority"}, {"tokens_est", "tokens"}, {"keywords", "keywords"}, {"path", "path"},
	} {
		if v := entry.Get(field[0]); v != "" {
			dst = append(AppendKey(dst, field[1]), v...)
		}
	}
	return append(dst, '}')
}
