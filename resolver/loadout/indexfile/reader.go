package indexfile

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Reader answers from an index whose index.bin may lie anywhere, and reads of it
// what an answer needs.
type Reader struct {
	json, bin string
	part      *loadout.Part  // nil: the index was parsed
	file      *os.File       // of part
	parsed    *loadout.Index // nil: part answers
	text      []byte         // of parsed
	info      fs.FileInfo    // of the index.json, before it was read
	// Outdated says that the index.bin is missing, is of another text, or has to be compared
	// with the text each time. Renew makes it again.
	Outdated bool
}

// PrebuiltPath is where the index.bin of an index is kept that lies in a repository: with
// the user, since a repository is not the reader's to write to.
func PrebuiltPath(home, json string) string {
	h := fnv.New128a()
	_, _ = h.Write([]byte(json))
	return filepath.Join(home, ".ai-loadout", "prebuilt", hex.EncodeToString(h.Sum(nil))+".bin")
}

// OpenReader opens an index by its index.json and the place of its index.bin, ""
// for beside it. A missing index.json is fs.ErrNotExist, whatever else there is.
// Close releases it.
func OpenReader(json, bin string) (*Reader, error) {
	if bin == "" {
		bin = path(json)
	}
	p := &Reader{json: json, bin: bin}
	if err := regularfile.CheckRead(json); err != nil {
		return nil, err // whatever the index.bin still has of it
	}
	info, err := os.Stat(json)
	if err != nil {
		return nil, err
	}
	if p.openBinary(info) {
		return p, nil
	}
	p.forget()
	p.info, p.Outdated = info, true
	if p.text, err = atomicfile.Read(json, indexjson.MaxIndex); err != nil {
		return nil, err
	}
	if p.parsed, err = read(json, p.text); err != nil {
		return nil, err
	}
	return p, nil
}

// openBinary opens the index.bin when it belongs to the index.json. It does when it
// is the younger file and names the size of the other; otherwise the text decides.
func (p *Reader) openBinary(json fs.FileInfo) bool {
	f, info, err := regularfile.Open(p.bin)
	if err != nil {
		return false
	}
	p.file = f
	if info.Size() > maxBinary {
		return false
	}
	p.part, err = loadout.OpenPart(func(b []byte, offset int64) error {
		_, err := f.ReadAt(b, offset)
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF // it shrank
		}
		return err
	}, info.Size())
	if err != nil {
		return false
	}
	stored, _ := p.part.Head().Get(digestKey).Str()
	_, size, ok := strings.Cut(strings.TrimPrefix(stored, digestPrefix), ":")
	if n, err := strconv.ParseInt(size, 10, 64); !ok || err != nil || n != json.Size() {
		return false
	}
	if lastChange(json).Before(info.ModTime()) {
		return true
	}
	text, err := atomicfile.Read(p.json, indexjson.MaxIndex)
	p.Outdated = true
	return err == nil && digest(text) == stored
}

// forget closes an index.bin that does not answer.
func (p *Reader) forget() {
	p.Close()
	p.part, p.file, p.Outdated = nil, nil, false
}

// Close releases the file.
func (p *Reader) Close() {
	if p != nil && p.file != nil {
		_ = p.file.Close()
	}
}

// Match returns the core entries and the others that a task needs from a score up,
// at most that many of either kind, best first and without manual ones.
func (p *Reader) Match(task string, dialect loadout.Dialect, floor float64, most int) ([]loadout.Result, error) {
	if p.part != nil {
		return p.part.Match(task, dialect, floor, most)
	}
	all, err := loadout.Match(task, p.parsed, loadout.MatchOptions{Dialect: dialect, MinScore: &floor})
	var kept []loadout.Result
	count := map[bool]int{}
	for _, r := range all {
		core := r.Mode == loadout.Eager
		if r.Mode != loadout.ByManual && r.Score >= floor && count[core] < most {
			count[core]++
			kept = append(kept, r)
		}
	}
	return kept, err
}

// Detail returns the arithmetic of a match from the index.bin alone, of which it lists at
// most that many entries. It is nil where the index has to be read as a whole: the
// index.bin is missing, damaged or of another text, or has no answer to these options.
func (p *Reader) Detail(task string, o loadout.MatchOptions, most loadout.Most) *loadout.Breakdown {
	if p == nil || p.part == nil {
		return nil
	}
	b, err := p.part.Detail(task, o, most)
	if err != nil {
		return nil
	}
	return b
}

// Select returns the index with those of its entries that an answer needs, and what it has
// besides. It is nil where the index has to be read as a whole, as for Detail.
func (p *Reader) Select(need *loadout.Need) (*loadout.Index, *loadout.Omitted) {
	if p == nil || p.part == nil {
		return nil, nil
	}
	ix, omitted, err := p.part.Select(need)
	if err != nil {
		return nil, nil
	}
	return ix, omitted
}

// Keys is [loadout.Part.Keys].
func (p *Reader) Keys() []uint32 { return p.part.Keys() }

// Has reports whether the index has an entry of that id.
func (p *Reader) Has(id string) bool {
	if p.part != nil {
		ok, err := p.part.Has(id)
		return ok && err == nil
	}
	return p.parsed.Lookup(id) != nil
}

// Tokenizer is how the index cuts texts into words.
func (p *Reader) Tokenizer() loadout.Tokenizer {
	if p.part != nil {
		return p.part.Tokenizer()
	}
	return p.parsed.Tokenizer
}

// Size is how many entries the index has.
func (p *Reader) Size() int {
	if p.part != nil {
		return p.part.Size()
	}
	return len(p.parsed.Entries)
}

// Fast reports whether the index.bin answers.
func (p *Reader) Fast() bool { return p.part != nil }

// Renew makes the index.bin again. Those of other indexes in its directory that
// nobody has made for maxAge go, where age is not 0.
func (p *Reader) Renew(maxAge time.Duration) error {
	err := p.write()
	if err != nil {
		return err
	}
	if maxAge > 0 {
		dropOld(filepath.Dir(p.bin), maxAge)
	}
	return nil
}

// errReplaced says that an index.json is not the one any more that was read.
var errReplaced = errors.New("the index changed while it was read")

// write makes the index.bin: of what was parsed while the file is still the same, since a
// hook has no time to parse it twice, otherwise of the text as it is now.
func (p *Reader) write() error {
	ix, text, info := p.parsed, p.text, p.info
	if ix == nil || !isSame(p.json, info) {
		var err error
		if info, err = os.Stat(p.json); err != nil {
			return err
		}
		if text, err = atomicfile.Read(p.json, indexjson.MaxIndex); err != nil {
			return err
		}
		if ix, err = read(p.json, text); err != nil {
			return err
		}
	}
	bin, err := buildOf(ix, text)
	if err != nil {
		return err
	}
	if !isSame(p.json, info) {
		return errReplaced
	}
	if err := atomicfile.Write(p.bin, bin); err != nil {
		return fmt.Errorf("write %s: %w", p.bin, err)
	}
	return nil
}

// isSame reports whether a file is still the one that was looked at.
func isSame(name string, info fs.FileInfo) bool {
	now, err := os.Stat(name)
	return err == nil && os.SameFile(now, info) && now.Size() == info.Size() && lastChange(now).Equal(lastChange(info))
}

// dropOld removes the index.bin files of a directory that are older than an age.
func dropOld(dir string, age time.Duration) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".bin" && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			_ = regularfile.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

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
