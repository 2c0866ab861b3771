package memory

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// The codes of what keeps an index from being written.
const (
	codeEmptied = "INDEX_EMPTIED" // it would lose all of its entries
	codeForeign = "INDEX_FOREIGN" // another program wrote the file
)

// Refusals says the reasons against writing an index of memories over what is at a
// path. An index without entries does not take the place of one that has some, as
// happens when the references of a MEMORY.md cannot be read any more, unless
// allowEmpty says so. And only an index that was made of a MEMORY.md is replaced;
// with kept, where a copy of the old file stays, so is what is not an index at all.
func Refusals(name string, ix *loadout.Index, allowEmpty, kept bool) ([]Issue, error) {
	text, err := atomicfile.Read(name, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	refuse := func(code, message, hint string) []Issue {
		return []Issue{{Severity: loadout.SeverityError, Code: code, Message: message, Hint: hint}}
	}
	old, err := indexjson.Read(text)
	switch {
	case err == nil && old.Check() == nil && len(old.Entries) == 0 && len(text) > 0:
		return nil, nil // it has nothing to lose
	case err != nil || old.Check() != nil:
		if kept {
			return nil, nil
		}
		return refuse(codeForeign, fmt.Sprintf("A file that is not an index is in its place: %s", name), "Move it away, or name another file"), nil
	case !entryowner.IsMemory(old):
		return refuse(codeForeign, fmt.Sprintf("The index in its place was not made of a MEMORY.md: %s", name), "Move it away, or name another file"), nil
	case len(ix.Entries) == 0 && !allowEmpty:
		return refuse(codeEmptied, fmt.Sprintf("No reference could be read; all entries of %s would be lost: %d", name, len(old.Entries)),
			"Write references as: Name — description → `path.md`; or add --allow-empty"), nil
	}
	return nil, nil
}
