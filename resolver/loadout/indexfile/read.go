package indexfile

import (
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// ReadBeside reads the text of the index.json of a name, in one file or split: its parts
// lie beside it. What is not an index is returned as it is, and its Check method reports it.
func ReadBeside(name string, text []byte) (*loadout.Index, error) {
	return indexjson.ReadWith(text, func(p *indexjson.Part) ([]byte, error) {
		f, err := openPart(name, p)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.Size() != p.Size {
			return nil, p.Differs(info.Size(), nil)
		}
		return atomicfile.ReadOpen(f, p.Path, p.Size)
	})
}

// openPart opens a part of the index of a name. It never leads out of the folder of that.
func openPart(name string, p *indexjson.Part) (*os.File, error) {
	root, err := regularfile.Root(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := regularfile.OpenIn(root, filepath.FromSlash(p.Path))
	return f, err
}

// isSmall reports an index.json that, with its parts, is parsed for each task, and what is
// not a regular file.
func isSmall(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return true
	}
	if info.Size() > smallIndex {
		return false
	}
	text, err := atomicfile.Read(name, smallIndex)
	if err != nil {
		return true
	}
	root, err := indexjson.ReadRoot(text)
	if err != nil || root == nil {
		return true
	}
	_, size := root.Totals()
	return size <= smallIndex
}
