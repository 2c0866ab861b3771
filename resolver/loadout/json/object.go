package json

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
)

// member is one key and its value in an object that is being read, as offsets
// into the text written so far.
type member struct {
	start, keyEnd, end int
	index              int64 // the number an integer-like key stands for, otherwise -1
}

// key returns the key's literal.
func (p *parser) key(m member) []byte { return p.out[m.start:m.keyEnd] }

func (p *parser) object(depth int) error {
	if depth > maxDepth {
		return p.fail("nested deeper than 64")
	}
	p.out = append(p.out, '{')
	p.pos++
	if p.next() == '}' {
		p.pos++
		p.out = append(p.out, '}')
		return nil
	}
	base := len(p.members)
	open := len(p.out)
	for {
		if err := p.member(depth); err != nil {
			return err
		}
		c := p.next()
		if c != ',' && c != '}' {
			return p.unexpected("a comma or }")
		}
		p.pos++
		if c == '}' {
			break
		}
		p.out = append(p.out, ',')
	}
	p.arrange(open, p.members[base:])
	p.members = p.members[:base]
	p.out = append(p.out, '}')
	return nil
}

// member reads one key and its value.
func (p *parser) member(depth int) error {
	if p.next() != '"' {
		return p.unexpected("a key")
	}
	m := member{start: len(p.out)}
	if err := p.str(); err != nil {
		return err
	}
	m.keyEnd = len(p.out)
	m.index = loadout.ArrayIndex(p.out[m.start+1 : m.keyEnd-1])
	if p.next() != ':' {
		return p.unexpected("a colon")
	}
	p.pos++
	p.out = append(p.out, ':')
	p.skipSpace()
	if err := p.value(depth); err != nil {
		return err
	}
	m.end = len(p.out)
	p.members = append(p.members, m)
	return nil
}

// arrange puts the members of an object, written from open on, into
// JavaScript's order and drops overwritten ones. Most objects need nothing.
func (p *parser) arrange(open int, members []member) {
	kept, changed := p.dropDuplicates(members)
	for _, m := range kept {
		if m.index >= 0 {
			changed = true
			break
		}
	}
	if !changed {
		return
	}
	slices.SortStableFunc(kept, func(a, b member) int {
		switch {
		case a.index < 0 && b.index < 0:
			return 0
		case a.index < 0:
			return 1
		case b.index < 0:
			return -1
		}
		return cmp.Compare(a.index, b.index)
	})
	ordered := make([]byte, 0, len(p.out)-open)
	for i, m := range kept {
		if i > 0 {
			ordered = append(ordered, ',')
		}
		ordered = append(ordered, p.out[m.start:m.end]...)
	}
	p.out = append(p.out[:open], ordered...)
}

// fewMembers is the size up to which comparing each key with all before it is
// quicker than a map.
const fewMembers = 16

// dropDuplicates returns the members with each key once: at the place of the
// first, with the value of the last.
func (p *parser) dropDuplicates(members []member) (kept []member, changed bool) {
	if len(members) > fewMembers {
		kept = p.dropByMap(members)
		return kept, len(kept) < len(members)
	}
	for i := range members {
		for j := range i {
			if bytes.Equal(p.key(members[i]), p.key(members[j])) {
				return p.dropByMap(members), true
			}
		}
	}
	return members, false
}

func (p *parser) dropByMap(members []member) []member {
	place := make(map[string]int, len(members))
	kept := make([]member, 0, len(members))
	for _, m := range members {
		if i, ok := place[string(p.key(m))]; ok {
			kept[i].start, kept[i].keyEnd, kept[i].end = m.start, m.keyEnd, m.end
			continue
		}
		place[string(p.key(m))] = len(kept)
		kept = append(kept, m)
	}
	return kept
}
