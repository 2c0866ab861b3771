package indexfile

import (
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
)

// smallIndex is the size in bytes up to which an index.json is parsed for each task:
// that is as fast as a look at its prebuilt form.
const smallIndex = 1 << 20 // 1 MiB

// Detail is the arithmetic of a match from the prebuilt form of a large index.json, which
// is made when it is missing or of another text. It lists at most that many entries and is
// nil where the index has to be read as a whole: it is small, is not one, or has no
// prebuilt form that answers.
func Detail(json, task string, o loadout.MatchOptions, most loadout.Most) *loadout.Breakdown {
	r := openPrebuilt(json)
	if r == nil {
		return nil
	}
	defer r.Close()
	b, err := r.Detail(task, o, most)
	if err != nil {
		return nil
	}
	return b
}

// Select returns the index with those of its entries that an answer needs, and what it has
// besides: from the prebuilt form of a large index.json, as Detail does. It is nil where
// the index has to be read as a whole.
func Select(json string, need *loadout.Need) *loadout.Index {
	r := openPrebuilt(json)
	if r == nil {
		return nil
	}
	defer r.Close()
	ix, _, err := r.part.Select(need)
	if err != nil {
		return nil
	}
	return ix
}

// OpenPrebuilt opens the prebuilt form of a large index.json, of which Select answers; nil
// where the index has to be read as a whole. Close releases it.
func OpenPrebuilt(json string) *Reader {
	r := openPrebuilt(json)
	if r != nil && r.part.Keys() == nil {
		r.Close()
		return nil
	}
	return r
}

// Select is [loadout.Part.Select].
func (p *Reader) Select(need *loadout.Need) (*loadout.Index, *loadout.Omitted, error) {
	return p.part.Select(need)
}

// Keys is [loadout.Part.Keys].
func (p *Reader) Keys() []uint32 { return p.part.Keys() }

func openPrebuilt(json string) *Reader {
	json, err := filepath.Abs(json)
	if err != nil || filepath.Ext(json) != ".json" || regularfile.CheckRead(json) != nil || isSmall(json) {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	bin := PrebuiltPath(home, json)
	for again := false; ; again = true {
		r, err := OpenReader(json, bin)
		if err != nil {
			return nil
		}
		if r.part != nil && (again || !r.Outdated) {
			return r
		}
		if again {
			r.Close()
			return nil
		}
		err = r.Renew(0)
		if r.Close(); err != nil {
			return nil
		}
	}
}
