package indexfile

import (
	"bytes"
	"io"
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

// rootOf reads an index.json that is split; nil for any other file.
func rootOf(name string, size int64) (root *indexjson.Root, text []byte) {
	if size > indexjson.MaxRoot || !beginsAsRoot(name) {
		return nil, nil
	}
	text, err := atomicfile.Read(name, indexjson.MaxRoot)
	if err != nil {
		return nil, nil
	}
	if root, err = indexjson.ReadRoot(text); err != nil {
		return nil, nil
	}
	return root, text
}

// beginsAsRoot reports a file whose first key may be a version of a root, as it is in those
// that are written: others are read too, as a whole.
func beginsAsRoot(name string) bool {
	f, _, err := regularfile.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64)
	n, _ := io.ReadFull(f, head)
	return bytes.Contains(head[:n], []byte(`"2.`))
}

// sizeOf is the size in bytes of an index.json with its parts.
func sizeOf(name string, size int64) int64 {
	if root, _ := rootOf(name, size); root != nil {
		_, size = root.Totals()
	}
	return size
}
