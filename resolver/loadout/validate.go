package loadout

import "strconv"

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
