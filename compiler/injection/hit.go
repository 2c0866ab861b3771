package injection

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hit is one place that Find found.
type Hit struct {
	Kind       string // one of the families
	Start, End int    // byte offsets into the text
	Shown      string // what was found, on one line and at most maxShown bytes; it may be printed
	// Weak hits are worth a remark and nothing more: text that is quoted, denied
	// or only spoken of.
	Weak bool
}

// maxShown is the longest text of a hit that is shown, in bytes.
const maxShown = 80

// shown puts found text on one line and cuts it to maxShown bytes.
func shown(text []byte) string {
	line := strings.Join(strings.Fields(string(text[:min(len(text), 4*maxShown)])), " ")
	if len(line) <= maxShown {
		return line
	}
	end := maxShown
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}

// sortHits orders hits by place and drops those that lie within an earlier one
// of the same kind.
func sortHits(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), strings.Compare(a.Kind, b.Kind))
	})
	kept := hits[:0]
	for _, h := range hits {
		if n := len(kept); n == 0 || kept[n-1].Kind != h.Kind || h.End > kept[n-1].End {
			kept = append(kept, h)
		}
	}
	return kept
}
