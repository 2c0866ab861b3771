package indexfile

import (
	"os"
	"path/filepath"

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

func openPrebuilt(json string) *Reader {
	json, err := filepath.Abs(json)
	if err != nil || filepath.Ext(json) != ".json" {
		return nil
	}
	if info, err := os.Stat(json); err != nil || !info.Mode().IsRegular() || info.Size() <= smallIndex {
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	bin := PrebuiltPath(home, json)
	r, err := OpenReader(json, bin)
	if err != nil || !r.Outdated {
		return r
	}
	defer r.Close()
	if err := r.Renew(0); err != nil {
		return nil
	}
	if r, err = OpenReader(json, bin); err != nil {
		return nil
	}
	return r
}
