package indexfile

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// digestKey is the key of the head that holds the digest.
const digestKey = "index_json"

// digestPrefix begins a digest; the checksum and the size of the text follow.
const digestPrefix = "crc32c:"

// maxBinary is the largest index.bin that is read, in bytes.
const maxBinary = indexjson.MaxIndex

// path returns the path of the index.bin that belongs to an index.json.
func path(json string) string {
	return strings.TrimSuffix(json, filepath.Ext(json)) + ".bin"
}

// digest distinguishes texts. It guards against a mixture of files, not
// against forgery: who can write one of them can write both.
func digest(text []byte) string {
	return fmt.Sprintf(digestPrefix+"%08x:%d", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)), len(text))
}

// Build makes the bytes of the index.bin of an index.json.
func Build(text []byte) ([]byte, error) {
	ix, err := read("", text)
	if err != nil {
		return nil, fmt.Errorf("build index.bin: %w", err)
	}
	return buildOf(ix, text)
}

// read parses an index.json and checks it; its parts lie beside the name.
func read(name string, text []byte) (*loadout.Index, error) {
	ix, err := ReadBeside(name, text)
	if err == nil {
		err = ix.Check()
	}
	if err != nil {
		return nil, err
	}
	return ix, nil
}

// buildOf makes the bytes of the index.bin of an index that was parsed from a text.
func buildOf(ix *loadout.Index, text []byte) ([]byte, error) {
	return loadout.Marshal(withDigest(ix, digest(text)))
}

// withDigest is an index that says of which text it is.
func withDigest(ix *loadout.Index, digest string) *loadout.Index {
	head := loadout.AppendKey([]byte(strings.TrimSuffix(string(ix.Head), "}")), digestKey)
	named := *ix
	named.Head = loadout.Value(append(loadout.AppendString(head, digest), '}'))
	return &named
}

// Write writes an index.json, then its index.bin. A reader finds
// the old index or the new one.
func Write(name string, text []byte) error {
	bin, err := Build(text)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(name, text); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := atomicfile.Write(path(name), bin); err != nil {
		return fmt.Errorf("write %s: %w", path(name), err)
	}
	return nil
}

// Paths lists an index.json and what lies beside it.
func Paths(json string) []string { return []string{json, path(json)} }

// Open reads an index: from its index.bin when that belongs to it, otherwise from
// the JSON. fast says which. A missing index.json is fs.ErrNotExist, whatever
// else there is.
func Open(name string) (m *loadout.Matcher, fast bool, err error) {
	text, err := atomicfile.Read(name, indexjson.MaxIndex)
	if err != nil {
		return nil, false, err
	}
	if data, err := atomicfile.Read(path(name), maxBinary); err == nil {
		if m, err := loadout.OpenBinary(data); err == nil {
			if stored, _ := m.Index().Head.Get(digestKey).Str(); stored == digest(text) {
				return m, true, nil
			}
		}
	}
	parsed, err := read(name, text)
	if err != nil {
		return nil, false, err
	}
	return loadout.NewMatcher(parsed), false, nil
}

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
