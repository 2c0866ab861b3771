package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// ReindexOptions steer Reindex.
type ReindexOptions struct {
	Generated string // time stamp of an index that changes
	Main      string // the instruction file whose table is kept in step; "" is none
}

// Reindexed is what Reindex would write.
type Reindexed struct {
	Index   File     // index.json as it will be
	Main    File     // the instruction file as it will be; without a path when its table says the same
	Entries int      // of rules
	Was     int      // how many the index had
	Changes []Change // in the order of the new index, then what was removed
	Issues  []Issue  // of severity error: nothing may be written

	hadIndex, hadMain []byte // nil for a file that does not exist
}

// Change is what becomes of the entry of one rule file.
type Change struct {
	Path   string   `json:"path"`
	Kind   string   `json:"change"` // added, changed or removed
	Fields []string `json:"fields"` // of an entry that is changed: its keys
}

// The kinds of a Change.
const (
	added   = "added"
	changed = "changed"
	removed = "removed"
)

// ErrForeign says that the index is one that no split wrote.
var ErrForeign = entryowner.ErrForeign

// Reindex makes the index of a directory of rule files again from the files: their
// front matter and their text are the truth. Entries keep their order and the keys
// that are unknown; files that have none get one, entries without a file lose
// theirs. What a build keeps in the same index is left alone.
//
// The error is for what cannot be read, a *indexjson.SyntaxError or *loadout.ShapeError
// for what is not a valid index, and ErrForeign for one that somebody else wrote.
func Reindex(root *os.Root, dir string, o ReindexOptions) (*Reindexed, error) {
	r := &Reindexed{Index: File{Path: path.Join(dir, "index.json")}}
	old, err := r.read(root, dir)
	if err != nil {
		return nil, err
	}
	built, _ := entryowner.BuildOf(old)
	ix := *old
	ix.Entries = nil
	named := map[string]bool{}
	for i := range old.Entries {
		e := &old.Entries[i]
		if !entryowner.IsRule(e, dir) && built.Owns(e) {
			ix.Entries = append(ix.Entries, *e)
			continue
		}
		r.Was++
		named[path.Clean(e.Path)] = true
		if now, ok := r.again(root, e); ok {
			ix.Entries = append(ix.Entries, now)
			r.Entries++
		}
	}
	if err := r.add(root, dir, &ix, named); err != nil {
		return nil, err
	}
	r.Issues = audible(root, dir, append(r.Issues, duplicateIDs(&ix)...))
	table, err := r.table(root, dir, o.Main, &ix)
	if err != nil {
		return nil, err
	}
	always := old.Budget.AlwaysLoaded
	if table != nil {
		always = *table + built.Always
	}
	r.Index.Data = r.write(old, &ix, always, o.Generated)
	return r, nil
}

// read reads the index; one that does not exist is an empty one.
func (r *Reindexed) read(root *os.Root, dir string) (*loadout.Index, error) {
	text, err := repo.ReadIn(root, r.Index.Path, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return &loadout.Index{Version: loadout.Version, LazyLoad: path.Clean(dir) == LazyDir}, nil
	}
	if err != nil {
		return nil, err
	}
	r.hadIndex = text
	ix, err := indexjson.Read(text)
	if err == nil {
		err = ix.Check()
	}
	if err == nil && !entryowner.IsShared(ix, dir) {
		err = ErrForeign
	}
	return ix, err
}

// again makes the entry of a rule file again; false when there is no such file.
func (r *Reindexed) again(root *os.Root, e *loadout.Entry) (loadout.Entry, bool) {
	now, text, issue := entryOf(root, path.Clean(e.Path))
	switch {
	case issue != nil && errors.Is(issue.err, fs.ErrNotExist):
		r.Changes = append(r.Changes, Change{e.Path, removed, []string{}})
		return now, false
	case issue != nil:
		r.Issues = append(r.Issues, issue.Issue)
		return *e, true
	}
	r.Issues = append(r.Issues, slips(e.Path, text)...)
	now.Path = e.Path
	fields := differ(e, &now)
	if len(fields) == 0 {
		return *e, true
	}
	r.Changes = append(r.Changes, Change{e.Path, changed, fields})
	now.Raw = replaced(e.JSON(), loadout.Value(loadout.AppendEntry(nil, &now)))
	return now, true
}

