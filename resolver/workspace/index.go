package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// ReadIndexError names the place in a file that is not an index.
func ReadIndexError(name string, err error) error {
	at, syntax := indexjson.Located(name, err)
	if syntax {
		return diag.WithHint(fmt.Errorf("read index %w", at), "correct the file, or run packgen build to write it again")
	}
	return diag.WithHint(fmt.Errorf("read index %w", at), "run packgen build to write it again")
}

// Matcher answers from an index.
type Matcher interface {
	Match(task string, o loadout.MatchOptions) ([]loadout.Result, error)
	Detail(task string, o loadout.MatchOptions) (*loadout.Breakdown, error)
	Index() *loadout.Index
}

// Scan answers by a look at every entry. For a single task that costs less than
// building what a loadout.Matcher needs.
type Scan struct{ Ix *loadout.Index }

func (s Scan) Match(task string, o loadout.MatchOptions) ([]loadout.Result, error) {
	return loadout.Match(task, s.Ix, o)
}

func (s Scan) Detail(task string, o loadout.MatchOptions) (*loadout.Breakdown, error) {
	return loadout.Detail(task, s.Ix, o)
}

func (s Scan) Index() *loadout.Index { return s.Ix }

// maxBinary is the largest index.bin that is read, in bytes. It holds what an
// index.json holds, and the prepared tables.
const maxBinary = indexjson.MaxIndex

// ReadMatcher reads an index in either form.
func (w *Workspace) ReadMatcher(name string) (Matcher, error) {
	return w.ReadMatcherFor(name, "run packgen build first, or name an index with --index FILE")
}

// ReadMatcherFor is ReadMatcher with a hint of its own for a missing index.
func (w *Workspace) ReadMatcherFor(name, hint string) (Matcher, error) {
	limit, binary := int64(indexjson.MaxIndex), strings.HasSuffix(name, ".bin")
	if binary {
		limit = maxBinary
	}
	data, err := atomicfile.Read(w.Path(name), limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("index", name, "%s", hint)
	}
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if binary {
		m, err := loadout.OpenBinary(data)
		if err != nil {
			return nil, diag.WithHint(fmt.Errorf("read index %s: %w", name, err), "run packgen build to write it again")
		}
		return m, nil
	}
	ix, err := indexfile.ReadBeside(w.Path(name), data)
	if err == nil {
		err = ix.Check()
	}
	if err != nil {
		return nil, ReadIndexError(name, err)
	}
	return Scan{ix}, nil
}

// ReadIndex reads an index in either form.
func (w *Workspace) ReadIndex(name string) (*loadout.Index, error) {
	m, err := w.ReadMatcherFor(name, "run packgen build first, or name an index that exists")
	if err != nil {
		return nil, err
	}
	return m.Index(), nil
}
