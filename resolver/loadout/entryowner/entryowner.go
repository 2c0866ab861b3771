package entryowner

import (
	"errors"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// buildKey is the key of the head that a build writes.
const buildKey = "packgen_build"

// ErrForeign says that an index is not one that packgen wrote, or one that another
// command keeps for itself.
var ErrForeign = errors.New("it was not written by this command, and holds entries")

// Build is what a build notes about its entries.
type Build struct {
	Dirs   []string // of packs, from the repository root, with slashes
	Always float64  // its part of the tokens that are always loaded
}

// BuildOf returns what the last build noted; ok is false when none wrote the index.
func BuildOf(ix *loadout.Index) (b Build, ok bool) {
	note := ix.Head.Get(buildKey)
	if ix.Head == "" || note.Kind() != loadout.Object {
		return b, false
	}
	for v := range note.Get("packs").Items {
		if dir, ok := v.Str(); ok && dir != "" {
			b.Dirs = append(b.Dirs, dir)
		}
	}
	if always, ok := note.Get("always_loaded_est").Num(); ok && always > 0 {
		b.Always = always
	}
	return b, true
}

// Owns reports an entry of a build: its path lies below one of the directories.
func (b *Build) Owns(e *loadout.Entry) bool {
	return slices.ContainsFunc(b.Dirs, func(dir string) bool { return strings.HasPrefix(path.Clean(e.Path), dir+"/") })
}

// IsRule reports an entry of a rule file in a directory.
func IsRule(e *loadout.Entry, dir string) bool {
	return path.Ext(e.Path) == ".md" && path.Dir(path.Clean(e.Path)) == path.Clean(dir)
}

// IsMemory reports an index that was made of a MEMORY.md.
func IsMemory(ix *loadout.Index) bool { return ix.Head.Get("source").Kind() == loadout.String }

// IsShared reports an index that builds and rules may keep together, in a directory
// that is given from the repository root: one that holds entries of either, or none
// at all. It is not one when it was made of memories, or by somebody else.
func IsShared(ix *loadout.Index, dir string) bool {
	if ix.Check() != nil || IsMemory(ix) {
		return false
	}
	if _, built := BuildOf(ix); built || len(ix.Entries) == 0 {
		return true
	}
	return slices.ContainsFunc(ix.Entries, func(e loadout.Entry) bool { return IsRule(&e, dir) })
}

// WithBuild puts the entries of a build in place of those of the last one, and
// keeps all others; old is nil where there is no index yet. The directories are
// those of the packs of this build, indexDir is that of the index, all from the
// repository root. It is ErrForeign when the file is not for a build to write.
func WithBuild(old, built *loadout.Index, packs []string, indexDir string) (*loadout.Index, error) {
	note := Build{Dirs: packs, Always: built.Budget.AlwaysLoaded}
	out := *built
	out.Head = ""
	if old == nil {
		return setHead(&out, nil, note), nil
	}
	last, _ := BuildOf(old)
	own := func(e *loadout.Entry) bool { return !IsRule(e, indexDir) && (last.Owns(e) || note.Owns(e)) }
	if !IsShared(old, indexDir) && (old.Check() != nil || IsMemory(old) || !slices.ContainsFunc(old.Entries, func(e loadout.Entry) bool { return own(&e) })) {
		return nil, ErrForeign
	}
	out.Entries = nil
	for i := range old.Entries {
		if e := &old.Entries[i]; !own(e) {
			out.Entries = append(out.Entries, *e)
		}
	}
	if len(out.Entries) > 0 {
		out.LazyLoad = old.LazyLoad
		out.Entries = append(out.Entries, built.Entries...)
		out.Budget = loadout.ComputeBudget(out.Entries)
		out.Budget.AlwaysLoaded = built.Budget.AlwaysLoaded + math.Max(0, number(old.Budget.AlwaysLoaded)-last.Always)
	} else {
		out.Entries = built.Entries
	}
	return setHead(&out, old, note), nil
}

// Keep gives an index that a command has made again what the heads of other commands had in
// the old one: the note of a build with its part of the budget, the tokenizer, keys
// that are unknown. An index without any of these stays as it is.
func Keep(ix, old *loadout.Index) *loadout.Index {
	note, built := BuildOf(old)
	if built {
		always := ix.Budget.AlwaysLoaded + note.Always
		ix.Budget = loadout.ComputeBudget(ix.Entries)
		ix.Budget.AlwaysLoaded = always
		ix.Tokenizer = old.Tokenizer
		return setHead(ix, old, note)
	}
	if len(unknown(old)) == 0 {
		return ix
	}
	head := loadout.Value(loadout.AppendIndex(nil, withoutEntries(ix)))
	ix.Head = joined(head, unknown(old))
	return ix
}

func withoutEntries(ix *loadout.Index) *loadout.Index {
	bare := *ix
	bare.Entries, bare.Head = nil, ""
	return &bare
}

// member is a key with its value.
type member struct {
	key   string
	value loadout.Value
}

// unknown lists the members of a head that no writer of packgen makes.
func unknown(ix *loadout.Index) (list []member) {
	for key, value := range ix.Head.Members {
		switch key {
		case "version", "generated", "source", "entries", "budget", "lazyLoad", "tokenizer", buildKey:
		default:
			list = append(list, member{key, value})
		}
	}
	return list
}

// setHead gives an index the note of a build, and the unknown keys of an old one.
func setHead(ix, old *loadout.Index, note Build) *loadout.Index {
	var more []member
	if old != nil {
		more = unknown(old)
	}
	var o indexjson.Object
	o.Value("packs", indexjson.Strings(note.Dirs)).Number("always_loaded_est", number(note.Always))
	more = append(more, member{buildKey, loadout.Value(o.JSON())})
	ix.Head = joined(loadout.Value(loadout.AppendIndex(nil, withoutEntries(ix))), more)
	return ix
}

// joined appends members to an object.
func joined(object loadout.Value, more []member) loadout.Value {
	text := append([]byte(nil), object[:len(object)-1]...)
	for _, m := range more {
		text = append(loadout.AppendKey(text, m.key), m.value...)
	}
	return loadout.Value(append(text, '}'))
}

// number is 0 for what is not a number.
func number(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
