package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

// Source says how a store is read.
type Source struct {
	Lazy    bool // its index is marked as loaded lazily
	Outside bool // files beside the store are read too
	Written bool // its index is written: references without a file are left out
}

// Store is a store that was read, and what is wrong with it.
type Store struct {
	*Analysis
	Shown    string
	Index    *loadout.Index
	Issues   []loadout.Issue // of the index
	Findings []diag.Diagnostic
}

// Read reads a store, by its MEMORY.md or the directory of that.
func Read(ctx context.Context, w *repo.Repo, f Source, name string) (*Store, error) {
	at, err := repo.IndexTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	name = w.Paths.Given(name)
	if info, err := os.Stat(w.Paths.Abs(name)); err == nil && info.IsDir() {
		name = filepath.Join(name, FileName)
	}
	got, err := Analyze(ctx, w.Paths.Abs(name), f.Outside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("MEMORY.md", name, "name the MEMORY.md of a store, or its directory")
	}
	if err != nil {
		return nil, diag.WithHint(err, "make it UTF-8 text of at most %s that refers to each file once", amount.Size(maxFile))
	}
	got.FilePath = name
	if f.Written {
		got.LeaveOut()
	}
	s := &Store{Analysis: got, Shown: w.Paths.Rel(w.Paths.Abs(name)), Index: got.Index(layers.Stamp(at), f.Lazy)}
	s.Issues = got.IndexIssues(check.Issues(s.Index))
	s.Findings = Findings(s.Shown, got, s.Issues)
	return s, nil
}

// Findings turns the issues of a store and of its index into diagnostics
// at the lines of MEMORY.md.
func Findings(file string, a *Analysis, index []loadout.Issue) []diag.Diagnostic {
	var lines []int // of the reference of each entry
	for _, i := range a.listed() {
		lines = append(lines, a.Refs[i].Line)
	}
	list := IssueFindings(file, moved(a.Validate()))
	for _, d := range IssueFindings(file, a.Notes()) {
		d.Severity = diag.Info
		list = append(list, d)
	}
	for _, i := range index {
		if i.Code == "BAD_ID_FORMAT" && hasOtherLetters(i.Message) {
			continue // kebab-case is for ASCII letters; an id may have others
		}
		d := check.OfIssue(i.Severity, i.Code, i.Message, i.Hint)
		d.Path = file
		if i.Code == "EMPTY_KEYWORDS" {
			d.Hint += ", as a list: keywords: [release, publish]"
		}
		if i.Position >= 0 && i.Position < len(lines) {
			d.Line = lines[i.Position]
		}
		list = append(list, d)
	}
	for _, d := range a.silence.Faults {
		d.Path = file
		list = append(list, d)
	}
	check.SortByPlace(list)
	return list
}

// moved names, for a missing topic file, the one that no line leads to and that it was most
// likely renamed to. The two are one fault.
func moved(issues []Issue) []Issue {
	const orphaned = "ORPHAN_TOPIC_FILE"
	var orphans []string
	for _, i := range issues {
		if i.Code == orphaned {
			orphans = append(orphans, i.RefPath)
		}
	}
	found := map[string]bool{}
	budget := nearest.Budget(mostCompared)
	for n := range issues {
		i := &issues[n]
		if i.Code != "MISSING_TOPIC_FILE" {
			continue
		}
		near := budget.Within(i.RefPath, orphans, (len(i.RefPath)+1)/4)
		if same := slices.IndexFunc(orphans, func(o string) bool { return strings.EqualFold(path.Base(o), path.Base(i.RefPath)) }); same >= 0 {
			near = orphans[same]
		}
		if near != "" {
			i.Hint, found[near] = fmt.Sprintf("did you mean %q?", near), true
		}
	}
	return slices.DeleteFunc(issues, func(i Issue) bool { return i.Code == orphaned && found[i.RefPath] })
}

// mostCompared bounds what the search for renamed files may cost.
const mostCompared = 20_000_000

// IssueFindings turns issues of a store into diagnostics.
func IssueFindings(file string, list []Issue) (findings []diag.Diagnostic) {
	for _, i := range list {
		d := check.OfIssue(i.Severity, i.Code, i.Message, i.Hint)
		d.Path, d.Line = file, i.Line
		findings = append(findings, d)
	}
	return findings
}
