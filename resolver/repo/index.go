package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
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

// Match answers a task.
func (s Scan) Match(task string, o loadout.MatchOptions) ([]loadout.Result, error) {
	return loadout.Match(task, s.Ix, o)
}

// Detail answers a task, and says what each word is worth.
func (s Scan) Detail(task string, o loadout.MatchOptions) (*loadout.Breakdown, error) {
	return loadout.Detail(task, s.Ix, o)
}

// Index returns the index.
func (s Scan) Index() *loadout.Index { return s.Ix }

// Layered answers from several indexes, weakest first, as the prompt hook does: each by what
// words are worth in it. An entry of which a stronger one has another definition does not
// count.
type Layered []Matcher

// Match returns the entries of all indexes that a task selects, best first.
func (l Layered) Match(task string, o loadout.MatchOptions) ([]loadout.Result, error) {
	var all []loadout.Result
	for i, m := range l {
		list, err := m.Match(task, o)
		if err != nil {
			return nil, err
		}
		list = slices.DeleteFunc(list, func(r loadout.Result) bool { return l[i+1:].defines(r.Entry.ID) })
		all = inTurn(all, list, func(a, b *loadout.Result) int {
			return cmp.Or(-cmp.Compare(a.Score, b.Score), compareTokens(a.Entry, b.Entry))
		})
	}
	return all, nil
}

// Detail returns the arithmetic of Match.
func (l Layered) Detail(task string, o loadout.MatchOptions) (*loadout.Breakdown, error) {
	if len(l) == 1 {
		return l[0].Detail(task, o)
	}
	all := &loadout.Breakdown{}
	for i, m := range l {
		b, err := m.Detail(task, o)
		if err != nil {
			return nil, err
		}
		list := slices.DeleteFunc(b.Entries, func(r loadout.Rating) bool { return l[i+1:].defines(r.Entry.ID) })
		all.Dialect, all.MinScore, all.Words = b.Dialect, b.MinScore, b.Words
		all.Entries = inTurn(all.Entries, list, func(a, b *loadout.Rating) int {
			return cmp.Or(compareIncluded(a.Included, b.Included), -cmp.Compare(a.Score.Total, b.Score.Total), compareTokens(a.Entry, b.Entry))
		})
	}
	return all, nil
}

// inTurn merges two lists, each in its own order, by what is first in them.
func inTurn[T any](a, b []T, compare func(a, b *T) int) []T {
	if len(a) == 0 {
		return b
	}
	all := make([]T, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(&a[0], &b[0]) <= 0 {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

func compareIncluded(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareTokens puts the entry that costs less first, one of unknown cost last.
func compareTokens(a, b *loadout.Entry) int {
	cost := func(e *loadout.Entry) float64 {
		if math.IsNaN(e.TokensEst) {
			return math.Inf(1)
		}
		return e.TokensEst
	}
	return cmp.Compare(cost(a), cost(b))
}

// defines reports whether one of the indexes has an entry of an id.
func (l Layered) defines(id string) bool {
	return id != "" && slices.ContainsFunc(l, func(m Matcher) bool { return m.Index().Lookup(id) != nil })
}

// Index has the entries of all indexes.
func (l Layered) Index() *loadout.Index {
	all := &loadout.Index{Version: loadout.Version}
	for _, m := range l {
		all.Entries = append(all.Entries, m.Index().Entries...)
	}
	return all
}

// maxBinary is the largest index.bin that is read, in bytes. It holds what an
// index.json holds, and the prepared tables.
const maxBinary = indexjson.MaxIndex

// ReadMatcher reads an index in either form.
func ReadMatcher(paths Paths, name string) (Matcher, error) {
	return ReadMatcherFor(paths, name, "run packgen build first, or name an index with --index FILE")
}

// ReadMatcherFor is ReadMatcher with a hint of its own for a missing index.
func ReadMatcherFor(paths Paths, name, hint string) (Matcher, error) {
	limit, binary := int64(indexjson.MaxIndex), strings.HasSuffix(name, ".bin")
	if binary {
		limit = maxBinary
	}
	data, err := atomicfile.Read(paths.Abs(name), limit)
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
	ix, err := indexfile.ReadBeside(paths.Abs(name), data)
	if err == nil {
		err = ix.Check()
	}
	if err != nil {
		return nil, ReadIndexError(name, err)
	}
	return Scan{ix}, nil
}

// ReadIndex reads an index in either form.
func ReadIndex(paths Paths, name string) (*loadout.Index, error) {
	m, err := ReadMatcherFor(paths, name, "run packgen build first, or name an index that exists")
	if err != nil {
		return nil, err
	}
	return m.Index(), nil
}
