package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// IndexFindings turns the issues of an index into diagnostics with their
// places in its text, in the order of the text. Those of an index that is split are at
// the parts, without a line.
func IndexFindings(name string, text []byte, issues []loadout.Issue) []diag.Diagnostic {
	if len(issues) == 0 {
		return nil
	}
	if root, err := indexjson.ReadRoot(text); root != nil && err == nil {
		return partFindings(name, root, issues)
	}
	places := repo.EntryPlaces(text)
	list := make([]diag.Diagnostic, len(issues))
	for i, issue := range issues {
		d := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint)
		d.Path = name
		if at := issue.Position; at >= 0 && at < len(places) {
			d.Line, d.Column = places[at].Line, places[at].Column
		}
		list[i] = d
	}
	SortByPlace(list)
	return list
}

// partFindings is IndexFindings for an index that is split.
func partFindings(name string, root *indexjson.Root, issues []loadout.Issue) []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, issue := range issues {
		d, at := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint), issue.Position
		d.Path = name
		for i := 0; at >= 0 && i < len(root.Parts); i++ {
			if at < root.Parts[i].Entries {
				d.Path = path.Join(path.Dir(name), root.Parts[i].Path)
				break
			}
			at -= root.Parts[i].Entries
		}
		list = append(list, d)
	}
	SortByPlace(list)
	return list
}

// SortByPlace sorts the findings about one file, errors first.
func SortByPlace(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(x, y diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// OfIssue makes a diagnostic of what a reader of the loadout format finds wrong: in an
// index, a store or a rule file. Its place is for the caller to add.
func OfIssue(severity loadout.Severity, code, message, hint string) diag.Diagnostic {
	d := diag.Diagnostic{ID: ruleID(code), Severity: diag.Warning, Message: phrase(sentence(message)), Hint: phrase(sentence(hint))}
	if rule, ok := rulebook.Find(d.ID); ok && d.Hint == "" {
		d.Hint = phrase(rule.Fix)
	}
	if severity == loadout.SeverityError {
		d.Severity = diag.Error
	}
	return d
}

// sentence returns a message of the loadout kernel with a verb: the format fixes the words
// of its own records, and a finding is read by people.
func sentence(text string) string {
	for _, s := range [...][2]string{
		{"Duplicate entry ID: ", "two entries have the id "},
		{"Duplicate rule ID: ", "two rules have the id "},
		{"Referenced topic file not found: ", "there is no topic file "},
		{"Topic file not referenced in MEMORY.md: ", "no line of MEMORY.md leads to the topic file "},
		{"Topic file referenced ", "the topic file is referenced "},
		{"Rule file not found: ", "there is no rule file "},
		{"Rule file exists but not in index.json: ", "no entry of index.json names the rule file "},
		{"Failed to parse index.json: ", "index.json cannot be parsed: "},
		{"index.json not found at ", "there is no "},
		{"Every entry needs a ", "give each entry a "},
	} {
		if rest, ok := strings.CutPrefix(text, s[0]); ok {
			return s[1] + rest
		}
	}
	return text
}

// phrase returns a message or a hint of the loadout kernel in the form of a finding: it
// begins in lower case, unless with a name such as MEMORY.md, and has no full stop.
func phrase(text string) string {
	text = strings.TrimSuffix(text, ".")
	if len(text) > 1 && 'A' <= text[0] && text[0] <= 'Z' && !('A' <= text[1] && text[1] <= 'Z') {
		return strings.ToLower(text[:1]) + text[1:]
	}
	return text
}
