package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// Issues returns everything that is wrong with an index: what makes it invalid,
// what no matcher can use, and what matches badly.
func Issues(ix *loadout.Index) []loadout.Issue {
	return slices.Concat(loadout.Validate(ix), shapeIssues(ix), loadout.Lint(ix, loadout.LintOptions{}))
}

// shapeIssues says which entries have words that no matcher can use as they are
// written. Missing keywords are an issue of their own.
func shapeIssues(ix *loadout.Index) []loadout.Issue {
	var issues []loadout.Issue
	for i := range ix.Entries {
		e := &ix.Entries[i]
		problem := ""
		switch e.Fault {
		case loadout.FaultKeywords, loadout.FaultPatterns, loadout.FaultPatternsMissing, loadout.FaultNone:
			problem = indexjson.WordsProblem(e)
		}
		if problem != "" {
			id := e.ID
			if id == "" {
				id = e.JSON().Get("id").Text()
			}
			issues = append(issues, loadout.Issue{
				Severity: loadout.SeverityWarning, Code: "ENTRY_MALFORMED", Position: i,
				Message: fmt.Sprintf("entry %q is malformed: %s", id, problem), Hint: "write a list of strings, empty when there are none",
			})
		}
	}
	return issues
}

// ruleID is the rule id of an issue's code: GENERIC_KEYWORD is generic-keyword.
func ruleID(code string) string { return strings.ToLower(strings.ReplaceAll(code, "_", "-")) }

// checkIndex checks an index that was made from packs, with paths as a site has them.
// Each finding is at the file that the entry would load. Findings are sorted.
// Overlaps and generic keywords are left out: the builder of the index reports them
// where they are declared. Derived keywords are nobody's fault.
func checkIndex(ix *loadout.Index) []diag.Diagnostic {
	var list []diag.Diagnostic
	for _, issue := range Issues(ix) {
		if issue.Code == loadout.LintOverlap || issue.Code == loadout.LintGeneric {
			continue
		}
		d := OfIssue(issue.Severity, issue.Code, issue.Message, issue.Hint)
		d.Path = "index.json"
		if at := issue.Position; at >= 0 && at < len(ix.Entries) {
			d.Pack, d.Path = place(ix.Entries[at].Path)
		}
		list = append(list, d)
	}
	diag.Sort(list)
	return list
}

// place takes the pack out of the path of an entry: "packs/<name>/<path>".
func place(entry string) (packName, path string) {
	rest, ok := strings.CutPrefix(entry, "packs/")
	name, path, found := strings.Cut(rest, "/")
	if !ok || !found {
		return "", entry
	}
	return name, path
}

// unreached reports, one finding for each pack that has routing goldens, how many
// of its entries no task of any golden selects.
func unreached(ix *loadout.Index, results []eval.TaskResult, withGoldens []string) []diag.Diagnostic {
	if len(withGoldens) == 0 {
		return nil
	}
	packs := make(map[string]string, len(ix.Entries)) // by the id of an entry
	for i := range ix.Entries {
		packs[ix.Entries[i].ID], _ = place(ix.Entries[i].Path)
	}
	by := map[string][]string{}
	for _, id := range eval.Unreached(ix, results) {
		if name := packs[id]; slices.Contains(withGoldens, name) {
			by[name] = append(by[name], id)
		}
	}
	var list []diag.Diagnostic
	for name, ids := range by {
		list = append(list, diag.Diagnostic{
			ID: idUnreached, Severity: diag.Info, Pack: name, Path: eval.RoutingPath,
			Message: "no task of the routing goldens selects " + fewOf(ids, ", ", " and "), Hint: "add tasks that need them",
		})
	}
	diag.Sort(list)
	return list
}
