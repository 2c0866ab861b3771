package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/rulebook"
)

// otherRules begins the generated part of the manual's page on diagnostics.
const otherRules = "## Other rules\n"

// The page on diagnostics names every rule: those that need no words of their own
// in a part that is made from the catalogue, which "packgen check --explain all" prints too.
func TestManualNamesEveryRule(t *testing.T) {
	t.Parallel()
	page := manualPage(t, "reference/diagnostics.md")
	byHand, generated, ok := strings.Cut(page, otherRules)
	if !ok {
		t.Fatalf("the page has no %q", otherRules)
	}
	var groups []string
	rows := map[string][]string{}
	for _, r := range rulebook.All() {
		if regexp.MustCompile("(?m)(^## |`|\\[)" + r.ID + "(`|\\]|$)").MatchString(byHand) {
			continue
		}
		if rows[r.Where] == nil {
			groups = append(groups, r.Where)
		}
		rows[r.Where] = append(rows[r.Where], fmt.Sprintf("| `%s` | %s | %s |\n", r.ID, cellText(r.Title), cellText(r.Fix)))
	}
	slices.Sort(groups)
	var want strings.Builder
	want.WriteString("\n`packgen check --explain RULE` says of each how severe it is, what it means and why it matters.\n")
	for _, group := range groups {
		fmt.Fprintf(&want, "\n### In %s\n\n| Id | Finding | Fix |\n| --- | --- | --- |\n%s", strings.TrimPrefix(group, "a "), strings.Join(rows[group], ""))
	}
	if *update {
		name := filepath.Join(manual, "reference/diagnostics.md")
		oktest.Check(t, os.WriteFile(name, []byte(byHand+otherRules+want.String()), 0o644))
		return
	}
	if generated != want.String() {
		t.Error("the generated part of diagnostics.md is not up to date: go test ./cmd/packgen -run TestManualNamesEveryRule -update")
	}
}

// cellText makes text safe for a cell of a table.
func cellText(s string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "[", `\[`).Replace(s)
}
