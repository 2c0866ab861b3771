package indexfile

import (
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/regularfile"
)

// smallIndex is the size in bytes up to which an index.json is parsed for each task:
// that is as fast as a look at its prebuilt form.
const smallIndex = 1 << 20 // 1 MiB

// OpenPrebuilt opens the prebuilt form of a large index.json, which is made when it is
// missing or of another text. It is nil, a Reader that answers nothing, where the index has
// to be read as a whole: it is small, is not one, or has no prebuilt form that answers.
func OpenPrebuilt(json string) *Reader {
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
