package compiler

import (
	"fmt"
	"slices"

	"github.com/packgen/packgen/compiler/store"
)

// Contributor makes something of every unit while its tree is in memory. What it
// makes is part of the record of the unit: when a later compile knows the unit, it
// has what the contributor made of it and no tree. So it may depend on nothing but
// the unit and the key.
type Contributor struct {
	Name string
	Key  string // version and options; another key makes everything again
	// Unit returns what is needed of the unit whenever it is part of a pack, and
	// what is only needed to write an output. It is called from several goroutines
	// and keeps nothing of the unit.
	Unit func(u *Unit) (facts, body []byte, err error)
}

// contribute lets the contributors look at a unit, those that the store does not
// know yet.
func (m *material) contribute(f *file, u *Unit) error {
	f.info.parts = make([]store.Result, len(m.opt.Contribute))
	for i := range m.opt.Contribute {
		by := &m.opt.Contribute[i]
		facts, body, err := by.Unit(u)
		if err != nil {
			return fmt.Errorf("%s of %s: %w", by.Name, f.path, err)
		}
		s := m.cache.store
		part := store.Result{s.SetBlob(facts), s.SetBlob(body)}
		s.SetAction(by.key(f.key), part)
		f.info.parts[i] = part
	}
	return nil
}

// key is the key of what the contributor makes of a unit.
func (by *Contributor) key(unit store.Digest) store.Digest {
	return unit.With("contributor", by.Name, by.Key)
}

// contributed looks up what the contributors made of a unit; false when one has to
// look at it.
func (m *material) contributed(key store.Digest) ([]store.Result, bool) {
	parts := make([]store.Result, len(m.opt.Contribute))
	for i := range m.opt.Contribute {
		part, ok := m.cache.store.Action(m.opt.Contribute[i].key(key))
		if !ok || len(part) != 2 || !m.cache.store.Has(part[0]) || !m.cache.store.Has(part[1]) {
			return nil, false
		}
		parts[i] = part
	}
	return parts, true
}

// Part returns what a contributor made of a unit: the facts, and the digest of the
// body, which [Result.Blob] reads. Ok is false for a unit that no contributor has
// seen: one with a secret, or no text.
func (r *Result) Part(u *UnitInfo, contributor string) (facts []byte, body store.Digest, ok bool) {
	if part := r.partOf(u, contributor); part != nil {
		facts, ok = r.store.Blob(part[0])
		return facts, part[1], ok
	}
	return nil, store.Digest{}, false
}

// PartSum returns the digest of the facts that Part returns.
func (r *Result) PartSum(u *UnitInfo, contributor string) (sum store.Digest) {
	if part := r.partOf(u, contributor); part != nil {
		sum = part[0]
	}
	return sum
}

func (r *Result) partOf(u *UnitInfo, contributor string) store.Result {
	i := slices.Index(r.contributors, contributor)
	if i < 0 || i >= len(u.parts) || len(u.parts[i]) != 2 {
		return nil
	}
	return u.parts[i]
}

// Blob reads what the compile has left in the store: a body of a part, or the texts
// of the splits of a unit.
func (r *Result) Blob(d store.Digest) ([]byte, error) {
	data, ok := r.store.Blob(d)
	if !ok {
		return nil, fmt.Errorf("%s is no longer in the store: build again", d)
	}
	return data, nil
}
