package archive

import (
	"errors"
	"io/fs"

	"github.com/packgen/packgen/compiler/schema"
)

// Found is a published pack in a tree.
type Found struct {
	Dir            string // folder of pack.json in the tree, "." for the root
	Name           string // the pack's name, as pack.json says
	Manifest       *schema.PackManifest
	ManifestSHA256 string // digest of the bytes of pack.json, 64 lower-case hex digits
	Tree           string // tree hash "h1:..."; verified when Archive is "", else as pack.json says
	Files          []File // the pack's files without pack.json, relative to Dir, in path order; nil when Archive is set
	Archive        string // path in the tree of the pack.tar.gz that holds the pack, "" when the files stand there
}

// Packs finds the packs in a tree that holds those files: at the root, below a
// common folder, several beside one another, or a whole published site. A pack
// whose folder has a pack.tar.gz is left in it (Archive): the caller extracts that
// one, calls Packs again and compares Tree and ManifestSHA256. Any other pack must
// have just the files that its pack.json lists, else the error is a *Refusal by
// RuleManifest. Packs are in the order of their names.
func Packs(fsys fs.FS, files []File) ([]Found, error) {
	return nil, errors.New("not there yet")
}
