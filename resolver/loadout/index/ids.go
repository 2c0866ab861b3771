package index

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
)

// hashDigits is how many hex digits of a hash distinguish ids.
const hashDigits = 8

// names gives every draft its id (rule 2). The id of a pack is its name; whatever meets
// it, or meets another, takes a hash. Ids that do not meet are made again when they are
// needed: all of them would fill much memory.
type names struct {
	seed maphash.Seed
	seen []uint64   // hashes of ids
	meet bool       // two ids meet, or their hashes
	ids  [][]string // by pack, where some meet

	holders map[string]int
	all     []naming // for the second look, which is for ids that meet
}

// naming is an id that may have to change.
type naming struct {
	pack, splitID string
	id            *string
}

func newNames(packs int) *names {
	return &names{seed: maphash.MakeSeed(), ids: make([][]string, packs), holders: map[string]int{}}
}

// see looks at a draft.
func (n *names) see(pack, splitID string) {
	n.seen = append(n.seen, maphash.String(n.seed, EntryID(pack, splitID)))
}

// compare finds out whether ids of the drafts that were seen meet.
func (n *names) compare() {
	slices.Sort(n.seen)
	for i := 1; i < len(n.seen) && !n.meet; i++ {
		n.meet = n.seen[i] == n.seen[i-1]
	}
	n.seen = nil
}

// again looks at a draft for the second time.
func (n *names) again(at int, pack, splitID string) {
	id := EntryID(pack, splitID)
	n.ids[at] = append(n.ids[at], id)
	n.holders[id]++
	n.all = append(n.all, naming{pack: pack, splitID: strings.Clone(splitID)})
}

// id returns the id of a draft of a pack, by its place.
func (n *names) id(at, place int, pack, splitID string) string {
	if !n.meet {
		return EntryID(pack, splitID)
	}
	return n.ids[at][place]
}

// settle tells apart the ids that meet. The hash covers the split id alone; when that is
// not enough (two packs whose names differ in punctuation only) it covers the pack's name
// too.
func (n *names) settle() {
	next := n.all
	for i := range n.ids {
		for j := range n.ids[i] {
			next[0].id, next = &n.ids[i][j], next[1:]
		}
	}
	for _, hashed := range []func(x *naming) string{
		func(x *naming) string { return x.splitID },
		func(x *naming) string { return x.pack + "/" + x.splitID },
	} {
		next := map[string]int{}
		for i := range n.all {
			x := &n.all[i]
			if n.holders[*x.id] > 1 && *x.id != x.pack {
				plain, _ := kebab(fullName(x.pack, x.splitID))
				*x.id = withHash(plain, hashed(x))
			}
			next[*x.id]++
		}
		n.holders = next
	}
	n.all, n.holders = nil, nil
}

// EntryID is the id of the entry of a split or view of a pack, of the pack itself where
// splitID is "", as long as no other one meets it.
func EntryID(pack, splitID string) string {
	id, lossy := kebab(fullName(pack, splitID))
	if lossy {
		id = withHash(id, splitID)
	}
	return id
}

// fullName is what the id of an entry is made from.
func fullName(pack, splitID string) string {
	if splitID == "" {
		return pack
	}
	return pack + "-" + splitID
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
