package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/unseen"
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

// candidate is an entry that words lead to, with what its author declared.
type candidate struct {
	draft    *draft
	keywords []string
	places   []where // of the keywords; nil when they are derived
}

// linter collects findings about the entries of a build.
type linter struct {
	entries  []candidate
	listed   map[string]int // by keyword, its words in order: how many entries list it
	reported map[report]bool
	faults   []diag.Diagnostic
}

// report is what a finding is about.
type report struct {
	id, pack string
	at       where
}

// lint looks for declared keywords that match badly. The work is linear in the
// number of keywords.
func lint(drafts []*draft, entries []loadout.Entry) []diag.Diagnostic {
	l := &linter{listed: map[string]int{}, reported: map[report]bool{}}
	for i, d := range drafts {
		if entries[i].Priority != loadout.PriorityDomain {
			continue
		}
		c := candidate{draft: d, keywords: entries[i].Keywords, places: d.declared.places}
		for _, k := range c.keywords {
			l.listed[wordSet(k)]++
		}
		l.entries = append(l.entries, c)
	}
	for i := range l.entries {
		if c := &l.entries[i]; c.places != nil {
			l.keywords(c)
			l.dilution(c)
		}
	}
	l.twins()
	return l.faults
}

// isReported says whether a rule has a finding at a place already.
func (l *linter) isReported(d *draft, at where, id string) bool {
	return l.reported[report{id, d.pack.Meta.Name, at}]
}

// report adds a finding once a place and rule: what a page declares holds for
// each of its splits.
func (l *linter) report(d *draft, at where, id, message, hint string) {
	name := d.pack.Meta.Name
	if l.isReported(d, at, id) {
		return
	}
	l.reported[report{id, name, at}] = true
	l.faults = append(l.faults, diag.Diagnostic{
		ID: id, Severity: diag.Warning, Pack: name, Path: at.path, Line: at.line, Column: at.column,
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
			l.report(c.draft, c.places[i], idRepeated,
				fmt.Sprintf("%q hits whenever %q does, so the two weigh twice", k, first), "keep one of them")
		case commonEnglish()[set]:
			l.report(c.draft, c.places[i], idGeneric,
				fmt.Sprintf("almost any task may say %q", k), "use a word or a phrase that only tasks about this text hold")
		case n > sharedEntries && n*sharedPart > len(l.entries):
			l.report(c.draft, c.places[i], idOverlap,
				fmt.Sprintf("%q is a keyword of %d of %d entries, so it no longer distinguishes them", k, n, len(l.entries)),
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
	l.report(c.draft, c.places[0], idDiluted,
		fmt.Sprintf("with %d keywords one hit scores %.3f, below the threshold of %g", n, 1/float64(n), loadout.DefaultMinScore),
		fmt.Sprintf("keep the %d most telling keywords, or split the text", int(1/loadout.DefaultMinScore)))
}

// twins reports entries that have all keywords in common: whatever loads one
// loads the other.
func (l *linter) twins() {
	first := map[string]*candidate{}
	for i := range l.entries {
		c := &l.entries[i]
		if c.places == nil || len(c.keywords) == 0 {
			continue
		}
		sets := make([]string, len(c.keywords))
		for i, k := range c.keywords {
			sets[i] = wordSet(k)
		}
		slices.Sort(sets)
		key := strings.Join(slices.Compact(sets), "\x00")
		twin := first[key]
		if twin == nil {
			first[key] = c
			continue
		}
		if l.isReported(c.draft, c.places[0], idOverlap) {
			continue // most splits of a page: no words are made for nothing
		}
		l.report(c.draft, c.places[0], idOverlap,
			fmt.Sprintf("%s has the same keywords as %s, so every task that loads one loads both", c.draft.id, twin.draft.id),
			fmt.Sprintf("give each its own under metadata.loadout.%s in %s", cmp.Or(c.draft.splitID, c.draft.pack.Meta.Name), entryFile))
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
	return len(unseen.Find([]byte(s))) > 0 || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == softHyphen || r == '\u2028' || r == '\u2029'
	})
}
