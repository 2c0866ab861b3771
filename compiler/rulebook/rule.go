package rulebook

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
)

// Rule explains one rule id.
type Rule struct {
	ID       string
	Title    string        // what the rule reports, in a few words
	Means    string        // what a finding says
	Why      string        // why it matters
	Fix      string        // what to do about it
	Severity diag.Severity // of an ordinary finding; some rules lower it, as Means says
	Milder   bool          // some findings of a rule that reports errors are warnings
	Where    string        // files the rule looks at
	Suppress Suppressible
}

// Suppressible says how a comment in a file may switch a rule off.
type Suppressible uint8

// The ways to switch a rule off.
const (
	Anywhere Suppressible = iota // for a line or for a file
	ByLine                       // for a line only
	Never                        // not by a comment
)

// String says it in words.
func (s Suppressible) String() string {
	switch s {
	case ByLine:
		return "for one line, with a reason"
	case Never:
		return "not by a comment in the file"
	}
	return "for one line or a file, with a reason"
}

// All returns every rule id that packgen reports, in the order of the ids.
func All() []Rule { return slices.Clone(catalogue()) }

// IDs returns the ids of all rules, sorted.
func IDs() []string {
	var ids []string
	for _, r := range catalogue() {
		ids = append(ids, r.ID)
	}
	return ids
}

// texts are the rules, a file for each kind of them.
//
//go:embed rules/*.txt
var texts embed.FS

// catalogue is the sorted list of all rules.
var catalogue = sync.OnceValue(func() []Rule {
	var list []Rule
	names, _ := fs.Glob(texts, "rules/*.txt") // the pattern is sound
	for _, name := range names {
		text, _ := texts.ReadFile(name) // it is part of the program
		for section := range strings.SplitSeq(strings.TrimPrefix(string(text), "# "), "\n# ") {
			list = append(list, parse(section))
		}
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return list
})

// parse reads a rule: a line with its id, and a list of its fields.
func parse(section string) Rule {
	id, fields, _ := strings.Cut(section, "\n")
	r := Rule{ID: id}
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "- "), ": ")
		switch name {
		case "Title":
			r.Title = value
		case "Means":
			r.Means = value
		case "Why":
			r.Why = value
		case "Fix":
			r.Fix = value
		case "Where":
			r.Where = value
		case "Severity":
			value, r.Milder = strings.CutSuffix(value, ", or milder")
			_ = r.Severity.UnmarshalText([]byte(value)) // a rule with another word has Info
		case "Suppress":
			r.Suppress = map[string]Suppressible{"by line": ByLine, "never": Never}[value]
		}
	}
	return r
}

// Find returns the rule with an id.
func Find(id string) (Rule, bool) {
	list := catalogue()
	i, ok := slices.BinarySearchFunc(list, id, func(r Rule, id string) int { return cmp.Compare(r.ID, id) })
	if !ok {
		return Rule{}, false
	}
	return list[i], true
}

// Text explains a rule to the faces of package diag.
func Text(id string) (diag.RuleText, bool) {
	r, ok := Find(id)
	if !ok {
		return diag.RuleText{}, false
	}
	return diag.RuleText{Title: r.Title, Means: r.Means, Help: r.Why + " " + r.Fix, Severity: r.Severity}, true
}

// Nearest returns a hint that names the rule most like a wrong id; "" when
// none is like it.
func Nearest(id string) string {
	best, most := "", 0
	for _, r := range catalogue() {
		if n := sharedLetters(id, r.ID); n > most {
			best, most = r.ID, n
		}
	}
	if 2*most < len(best) || best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// maxRuleID is how much of a wrong id is looked at, in bytes.
const maxRuleID = 64

// sharedLetters measures how alike two ids are: the bytes of the words of one that
// begin a word of the other, less half of what else that one has.
func sharedLetters(wrong, id string) int {
	n := 0
	parts := strings.Split(id, "-")
	for word := range strings.SplitSeq(wrong[:min(len(wrong), maxRuleID)], "-") {
		longest := 0
		for _, part := range parts {
			same := 0
			for same < len(word) && same < len(part) && word[same] == part[same] {
				same++
			}
			longest = max(longest, same)
		}
		n += longest
	}
	return n - max(0, len(id)-len(wrong))/2
}

// SeverityOf returns the severity of an ordinary finding of a rule.
func SeverityOf(id string) diag.Severity {
	r, _ := Find(id)
	return r.Severity
}
