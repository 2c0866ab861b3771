package json

import "github.com/packgen/packgen/resolver/loadout"

// AppendStrings appends texts as a compact JSON array.
func AppendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = loadout.AppendString(dst, s)
	}
	return append(dst, ']')
}
