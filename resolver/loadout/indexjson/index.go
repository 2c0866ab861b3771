package indexjson

import "github.com/packgen/packgen/resolver/loadout"

// Read reads an index. Text that is not JSON, or beyond a limit, is a
// *SyntaxError; JSON that is not an index is returned as it is, and its Check
// method tells.
func Read(data []byte) (*loadout.Index, error) {
	v, err := Parse(data)
	if err != nil {
		return nil, err
	}
	ix, ok := loadout.DecodeAtMost(v, MaxEntries)
	if !ok {
		return nil, &SyntaxError{Line: 1, Column: 1, Problem: "more than 1,000,000 entries"}
	}
	return ix, nil
}

// Write returns the index as the text of an index.json file: two-space
// indentation, the key order of loadout section 2, a final line feed.
func Write(ix *loadout.Index) []byte {
	return append(Indent(nil, loadout.Value(loadout.AppendIndex(nil, ix))), '\n')
}
