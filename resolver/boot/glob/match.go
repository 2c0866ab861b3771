package glob

import (
	"slices"
	"sort"
	"strings"
)

// maxWork bounds what matching all globs of one boot may cost, in bytes of
// names and patterns compared, some of them counted more often than they are. A
// role in use needs less than a hundredth of it. Globs made to be slow end within
// a few seconds, since what a byte costs differs by a factor of ten.
const maxWork int64 = 2 << 30

// resultCost is what one item found counts for, since results are kept.
const resultCost = 256

// Matcher finds the paths of a list that a glob matches. It keeps what it found,
// and is not safe for concurrent use.
type Matcher struct {
	prefix string           // the other spelling of the base
	paths  []string         // below the base, sorted by bytes
	names  [][]string       // the same, cut at slashes
	found  map[string][]int // results by glob text
	work   *int64           // bytes compared so far
}

// NewMatcher returns a matcher over paths, which are relative to a folder and
// sorted by bytes. Prefix is that folder's own name and a slash, where globs may
// start with it too; "" where they may not. What matching costs is added to work,
// which the matchers of one boot share.
func NewMatcher(prefix string, paths []string, work *int64) *Matcher {
	m := &Matcher{prefix: prefix, paths: paths, names: make([][]string, len(paths)), found: map[string][]int{}, work: work}
	for i, path := range paths {
		m.names[i] = strings.Split(path, "/")
	}
	return m
}

// Spent reports whether the globs cost more than [maxWork], in which case
// results are incomplete.
func (m *Matcher) Spent() bool { return *m.work > maxWork }

// Match returns the indexes of the paths that a glob matches, in path order. A
// glob that starts with the prefix is also read from the folder above, as most
// published files are written (boot.yml section 8).
func (m *Matcher) Match(p Pattern) []int {
	if found, done := m.found[p.text]; done {
		return found
	}
	var found []int
	if m.Spent() {
		return nil
	}
	for _, alt := range p.alts {
		found = m.collect(found, alt)
	}
	found = m.exact(found, p.text)
	if text := strings.TrimPrefix(p.text, "./"); m.prefix != "" && strings.HasPrefix(text, m.prefix) {
		found = m.exact(found, strings.TrimPrefix(text, m.prefix))
		// The first segment of every alternative is then that folder's name.
		for _, alt := range p.alts {
			if len(alt) > 1 {
				found = m.collect(found, alt[1:])
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	m.charge(resultCost * len(found))
	m.found[p.text] = found
	return found
}

// exact adds the path equal to text: a name full of brackets and braces always
// matches itself.
func (m *Matcher) exact(found []int, text string) []int {
	m.charge(len(text))
	if i, is := slices.BinarySearch(m.paths, text); is {
		found = append(found, i)
	}
	return found
}

// collect adds the paths that one alternative matches. The literal names it
// starts with narrow the search to a range of the sorted paths.
func (m *Matcher) collect(found []int, alt alternative) []int {
	var head []string
	for _, s := range alt {
		if s.deep || len(s.patterns) > 0 {
			break
		}
		head = append(head, s.literal)
	}
	if len(head) == len(alt) {
		return m.exact(found, strings.Join(head, "/"))
	}
	low, high := 0, len(m.paths)
	if len(head) > 0 {
		prefix := strings.Join(head, "/") + "/"
		low = sort.SearchStrings(m.paths, prefix)
		high = low + sort.Search(high-low, func(i int) bool { return !strings.HasPrefix(m.paths[low+i], prefix) })
	}
	rest := alt[len(head):]
	for i := low; i < high && !m.Spent(); i++ {
		if m.matchNames(rest, m.names[i][len(head):]) {
			found = append(found, i)
		}
	}
	return found
}

// matchNames matches segments against names. It keeps the set of positions
// that the segments so far can end at, so its cost is the product of the two
// lengths at most, however many ** there are.
func (m *Matcher) matchNames(alt alternative, names []string) bool {
	var small [2 * 33]bool
	here, next := small[:33], small[33:]
	if len(names) >= len(here) {
		here, next = make([]bool, len(names)+1), make([]bool, len(names)+1)
	}
	here, next = here[:len(names)+1], next[:len(names)+1]
	here[0] = true
	for i := range alt {
		s := &alt[i]
		clear(next)
		m.charge(len(next))
		any := false
		for j := range here {
			switch {
			case s.deep:
				// ** takes no name, unless it comes last, or one more that is not hidden.
				last := i == len(alt)-1
				next[j] = here[j] && !last ||
					j > 0 && (next[j-1] || here[j-1]) && !strings.HasPrefix(names[j-1], ".")
			case j > 0 && here[j-1]:
				m.charge(s.cost(names[j-1]))
				next[j] = s.match(names[j-1])
			}
			any = any || next[j]
		}
		if !any {
			return false
		}
		here, next = next, here
	}
	return here[len(names)]
}

func (m *Matcher) charge(n int) { *m.work += int64(n) }

// cost bounds the bytes that matching a name compares: a pattern with several
// stars may look at every byte of the name for each byte of its own.
func (s *segment) cost(name string) int {
	total := len(name)
	for _, p := range s.patterns {
		total += len(p) + len(name)
		if s.wild {
			total += len(p) * len(name) / 4
		}
	}
	return total
}
