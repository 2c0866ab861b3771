package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/resolver/loadout"
)

// Ids of the rules about entries that can be matched, but badly. All of them
// are about what an author declared: derived keywords are chosen so that the
// rules hold, as far as a text allows.
const (
	idGeneric  = "keyword-generic"  // a keyword that any task may hold
	idRepeated = "keyword-repeated" // a keyword that weighs twice
	idOverlap  = "keyword-overlap"  // a keyword that many entries share, or entries that share all
	idDiluted  = "keywords-diluted" // so many keywords that one hit is not enough
	idControl  = "summary-control"  // a summary with a control or invisible character
)

// A keyword is shared by too many when more entries than sharedEntries list it
// and they are more than one in sharedPart of all that words lead to.
const (
	sharedEntries = 10
	sharedPart    = 5
)

// where is the place of a declared keyword.
type where struct {
	path         string // in the pack
	line, column int
}

// candidate is keywords that an author declared, with the first entries that have them.
// What a page declares holds for each of its splits: of more than two of those nothing is
// found that is not found of the first two.
type candidate struct {
	pack     string
	path     string // in the pack, of the file that declares them
	keywords []string
	spots    []spot // of the keywords
	entries  []named
}

// spot is a place in a file. There is one for each declared keyword of a repository, so it
// is small.
type spot struct{ line, column int32 }

// place is where a keyword is declared.
func (c *candidate) place(i int) where {
	return where{c.path, int(c.spots[i].line), int(c.spots[i].column)}
}

// named is an entry as findings name it.
type named struct{ id, splitID string }

// linter looks for declared keywords that match badly. The work is linear in the number
// of keywords.
type linter struct {
	declared []candidate
	entries  int            // that words lead to
	listed   map[string]int // by keyword, its words in order: how many entries list it
	reported map[report]bool
	faults   []diag.Diagnostic
}

// report is what a finding is about.
type report struct {
	id, pack string
	at       where
}

func newLinter() *linter { return &linter{listed: map[string]int{}, reported: map[report]bool{}} }

// add takes an entry, with its draft.
func (l *linter) add(d *draft, e *loadout.Entry) {
	if e.Priority != loadout.PriorityDomain {
		return
	}
	l.entries++
	for _, k := range e.Keywords {
		set := wordSet(k)
		n, known := l.listed[set]
		if !known {
			set = strings.Clone(set) // it is a piece of all that is known of the pack
		}
		l.listed[set] = n + 1
	}
	if d.declared.places != nil {
		l.declare(d, e)
	}
}

// declare takes an entry whose author declared its keywords.
func (l *linter) declare(d *draft, e *loadout.Entry) {
	name := named{e.ID, strings.Clone(d.splitID)}
	if n := len(l.declared); n > 0 && len(d.declared.keywords) > 0 {
		last := &l.declared[n-1]
		if last.pack == d.pack.Meta.Name && len(last.spots) > 0 && last.place(0) == d.declared.places[0] {
			if len(last.entries) == 1 {
				last.entries = append(last.entries, name)
			}
			return
		}
	}
	c := candidate{pack: d.pack.Meta.Name, keywords: cloneAll(d.declared.keywords), entries: []named{name}}
	if places := d.declared.places; len(places) > 0 {
		c.path, c.spots = strings.Clone(places[0].path), make([]spot, len(places)) // all are in one file
		for i, at := range places {
			c.spots[i] = spot{int32(at.line), int32(at.column)}
		}
	}
	l.declared = append(l.declared, c)
}

// cloneAll copies strings into one piece of memory.
func cloneAll(list []string) []string {
	rest, clones := strings.Join(list, ""), make([]string, len(list))
	for i, s := range list {
		clones[i], rest = rest[:len(s)], rest[len(s):]
	}
	if len(list) == 1 { // what joins one string does not copy it
		clones[0] = strings.Clone(list[0])
	}
	return clones
}

// end returns what was found, once all entries were added.
func (l *linter) end() []diag.Diagnostic {
	for i := range l.declared {
		l.keywords(&l.declared[i])
		l.dilution(&l.declared[i])
	}
	l.twins()
	return l.faults
}

