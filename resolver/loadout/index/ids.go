package index

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// hashDigits is how many hex digits of a hash distinguish ids.
const hashDigits = 8

// names gives every draft its id (rule 2). The id of a pack is its name; whatever meets
// it, or meets another, takes a hash.
type names struct {
	ids     [][]string // by pack
	holders map[string]int
	meet    bool
	all     []naming // for the second look, which is for ids that meet
}

// naming is an id that may have to change.
type naming struct {
	pack, splitID string
	id            *string
}

func newNames(packs int) *names {
	return &names{ids: make([][]string, packs), holders: map[string]int{}}
}

// add names the drafts of a pack by themselves.
func (n *names) add(at int, pack string, drafts []draft) {
	n.ids[at] = make([]string, len(drafts))
	for i := range drafts {
		id, lossy := kebab(fullName(pack, drafts[i].splitID))
		if lossy {
			id = withHash(id, drafts[i].splitID)
		}
		n.ids[at][i] = id
		n.holders[id]++
		n.meet = n.meet || n.holders[id] > 1
	}
}

// again looks at the drafts of a pack for the second time.
func (n *names) again(at int, pack string, drafts []draft) {
	for i := range drafts {
		n.all = append(n.all, naming{pack, strings.Clone(drafts[i].splitID), &n.ids[at][i]})
	}
}

// settle tells apart the ids that meet. The hash covers the split id alone; when that is
// not enough (two packs whose names differ in punctuation only) it covers the pack's name
// too.
func (n *names) settle() {
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
	n.all = nil
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
