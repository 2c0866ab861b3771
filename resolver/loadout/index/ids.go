package index

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode"
)

// hashDigits is how many hex digits of a hash distinguish ids.
const hashDigits = 8

// nameEntries gives every draft its id (rule 2). The id of a pack is its name;
// whatever meets it, or meets another, takes a hash.
func nameEntries(drafts []*draft) {
	holders, meet := make(map[string]int, len(drafts)), false
	for _, d := range drafts {
		id, lossy := kebab(d.fullName())
		if lossy {
			id = withHash(id, d.splitID)
		}
		d.id = id
		holders[id]++
		meet = meet || holders[id] > 1
	}
	if !meet {
		return
	}
	// The hash covers the split id alone; when that is not enough (two packs
	// whose names differ in punctuation only) it covers the pack's name too.
	for _, hashed := range []func(*draft) string{
		func(d *draft) string { return d.splitID },
		func(d *draft) string { return d.pack.Meta.Name + "/" + d.splitID },
	} {
		next := map[string]int{}
		for _, d := range drafts {
			if holders[d.id] > 1 && d.id != d.pack.Meta.Name {
				plain, _ := kebab(d.fullName())
				d.id = withHash(plain, hashed(d))
			}
			next[d.id]++
		}
		holders = next
	}
}

// fullName is what the id is made from.
func (d *draft) fullName() string {
	if d.splitID == "" {
		return d.pack.Meta.Name
	}
	return d.pack.Meta.Name + "-" + d.splitID
}

// withHash ends an id in the hash of what it stands for.
func withHash(id, of string) string {
	sum := sha256.Sum256([]byte(of))
	hash := hex.EncodeToString(sum[:])[:hashDigits]
	if id == "" {
		return hash
	}
	return id + "-" + hash
}

// kebab lower-cases a name and turns every run of characters other than a-z and
// 0-9 into one hyphen. lossy reports whether a letter or digit was lost.
func kebab(name string) (id string, lossy bool) {
	out := make([]byte, 0, len(name))
	gap := false
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r < 'a' || r > 'z' {
			if r < '0' || r > '9' {
				gap = true
				lossy = lossy || unicode.IsLetter(r) || unicode.IsNumber(r)
				continue
			}
		}
		if gap && len(out) > 0 {
			out = append(out, '-')
		}
		gap = false
		out = append(out, byte(r))
	}
	return string(out), lossy
}
