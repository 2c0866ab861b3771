package loadout

import (
	"slices"
	"strconv"
)

// The codes of Lint.
const (
	lintUnreachable = "UNREACHABLE_KEYWORD" // a keyword or pattern no task can hit
	LintGeneric     = "GENERIC_KEYWORD"     // a word that hits too many entries
	lintRepeated    = "REPEATED_KEYWORD"    // a keyword that weighs twice
	LintOverlap     = "KEYWORD_OVERLAP"     // entries that always match together
	lintControl     = "CONTROL_CHARACTER"   // a line break or the like in an id or a summary
	lintDiluted     = "DILUTED_KEYWORDS"    // one hit among so many keywords is not enough
)

// LintOptions sets the limits of Lint. The zero value uses the defaults.
type LintOptions struct {
	// GenericShare is the share of the matched entries, from 0 to 1, above
	// which a word is generic; 0 is 0.2.
	GenericShare float64
	// GenericEntries is the number of entries up to which no word is generic,
	// however large its share; 0 is 10.
	GenericEntries int
}

// Lint looks for entries that are valid and yet match badly. The issues are
// warnings, by entry in index order; each hint names a remedy.
func Lint(ix *Index, opts LintOptions) []Issue {
	if opts.GenericShare == 0 {
		opts.GenericShare = 0.2
	}
	if opts.GenericEntries == 0 {
		opts.GenericEntries = 10
	}
	l := &linter{opts: opts, sharing: map[string][]int{}, same: map[string]int{}}
	l.count(ix)
	for i := range ix.Entries {
		l.position = i
		l.entry(&ix.Entries[i], ix)
	}
	return l.issues
}

type linter struct {
	validator
	opts    LintOptions
	matched int              // entries that are matched by words
	sharing map[string][]int // by word: the entries one of whose keywords is that word alone
	same    map[string]int   // by set of keywords: the first entry that has it
}

// count gathers how many entries share each single-word keyword.
func (l *linter) count(ix *Index) {
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.mode() != Lazy {
			continue
		}
		l.matched++
		for _, k := range e.Keywords {
			words, ok := e.pieces(k, false)
			if !ok || len(words) != 1 {
				continue
			}
			if list := l.sharing[words[0]]; len(list) == 0 || list[len(list)-1] != i {
				l.sharing[words[0]] = append(list, i)
			}
		}
	}
}

func (l *linter) warn(e *Entry, code, message, hint string) {
	l.about(e.idValue(), SeverityWarning, code, `Entry "`+e.idValue().Text()+`" `+message, hint)
}

func (l *linter) entry(e *Entry, ix *Index) {
	if hasControl(e.ID) || hasControl(e.Summary) {
		l.warn(e, lintControl, "has a control character in its id or summary",
			"Write the summary on one line; a line break there can forge a line of a prompt")
	}
	if e.mode() != Lazy {
		return
	}
	l.keywords(e)
	for _, p := range e.Patterns {
		if _, ok := e.pieces(p, true); !ok {
			l.warn(e, lintUnreachable, "has a pattern that no task can hit: "+quoted(p),
				"Join lower-case words of two or more letters or digits with _")
		}
	}
	l.overlap(e, ix)
	if n := len(e.Keywords); n > 0 && Coverage.score(1, n, 0).Total < DefaultMinScore {
		l.warn(e, lintDiluted, "has "+strconv.Itoa(n)+" keywords, so that one hit scores below the threshold",
			"Keep the ten most telling keywords, or split the entry")
	}
}

func (l *linter) keywords(e *Entry) {
	seen := make(tokenSet, len(e.Keywords))
	for _, k := range e.Keywords {
		if seen[k] {
			l.warn(e, lintRepeated, "lists the keyword "+quoted(k)+" more than once, so that it weighs more",
				"List each keyword once")
			continue
		}
		seen[k] = true
		words, ok := e.pieces(k, false)
		switch {
		case !ok:
			l.warn(e, lintUnreachable, "has a keyword that no task can hit: "+quoted(k), unreachableHint(k))
		case len(words) == 1 && l.generic(words[0]):
			n := len(l.sharing[words[0]])
			l.warn(e, LintGeneric, "has the keyword "+quoted(k)+", which "+strconv.Itoa(n)+" of "+strconv.Itoa(l.matched)+" entries share",
				"Use a phrase that tells the entries apart, such as "+quoted(k+" <topic>"))
		}
	}
}