// isReported says whether a rule has a finding at a place already.
func (l *linter) isReported(c *candidate, at where, id string) bool {
	return l.reported[report{id, c.pack, at}]
}

// report adds a finding once a place and rule: what a page declares holds for
// each of its splits.
func (l *linter) report(c *candidate, at where, id, message, hint string) {
	if l.isReported(c, at, id) {
		return
	}
	l.reported[report{id, c.pack, at}] = true
	l.faults = append(l.faults, diag.Diagnostic{
		ID: id, Severity: diag.Warning, Pack: c.pack, Path: at.path, Line: at.line, Column: at.column,
		Message: message, Hint: hint,
	})
}

// keywords looks at each keyword of an entry by itself.
func (l *linter) keywords(c *candidate) {
	seen := make(map[string]string, len(c.keywords))
	for i, k := range c.keywords {
		set := wordSet(k)
		first, repeated := seen[set]
		switch n := l.listed[set]; {
		case repeated:
			l.report(c, c.place(i), idRepeated,
				fmt.Sprintf("%q hits whenever %q does, so the two weigh twice", k, first), "keep one of them")
		case commonEnglish()[set]:
			l.report(c, c.place(i), idGeneric,
				fmt.Sprintf("almost any task may say %q", k), "use a word or a phrase that only tasks about this text hold")
		case n > sharedEntries && n*sharedPart > l.entries:
			l.report(c, c.place(i), idOverlap,
				fmt.Sprintf("%q is a keyword of %d of %d entries, so it no longer distinguishes them", k, n, l.entries),
				fmt.Sprintf("use a phrase such as %q, and keep the word for one entry", k+" <topic>"))
		}
		if !repeated {
			seen[set] = k
		}
	}
}

// dilution reports an entry that a single hit never brings over the threshold.
func (l *linter) dilution(c *candidate) {
	n := len(c.keywords)
	if n == 0 || 1/float64(n) >= loadout.DefaultMinScore {
		return
	}
	l.report(c, c.place(0), idDiluted,
		fmt.Sprintf("with %d keywords one hit scores %.3f, below the threshold of %g", n, 1/float64(n), loadout.DefaultMinScore),
		fmt.Sprintf("keep the %d most telling keywords, or split the text", int(1/loadout.DefaultMinScore)))
}

// twins reports entries that have all keywords in common: whatever loads one
// loads the other.
func (l *linter) twins() {
	first := map[string]*named{}
	for i := range l.declared {
		c := &l.declared[i]
		if len(c.keywords) == 0 {
			continue
		}
		sets := make([]string, len(c.keywords))
		for i, k := range c.keywords {
			sets[i] = wordSet(k)
		}
		slices.Sort(sets)
		key := strings.Join(slices.Compact(sets), "\x00")
		entries := c.entries
		if first[key] == nil {
			first[key], entries = &entries[0], entries[1:]
		}
		if len(entries) > 0 {
			l.report(c, c.place(0), idOverlap,
				fmt.Sprintf("%s has the same keywords as %s, so every task that loads one loads both", entries[0].id, first[key].id),
				fmt.Sprintf("give each its own under metadata.loadout.%s in %s", cmp.Or(entries[0].splitID, c.pack), entryFile))
		}
	}
}

// wordSet is the words of a keyword in alphabetical order, each once: keywords
// with the same words hit the same tasks.
func wordSet(keyword string) string {
	if !strings.ContainsAny(keyword, " -") {
		return keyword
	}
	words := strings.FieldsFunc(keyword, func(r rune) bool { return r == ' ' || r == '-' })
	slices.Sort(words)
	return strings.Join(slices.Compact(words), " ")
}

// hasHidden reports whether a text has a control or invisible character, such
// as one that ends a line or turns the direction of writing, in it. What joins
// letters and emoji does not count.
func hasHidden(s string) bool {
	s = strings.TrimSpace(s)
	return len(invisible.Find([]byte(s))) > 0 || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == softHyphen || r == '\u2028' || r == '\u2029'
	})
}