// add makes entries of the rule files that the index does not name. A Markdown file
// without front matter is not a rule.
func (r *Reindexed) add(root *os.Root, dir string, ix *loadout.Index, named map[string]bool) error {
	names, err := unnamedIn(root, dir, named)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		e, text, issue := entryOf(root, name)
		if issue != nil {
			if issue.Code != codeNoFrontMatter {
				r.Issues = append(r.Issues, issue.Issue)
			}
			continue
		}
		r.Issues = append(r.Issues, slips(name, text)...)
		ix.Entries = append(ix.Entries, e)
		r.Entries++
		r.Changes = append(r.Changes, Change{name, added, []string{}})
	}
	return nil
}

// unnamedIn lists the Markdown files of a directory that an index does not name.
func unnamedIn(root *os.Root, dir string, named map[string]bool) (list []string, err error) {
	files, err := fs.ReadDir(regularfile.FS(root), dir)
	for _, f := range files {
		if name := path.Join(dir, f.Name()); path.Ext(name) == ".md" && !f.IsDir() && !named[name] {
			list = append(list, name)
		}
	}
	return list, err
}

// codeNoFrontMatter is the code of the issue about a file that is not a rule.
const codeNoFrontMatter = "MISSING_FRONTMATTER"

// fileIssue is what keeps a file from being a rule.
type fileIssue struct {
	Issue
	err error // why it cannot be read
}

// slips are the issues about what the front matter of a rule file says without an effect.
func slips(name, text string) (list []Issue) {
	_, found := check.Settle(text)
	for _, s := range found {
		list = append(list, Issue{Severity: loadout.SeverityWarning, Code: s.Code, File: name, Line: s.Line, Message: "the rule " + s.Message, Hint: s.Hint})
	}
	return list
}

// entryOf makes the entry of a rule file, and returns its text.
func entryOf(root *os.Root, name string) (e loadout.Entry, file string, fault *fileIssue) {
	text, err := repo.ReadIn(root, name, maxFile)
	if err != nil {
		return e, "", &fileIssue{Issue{Severity: loadout.SeverityError, Code: "MISSING_REF", File: name, Message: "Rule file cannot be read: " + name + ": " + regularfile.Reason(err), Hint: "a rule file is a text below the repository root"}, err}
	}
	file, _ = check.Settle(string(text))
	fm, body := loadout.ParseFrontMatter(file, false)
	if fm == nil {
		return e, "", &fileIssue{Issue{Severity: loadout.SeverityError, Code: codeNoFrontMatter, File: name, Message: "Rule file has no valid frontmatter: " + name, Hint: "begin the file with --- and an id"}, nil}
	}
	content := sectionOf(body)
	return loadout.Entry{
		ID: fm.ID, Path: name, Keywords: fm.Keywords, Patterns: fm.Patterns, Priority: fm.Priority, Triggers: fm.Triggers,
		Summary: summaryIn(file, content), TokensEst: float64(token.Estimate(content)), Lines: strings.Count(content, "\n") + 1,
	}, file, nil
}

// differ lists the keys in which an entry is not what its file says.
func differ(was, now *loadout.Entry) []string {
	var list []string
	note := func(key string, same bool) {
		if !same {
			list = append(list, key)
		}
	}
	note("id", was.ID == now.ID)
	note("keywords", was.Fault == loadout.FaultNone && slices.Equal(was.Keywords, now.Keywords))
	note("patterns", slices.Equal(was.Patterns, now.Patterns))
	note("priority", was.Priority == now.Priority)
	note("summary", was.Summary == now.Summary)
	note("triggers", was.Triggers == now.Triggers)
	note("tokens_est", was.TokensEst == now.TokensEst)
	note("lines", was.Lines == now.Lines)
	return list
}

