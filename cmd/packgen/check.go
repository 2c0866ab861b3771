package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexjson"
)

// newCheck is the check verb.
func newCheck(a *app) *cobra.Command {
	var index string
	cmd := &cobra.Command{
		Use:   "check --index FILE",
		Short: "Check a loadout index",
		Long: `check validates a loadout index and looks for entries that are valid and yet
match badly: keywords no task can hit, words that hit too much, summaries with a
line break. Every finding names its line.

The exit code is 1 when there is an error, 2 when the file cannot be read.`,
		Example: "  packgen check --index public/index.json\n  packgen check --index ~/.ai-loadout/index.json --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if index == "" {
				return withHint(errors.New("check needs --index FILE"), "For example: packgen check --index public/index.json")
			}
			return a.runCheckIndex(index)
		},
	}
	cmd.Flags().StringVar(&index, "index", "", "index `FILE` to check, .json")
	return cmd
}

// runCheckIndex checks one index.
func (a *app) runCheckIndex(name string) error {
	if err := checkFlagValue("index", name); err != nil {
		return err
	}
	text, err := readLimited(a.path(name), indexjson.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("no index at %s", name), "Run packgen build to write one.")
	}
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	ix, err := indexjson.Read(text)
	if err != nil {
		return readIndexError(name, err)
	}
	issues := loadout.Validate(ix)
	all := slices.Concat(issues, shapeIssues(ix), loadout.Lint(ix, loadout.LintOptions{}))
	findings := indexFindings(a.rel(a.path(name)), text, all)
	if a.json {
		a.printParts(struct {
			envelope
			Index string `json:"index"`
		}{stackEnvelope("check", findings), a.rel(a.path(name))}, part{"result", validation(issues)})
	} else {
		a.printFindings(findings, nil)
		if !a.quiet {
			fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", diag.Printable(name), countedEntries(len(ix.Entries)),
				counted(diag.Count(findings, diag.Error), "error"), counted(diag.Count(findings, diag.Warning), "warning"))
		}
	}
	if diag.Count(findings, diag.Error) > 0 {
		return errFindings
	}
	return nil
}

// validation is the outcome in the original's shape (loadout section 17).
func validation(issues []loadout.Issue) []byte {
	errors := 0
	for i := range issues {
		if issues[i].Severity == loadout.SeverityError {
			errors++
		}
	}
	out := fmt.Appendf(nil, `{"valid":%t,"errors":%d,"warnings":%d,"issues":`, errors == 0, errors, len(issues)-errors)
	return append(loadout.AppendIssues(out, issues), '}')
}

// shapeIssues says which entries have words that no matcher can use as they are
// written. Missing keywords are an issue of their own.
func shapeIssues(ix *loadout.Index) []loadout.Issue {
	var issues []loadout.Issue
	for i := range ix.Entries {
		e := &ix.Entries[i]
		problem := ""
		switch e.Fault {
		case loadout.FaultKeywords, loadout.FaultPatterns, loadout.FaultPatternsMissing:
			problem = e.Fault.String()
		case loadout.FaultNone:
			for _, key := range [...]string{"keywords", "patterns"} {
				if e.JSON().Get(key).Kind() == loadout.String {
					problem = key + " is a text, not a list of strings"
				}
			}
		}
		if problem != "" {
			issues = append(issues, loadout.Issue{
				Severity: loadout.SeverityWarning, Code: "ENTRY_MALFORMED", Position: i,
				Message: fmt.Sprintf("Entry %q: %s", idText(e), problem), Hint: "Write a list of strings, empty when there are none",
			})
		}
	}
	return issues
}

// indexFindings turns the issues of an index into diagnostics with their
// places in its text, in the order of the text.
func indexFindings(path string, text []byte, issues []loadout.Issue) []diag.Diagnostic {
	if len(issues) == 0 {
		return nil
	}
	places := entryPlaces(text)
	list := make([]diag.Diagnostic, len(issues))
	for i, issue := range issues {
		d := diag.Diagnostic{
			ID:       strings.ToLower(strings.ReplaceAll(issue.Code, "_", "-")),
			Severity: diag.Warning, Path: path, Message: issue.Message + ".", Hint: issue.Hint,
		}
		if issue.Severity == loadout.SeverityError {
			d.Severity = diag.Error
		}
		if at := issue.Position; at >= 0 && at < len(places) {
			d.Line, d.Column = places[at].line, places[at].column
		}
		list[i] = d
	}
	sortByPlace(list)
	return list
}

// sortByPlace sorts the findings about one file, errors first.
func sortByPlace(list []diag.Diagnostic) {
	diag.Sort(list)
	slices.SortStableFunc(list, func(x, y diag.Diagnostic) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
}

// readIndexError names the place in a file that is no index.
func readIndexError(name string, err error) error {
	var syntax *indexjson.SyntaxError
	if errors.As(err, &syntax) {
		return withHint(fmt.Errorf("read index %s:%d:%d: %s", name, syntax.Line, syntax.Column, syntax.Problem),
			"Mend the file, or run packgen build to write it anew.")
	}
	return withHint(fmt.Errorf("read index %s: %w", name, err), "Run packgen build to write it anew.")
}