// generic reports whether too many entries share a word.
func (l *linter) generic(word string) bool {
	n := len(l.sharing[word])
	return n > l.opts.GenericEntries && float64(n) > l.opts.GenericShare*float64(l.matched)
}

// overlap reports an entry with the same keywords as an earlier one.
func (l *linter) overlap(e *Entry, ix *Index) {
	if len(e.Keywords) == 0 {
		return
	}
	set := string(appendStrings(nil, sorted(e.Keywords)))
	first, ok := l.same[set]
	if !ok {
		l.same[set] = l.position
		return
	}
	l.warn(e, LintOverlap, "has the same keywords as "+quoted(ix.Entries[first].idValue().Text())+", so that both always match together",
		"Give each a keyword the other has not, or merge them")
}

// sorted returns a sorted copy of a list without repeats.
func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// unreachableHint names what keeps a plain keyword from ever hitting.
func unreachableHint(keyword string) string {
	if trim(keyword) == "" {
		return "Remove the empty keyword"
	}
	for i := range len(keyword) {
		switch c := keyword[i]; {
		case c >= 'A' && c <= 'Z':
			return "Write it in lower case"
		case c >= 0x80:
			return "Only a to z and 0 to 9 are compared: use a Latin word, or the unicode tokenizer"
		case c == '.' || c == '+' || c == '#' || c == '_' || c == '/' || c == '\'':
			return "Put a space in place of the punctuation, and drop single letters"
		}
	}
	return "Every part needs two or more letters or digits"
}

// hasControl reports whether a text has a control character.
func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == 0x7F || s[i] == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0 {
			return true
		}
	}
	return false
}

// quoted returns a text in double quotes, with JSON's escapes.
func quoted(s string) string { return string(AppendString(nil, s)) }

// maxSummary is the longest summary in UTF-16 units (loadout section 2.2).
const maxSummary = 120

// Severity is how bad an Issue is.
type Severity string

// The severities of loadout section 2.8.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Issue is one finding of Validate (loadout section 2.8).
type Issue struct {
	Severity Severity
	Code     string
	Message  string
	Hint     string // empty when there is none
	EntryID  Value  // the id as it is in the entry; missing when the issue has none
	Position int    // of the entry in the index, from 0; -1 for the index itself
}

// Validate checks an index (loadout section 10). The issues are in the order
// of the rules for the index, then by entry.
func Validate(ix *Index) []Issue {
	v := &validator{position: -1}
	head := ix.head()
	if head.Get("version").Falsy() {
		v.add(Issue{Severity: SeverityError, Code: "MISSING_VERSION", Message: "Index is missing a version field"})
	}
	if head.Get("generated").Falsy() {
		v.add(Issue{Severity: SeverityWarning, Code: "MISSING_GENERATED", Message: "Index is missing a generated timestamp"})
	}
	if head.Get("entries").Kind() != Array {
		v.add(Issue{Severity: SeverityError, Code: "INVALID_ENTRIES", Message: "Index entries must be an array"})
		return v.issues
	}
	seen := map[Value]bool{}
	for i := range ix.Entries {
		v.position = i
		v.entry(ix.Entries[i].JSON(), seen)
	}
	v.position = -1
	v.budget(head.Get("budget"))
	return v.issues
}

type validator struct {
	issues   []Issue
	position int
}

func (v *validator) add(issue Issue) {
	issue.Position = v.position
	v.issues = append(v.issues, issue)
}