// replaced is an object with the members of another in the place of its own, and at the end
// those that it has not.
func replaced(was, fresh loadout.Value) loadout.Value {
	var o indexjson.Object
	for key, value := range was.Members {
		if known := fresh.Get(key); known.Kind() != loadout.Missing {
			value = known
		}
		o.Value(key, []byte(value))
	}
	for key, value := range fresh.Members {
		if was.Get(key).Kind() == loadout.Missing {
			o.Value(key, []byte(value))
		}
	}
	return loadout.Value(o.JSON())
}

// write is the text of the new index: the old one where nothing has changed.
func (r *Reindexed) write(old, ix *loadout.Index, always float64, generated string) []byte {
	sumUp(ix)
	if _, built := entryowner.BuildOf(old); built {
		ix.Budget = loadout.ComputeBudget(ix.Entries)
	}
	ix.Budget.AlwaysLoaded, ix.Budget.AvgObserved = always, old.Budget.AvgObserved
	if r.hadIndex != nil && len(r.Changes) == 0 && ix.Budget == old.Budget {
		return r.hadIndex
	}
	ix.Generated = generated
	if old.Head == "" {
		return indexjson.Write(ix)
	}
	var fresh indexjson.Object
	fresh.Text("generated", generated).Value("budget", loadout.AppendBudget(nil, ix.Budget))
	ix.Head = replaced(old.Head, loadout.Value(fresh.JSON()))
	return indexjson.Write(ix)
}

// table keeps the rows of the table in the instruction file in step, and returns what of
// that always loads; nil when it has no table of this directory that nobody wrote into.
func (r *Reindexed) table(root *os.Root, dir, name string, ix *loadout.Index) (always *float64, err error) {
	if name == "" {
		return nil, nil
	}
	text, err := repo.ReadIn(root, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := newDocument(string(text))
	kept, rows := withoutIndex(d.lines)
	if len(kept) == len(d.lines) || !strings.Contains(string(text), tableLine+path.Join(dir, "index.json")+"`.") {
		return nil, nil
	}
	always = new(alwaysLoaded(kept))
	fresh := r.rows(root, rows, dir, ix)
	if slices.Equal(fresh, rows) {
		return always, nil
	}
	own := &Report{FilePath: name, form: form{dir: path.Clean(dir)}}
	r.hadMain = text
	r.Main = File{name, []byte(d.join(kept, own.table(fresh, bytes.Contains(text, []byte(lazyLine)))))}
	return always, nil
}

// rows are those of the table for an index: with the headings they had, and new ones
// at the end.
func (r *Reindexed) rows(root *os.Root, rows []string, dir string, ix *loadout.Index) []string {
	entries := map[string]*loadout.Entry{}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; entryowner.IsRule(e, dir) {
			entries[path.Clean(e.Path)] = e
		}
	}
	var out []string
	for _, row := range rows {
		heading, at, ok := cutRow(row)
		e := entries[at]
		switch {
		case !ok || e == nil && path.Dir(at) != path.Clean(dir):
			out = append(out, row) // not one of ours
		case e != nil:
			out = append(out, tableRow(heading, e.Keywords, e.Priority, e.Path))
			delete(entries, at)
		}
	}
	for i := range ix.Entries {
		if e := &ix.Entries[i]; entries[path.Clean(e.Path)] != nil {
			out = append(out, tableRow(escapeCell(headingOf(root, e)), e.Keywords, e.Priority, e.Path))
			delete(entries, path.Clean(e.Path))
		}
	}
	return out
}

// cutRow returns the first cell of a row, as it is written, and the path in the last.
func cutRow(row string) (heading, at string, ok bool) {
	cells := strings.Split(strings.ReplaceAll(row, `\|`, "\x00"), "|")
	if len(cells) != 6 {
		return "", "", false
	}
	at = strings.Trim(strings.TrimSpace(cells[4]), "`")
	return strings.ReplaceAll(strings.TrimSpace(cells[1]), "\x00", `\|`), path.Clean(at), at != ""
}

// headingOf is the heading of a rule file, or its id.
func headingOf(root *os.Root, e *loadout.Entry) string {
	if text, err := repo.ReadIn(root, e.Path, maxFile); err == nil {
		_, body := loadout.ParseFrontMatter(string(text), false)
		for _, s := range parseSections(body) {
			if s.Level > 0 {
				return javascript.Line(s.Heading)
			}
		}
	}
	return e.ID
}

