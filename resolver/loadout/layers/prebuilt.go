package layers

import (
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// prebuilt are the large layers that have a prebuilt form, by the path that is read, and
// what an answer needs of them.
type prebuilt struct {
	readers map[string]*indexfile.Reader
	parsed  map[string]*loadout.Layer // layers that were read to be compared
	need    loadout.Need
}

// prebuilt opens the prebuilt forms, where some entries are enough. What the words of a
// task are worth in the weighted dialect depends on all entries of all layers: then only a
// layer that is alone answers from its form.
func (o *Options) prebuilt(places []place) *prebuilt {
	p := &prebuilt{readers: map[string]*indexfile.Reader{}, parsed: map[string]*loadout.Layer{}}
	if o.Need == nil || o.Compat {
		return p
	}
	p.need = *o.Need
	for _, at := range places {
		if at.layer != nil {
			continue
		}
		if r := indexfile.OpenPrebuilt(at.read); r != nil && p.readers[at.read] == nil && r.Keys() != nil {
			p.readers[at.read] = r
		} else {
			r.Close()
		}
	}
	if len(p.readers) == 0 {
		return p
	}
	others := o.From
	layers := len(p.readers) + len(o.From)
	for _, at := range places {
		if p.readers[at.read] != nil {
			continue
		}
		if at.layer != nil {
			others = append(slices.Clip(others), *at.layer)
			layers++
			continue
		}
		if l, err := readLayer(at, false); err == nil {
			others = append(slices.Clip(others), *l)
			p.parsed[at.read] = l
			layers++
		}
	}
	if o.Need.Match.Dialect == loadout.Weighted && layers > 1 || o.twice(places, p) {
		p.close()
		return p
	}
	p.need.Keys = p.common(others)
	return p
}

// twice reports whether a large index is two of the layers: all its ids are then in both.
func (o *Options) twice(places []place, p *prebuilt) bool {
	large := 0
	for _, at := range places {
		if p.readers[at.read] != nil {
			large++
		}
	}
	return large > len(p.readers)
}

// common returns the hashes of the ids that more than one layer may have.
func (p *prebuilt) common(others []loadout.Layer) []uint32 {
	var keys []uint32
	for _, l := range others {
		for i := range l.Index.Entries {
			keys = append(keys, loadout.Key(l.Index.Entries[i].ID))
		}
	}
	var all []uint32
	for _, r := range p.readers {
		all = append(all, slices.Compact(slices.Clone(r.Keys()))...)
	}
	if len(p.readers) < 2 {
		return keys
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			keys = append(keys, all[i])
		}
	}
	return keys
}

// layer is the layer of a place with the entries that are needed; nil where it has to be
// read.
func (p *prebuilt) layer(at place) *loadout.Layer {
	if l := p.parsed[at.read]; l != nil {
		return &loadout.Layer{Name: at.name, Path: at.path, Index: l.Index}
	}
	r := p.readers[at.read]
	if r == nil {
		return nil
	}
	ix, omitted := r.Select(&p.need)
	if ix == nil || p.need.Match.Dialect == loadout.Weighted && hasTwins(ix) {
		return nil
	}
	return &loadout.Layer{Name: at.name, Path: at.path, Index: ix, Omitted: *omitted}
}

// hasTwins reports an id that two entries have: a merge drops one of them, and then words
// are worth something else.
func hasTwins(ix *loadout.Index) bool {
	ids := make(map[string]bool, len(ix.Entries))
	for i := range ix.Entries {
		ids[ix.Entries[i].ID] = true
	}
	return len(ids) < len(ix.Entries)
}

// close closes the forms; none answers any more.
func (p *prebuilt) close() {
	for _, r := range p.readers {
		r.Close()
	}
	clear(p.readers)
}