// about adds an issue of an entry.
func (v *validator) about(id Value, severity Severity, code, message, hint string) {
	v.add(Issue{Severity: severity, Code: code, Message: message, Hint: hint, EntryID: id})
}

func (v *validator) entry(entry Value, seen map[Value]bool) {
	idValue := entry.Get("id")
	if idValue.Falsy() {
		v.add(Issue{Severity: SeverityError, Code: "MISSING_ID", Message: "Entry is missing an id field",
			Hint: "Every entry needs a unique kebab-case id"})
		return
	}
	id := idValue.Text()
	if !Kebab(id) {
		v.about(idValue, SeverityWarning, "BAD_ID_FORMAT", `ID "`+id+`" is not kebab-case`, "")
	}
	if seen[idValue] {
		v.about(idValue, SeverityError, "DUPLICATE_ID", `Duplicate entry ID: "`+id+`"`, "")
	}
	// Two arrays or objects are never the same in JavaScript.
	seen[idValue] = idValue.Kind() != Array && idValue.Kind() != Object
	if entry.Get("path").Falsy() {
		v.about(idValue, SeverityError, "MISSING_PATH", `Entry "`+id+`" has no path`,
			"Set path to the relative file location (e.g. .claude/rules/my-rule.md)")
	}
	priority := entry.Get("priority")
	switch priority {
	case `"core"`, `"domain"`, `"manual"`:
	default:
		v.about(idValue, SeverityError, "INVALID_PRIORITY", `Entry "`+id+`" has invalid priority "`+priority.Text()+`"`, "")
	}
	summary := entry.Get("summary")
	switch length := summary.length(); {
	case summary.Falsy() || length == "0":
		v.about(idValue, SeverityError, "MISSING_SUMMARY", `Entry "`+id+`" has no summary`, "")
	case length.toNumber() > maxSummary:
		v.about(idValue, SeverityWarning, "LONG_SUMMARY",
			`Entry "`+id+`" summary exceeds `+strconv.Itoa(maxSummary)+` chars (`+length.Text()+`)`, "")
	}
	if keywords := entry.Get("keywords"); priority == `"domain"` && (keywords.Falsy() || keywords.length() == "0") {
		v.about(idValue, SeverityError, "EMPTY_KEYWORDS", `Domain entry "`+id+`" has no keywords — cannot be routed`,
			"Add keywords to frontmatter so the matcher can find this entry")
	}
	tokens := entry.Get("tokens_est")
	if n, ok := tokens.Num(); !ok || n < 0 {
		v.about(idValue, SeverityWarning, "BAD_TOKEN_EST", `Entry "`+id+`" has invalid token estimate: `+tokens.Text(), "")
	}
}

func (v *validator) budget(budget Value) {
	if budget.Falsy() {
		return
	}
	for _, key := range [...]string{"always_loaded_est", "on_demand_total_est"} {
		if budget.Get(key).toNumber() < 0 {
			v.add(Issue{Severity: SeverityWarning, Code: "NEGATIVE_BUDGET", Message: key + " is negative"})
		}
	}
}

// Kebab reports whether a text is kebab-case: groups of a to z and 0 to 9,
// joined by single hyphens.
func Kebab(s string) bool {
	group := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			group++
		case c == '-' && group > 0:
			group = 0
		default:
			return false
		}
	}
	return group > 0
}

// AppendIssues appends issues as a compact JSON array, keys in the order of
// loadout section 2.8.
func AppendIssues(dst []byte, issues []Issue) []byte {
	dst = append(dst, '[')
	for i := range issues {
		issue := &issues[i]
		dst = AppendString(appendText(comma(dst), `{"severity":`), string(issue.Severity))
		dst = AppendString(appendText(dst, `,"code":`), issue.Code)
		dst = AppendString(appendText(dst, `,"message":`), issue.Message)
		if issue.Hint != "" {
			dst = AppendString(appendText(dst, `,"hint":`), issue.Hint)
		}
		if issue.EntryID != "" {
			dst = append(appendText(dst, `,"entryId":`), issue.EntryID...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}