// Write writes what has changed, the index before the instruction file, both or none.
func (r *Reindexed) Write(root *os.Root) (err error) {
	s := &staging{root: root, mode: 0o644}
	defer func() {
		if err != nil {
			err = fmt.Errorf("split %s: %w", r.Index.Path, errors.Join(err, s.undo()))
		}
	}()
	if err := sweep(root, []File{r.Index, r.Main}); err != nil {
		return err
	}
	if err := s.add(r.Index, r.hadIndex); err != nil {
		return err
	}
	if r.Main.Path != "" {
		if err := s.add(r.Main, r.hadMain); err != nil {
			return err
		}
	}
	return s.commit()
}

// Empties reports that the index had rules and would have none.
func (r *Reindexed) Empties() bool { return r.Was > 0 && r.Entries == 0 }

// String says a change in a line.
func (c Change) String() string {
	if len(c.Fields) == 0 {
		return c.Kind
	}
	return fmt.Sprintf("%s: %s", c.Kind, strings.Join(c.Fields, ", "))
}

// Outcome is what a check found, as JSON in the original's shape (loadout section
// 20.8).
type Outcome struct {
	Valid    bool    `json:"valid"`
	Errors   int     `json:"errors"`
	Warnings int     `json:"warnings"`
	Issues   []Issue `json:"issues"`
}

// NewOutcome counts issues. Path makes the path of a file from what an issue says.
func NewOutcome(issues []Issue, path func(string) string) *Outcome {
	o := &Outcome{Issues: make([]Issue, len(issues))}
	for n, i := range issues {
		if i.File != "" {
			i.File = path(i.File)
		}
		if i.Severity == loadout.SeverityError {
			o.Errors++
		} else {
			o.Warnings++
		}
		o.Issues[n] = i
	}
	o.Valid = o.Errors == 0
	return o
}

// SplitRecord is what a split did, as JSON.
type SplitRecord struct {
	DryRun bool         `json:"dry_run"`
	File   string       `json:"file,omitempty"`
	Index  string       `json:"index,omitempty"`
	Backup string       `json:"backup,omitempty"`
	Moved  []RuleRecord `json:"moved"`
	Copied []RuleRecord `json:"copied"`
	Before int          `json:"tokens_before"`
	After  int          `json:"tokens_after"`
}

// RuleRecord is a section that was moved or copied.
type RuleRecord struct {
	Heading string `json:"heading"`
	ID      string `json:"id"`
	Path    string `json:"path"`
}

// NewSplitRecord records a split.
func NewSplitRecord(out *Output, accepted, copied []Proposal, dryRun bool, backup string) SplitRecord {
	list := func(proposals []Proposal) []RuleRecord {
		list := []RuleRecord{}
		for _, p := range proposals {
			list = append(list, RuleRecord{p.Section.Heading, p.ID, p.Path})
		}
		return list
	}
	return SplitRecord{dryRun, out.Main.Path, out.Index.Path, backup, list(accepted), list(copied), out.Before, out.After}
}

// ReindexRecord is what a new index changed, as JSON.
type ReindexRecord struct {
	DryRun  bool     `json:"dry_run"`
	Index   string   `json:"index"`
	Entries int      `json:"entries"`
	File    string   `json:"file,omitempty"` // the instruction file, if its table changes
	Changes []Change `json:"changes"`
}

// Record records a new index.
func (r *Reindexed) Record(dryRun bool) ReindexRecord {
	return ReindexRecord{dryRun, r.Index.Path, r.Entries, r.Main.Path, append([]Change{}, r.Changes...)}
}

// State says what became of the index.
func (r *Reindexed) State(dryRun, refused bool) string {
	changes := len(r.Changes) > 0 || r.Main.Path != ""
	switch {
	case refused:
		return "nothing written"
	case dryRun && changes:
		return "not written (dry run)"
	case changes:
		return "written"
	}
	return "as it was"
}
