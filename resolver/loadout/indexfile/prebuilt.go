// Package indexfile keeps an index.bin beside an index.json, so that a program
// which lives for one prompt need not parse JSON.
//
// The index.bin names the digest of the index.json it was made from, under a key
// of its head that no reader of indexes looks at. When the two do not belong
// together, for one was written by another tool or a writer is between its
// steps, the JSON counts.
//
// Beside them lies an index.words, which answers a single prompt without reading
// the entries that no word of it leads to. It names size, times and number of the
// index.json as the system has them; when one is another, it is not used.
package indexfile

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// digestKey is the key of the head that holds the digest.
const digestKey = "index_json"

// maxBinary is the largest index.bin that is read, in bytes.
const maxBinary = indexjson.MaxIndex

// Index answers from an index, however it was read.
type Index interface {
	Match(task string, o loadout.MatchOptions) ([]loadout.Result, error)
	Index() *loadout.Index
}

var (
	_ Index = (*loadout.Matcher)(nil)
	_ Index = scan{}
)

// scan answers from an index that was parsed.
type scan struct{ ix *loadout.Index }

func (s scan) Match(task string, o loadout.MatchOptions) ([]loadout.Result, error) {
	return loadout.Match(task, s.ix, o)
}

func (s scan) Index() *loadout.Index { return s.ix }

// Path returns the path of the index.bin that belongs to an index.json.
func Path(json string) string {
	return strings.TrimSuffix(json, filepath.Ext(json)) + ".bin"
}

// digest tells one text from another. It guards against a mixture of files, not
// against forgery: who can write one of them can write both.
func digest(text []byte) string {
	return fmt.Sprintf("crc32c:%08x:%d", crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)), len(text))
}

// Build makes the bytes of the index.bin of an index.json.
func Build(text []byte) ([]byte, error) {
	ix, err := indexjson.Read(text)
	if err == nil {
		err = ix.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("build index.bin: %w", err)
	}
	head := strings.TrimSuffix(string(ix.Head), "}")
	if head != "{" {
		head += ","
	}
	head += string(loadout.AppendString(nil, digestKey)) + ":" + string(loadout.AppendString(nil, digest(text))) + "}"
	ix.Head = loadout.Value(head)
	return loadout.NewMatcher(ix).Marshal()
}

// jsonAge is how far back the time of an index.json is set. A change right after
// it was written then shows in its time, however coarse the clock of the disk.
const jsonAge = 2 * time.Second

// Write writes an index.json, then its index.bin and index.words. A reader finds
// the old index or the new one.
func Write(name string, text []byte) error {
	bin, err := Build(text)
	if err != nil {
		return err
	}
	if _, err := atomicfile.WriteAt(name, text, time.Now().Add(-jsonAge)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := atomicfile.Write(Path(name), bin); err != nil {
		return fmt.Errorf("write %s: %w", Path(name), err)
	}
	if err := writeWords(name, text); err != nil {
		return fmt.Errorf("write %s: %w", wordsPath(name), err)
	}
	return nil
}

// writeWords writes the index.words of an index.json that was just written, or
// removes an earlier one where there can be none.
func writeWords(name string, text []byte) error {
	if of, ok := settle(name, text); ok {
		if words := buildWords(text, of); words != nil {
			return atomicfile.Write(wordsPath(name), words)
		}
	}
	err := os.Remove(wordsPath(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Paths lists an index.json and what lies beside it.
func Paths(json string) []string { return []string{json, Path(json), wordsPath(json)} }

// Open reads an index: from its index.bin when that belongs to it, else from
// the JSON. fast says which. A missing index.json is fs.ErrNotExist, whatever
// else there is.
func Open(name string) (ix Index, fast bool, err error) {
	text, err := atomicfile.Read(name, indexjson.MaxIndex)
	if err != nil {
		return nil, false, err
	}
	if data, err := atomicfile.Read(Path(name), maxBinary); err == nil {
		if m, err := loadout.OpenBinary(data); err == nil {
			if stored, _ := m.Index().Head.Get(digestKey).Str(); stored == digest(text) {
				return m, true, nil
			}
		}
	}
	parsed, err := indexjson.Read(text)
	if err == nil {
		err = parsed.Check()
	}
	if err != nil {
		return nil, false, err
	}
	return scan{parsed}, false, nil
}
