package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

const (
	// maxSummary is the length of a summary in UTF-16 units.
	maxSummary = 120
	// maxID is the length from which an id is reported, in UTF-16 units.
	maxID = 60
)

// Index makes the index of a store: one entry for each reference whose file was
// read, in their order (loadout section 19.6). Generated is its time stamp.
func (a *Analysis) Index(generated string, lazy bool) *loadout.Index {
	ix := &loadout.Index{Version: loadout.Version, Generated: generated, Source: a.FilePath, LazyLoad: lazy}
	for _, i := range a.listed() {
		ix.Entries = append(ix.Entries, a.entry(a.Refs[i], a.Topics[i]))
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	ix.Budget.AlwaysLoaded += float64(a.InlineTokens)
	if slices.ContainsFunc(ix.Entries, func(e loadout.Entry) bool { return slices.ContainsFunc(e.Keywords, hasOtherLetters) }) {
		ix.SetTokenizer(loadout.Unicode)
	}
	return ix
}

// listed are the places of the references that make an entry: those whose file was read, but
// not one that would make the same entry again.
func (a *Analysis) listed() []int {
	type same struct{ id, path string }
	var list []int
	seen := map[same]bool{}
	for i, t := range a.Topics {
		if t == nil {
			continue
		}
		key := same{idOf(a.Refs[i].Name), t.Path}
		if t.Front != nil {
			key.id = t.Front.ID
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		list = append(list, i)
	}
	return list
}

// entry makes the entry of a reference. Known secrets in what the store says of a topic stay
// out of the index, which is published and shown to agents.
func (a *Analysis) entry(r Ref, t *Topic) loadout.Entry {
	note := secret.RedactKnown(t.Note.Description)
	r.Name, r.Description = secret.RedactKnown(r.Name), secret.RedactKnown(r.Description)
	e := loadout.Entry{
		Path: t.Path, Summary: summaryOf(r), TokensEst: float64(t.Tokens), Lines: t.Lines,
		ID: idOf(r.Name), Patterns: []string{}, Priority: loadout.PriorityDomain, Triggers: loadout.DefaultTriggers(),
	}
	if fm := t.Front; fm != nil {
		e.ID, e.Keywords, e.Patterns, e.Priority, e.Triggers = fm.ID, fm.Keywords, fm.Patterns, fm.Priority, fm.Triggers
		return e
	}
	e.Keywords = keywordsOf(r.Name, t.Keywords)
	if said := t.Said; said != nil {
		e.Patterns, e.Priority, e.Triggers = said.Patterns, said.Priority, said.Triggers
	}
	switch {
	case t.Said != nil && len(t.Said.Keywords) > 0:
		e.Keywords = t.Said.Keywords
	case r.link || note != "" || hasOtherLetters(r.Name) || len(e.Keywords) == 0:
		e.Keywords = describe(e.Keywords, r.Name, r.Description, note)
	}
	if r.Description == "" && note != "" {
		e.Summary = summaryOf(Ref{Description: note})
	}
	return e
}

// Validate checks a store (loadout section 19.7), less what comments of its MEMORY.md switch
// off. The issues of its index are apart: IndexIssues has them.
func (a *Analysis) Validate() []Issue {
	list := append([]Issue{}, a.Diagnostics...) // missing files, then orphans
	if a.joined {
		return list
	}
	if len(a.Refs) == 0 {
		list = append(list, Ref{}.issue(loadout.SeverityWarning, "NO_REFS", "MEMORY.md has no topic file references", "Add references using the format: Name — description → `path`"))
	}
	list = append(list, a.duplicates()...)
	for _, r := range a.Refs {
		if r.Name == "" {
			list = append(list, r.issue(loadout.SeverityWarning, "EMPTY_NAME", fmt.Sprintf("Reference at line %d has no name", r.Line), "Write a name before the dash: its id is made of it"))
		}
	}
	for i, r := range a.Refs {
		list = append(list, a.longID(r, a.Topics[i])...)
		if t := a.Topics[i]; t != nil {
			for _, s := range t.slips {
				list = append(list, r.issue(loadout.SeverityWarning, s.Code, t.Path+" "+s.Message, s.Hint))
			}
		}
	}
	return a.audible(list)
}

// duplicates reports the paths that are referred to more than once, in order of
// first use.
func (a *Analysis) duplicates() []Issue {
	count := map[string]int{}
	file := func(i int) string {
		if t := a.Topics[i]; t != nil {
			return t.Path
		}
		return a.Refs[i].Path
	}
	for i := range a.Refs {
		count[file(i)]++
	}
	var list []Issue
	for i, r := range a.Refs {
		if n := count[file(i)]; n > 1 {
			count[file(i)] = 0
			list = append(list, r.issue(loadout.SeverityWarning, "DUPLICATE_REF", fmt.Sprintf("Topic file referenced %d times: %s", n, r.Path), "Keep the reference that describes it best"))
		}
	}
	return list
}

func (a *Analysis) longID(r Ref, t *Topic) []Issue {
	id, kind, hint := idOf(r.Name), "Derived", "Shorten the reference name so its kebab-case id stays under 60 chars"
	if t != nil && t.Front != nil {
		id, kind, hint = t.Front.ID, "Frontmatter", "Shorten the frontmatter id in "+r.Path+" so it stays under 60 chars"
	}
	n := token.Units(id)
	if n <= maxID {
		return nil
	}
	return []Issue{r.issue(loadout.SeverityWarning, "ID_TOO_LONG", fmt.Sprintf("%s id at line %d is %d chars (max %d): %q", kind, r.Line, n, maxID, strings.ToValidUTF8(id, "\ufffd")), hint)}
}

// Notes lists the lines that upstream would take for references (loadout
// section 28, D16).
func (a *Analysis) Notes() []Issue {
	var list []Issue
	for _, r := range a.Prose {
		list = append(list, r.issue(loadout.SeverityWarning, "PROSE_ARROW", "Line ends in an arrow and a word that names no file: "+r.Path, "name a .md file or a path with a slash, if it is a reference; it is read as prose"))
	}
	return a.audible(list)
}

// issuesJSON returns the issues of the store, then those of its index.
func (s *Store) issuesJSON() []byte {
	list := []any{}
	for _, issue := range s.Validate() {
		list = append(list, issue)
	}
	for i := range s.Issues {
		text := loadout.AppendIssues(nil, s.Issues[i:i+1])
		list = append(list, jsonrecord.Raw(text[1:len(text)-1]))
	}
	return jsonrecord.Marshal(list)
}

// JSON returns the outcome in the original's shape (loadout section 22).
func (r *Refreshed) JSON() []byte {
	var backup *string
	if r.BackupPath != "" {
		backup = &r.BackupPath
	}
	return jsonrecord.Marshal(struct {
		Store          string         `json:"store"`
		MemoryMD       string         `json:"memoryMd"`
		StoreIndexPath string         `json:"storeIndexPath"`
		Dest           string         `json:"dest"`
		DryRun         bool           `json:"dryRun"`
		EntryCount     int            `json:"entryCount"`
		PathsRewritten int            `json:"pathsRewritten"`
		Errors         int            `json:"gateErrors"`
		Warnings       int            `json:"gateWarnings"`
		DestIssues     jsonrecord.Raw `json:"destIssues"`
		BackupPath     *string        `json:"backupPath"`
		Wrote          bool           `json:"wrote"`
	}{
		r.Store, r.MemoryMD, r.StoreIndexPath, r.Dest, r.DryRun, r.EntryCount, r.PathsRewritten, r.Errors(), r.Warnings(),
		loadout.AppendIssues(nil, r.DestIssues), backup, r.Wrote,
	})
}

// IndexJSON returns the index of the store with its issues.
func (s *Store) IndexJSON() []byte {
	missing := indexjson.Strings(s.MissingFiles)
	return jsonrecord.Marshal(struct {
		Index   jsonrecord.Raw `json:"index"`
		Issues  jsonrecord.Raw `json:"issues"`
		Missing jsonrecord.Raw `json:"missingFiles"`
	}{loadout.AppendIndex(nil, s.Index), loadout.AppendIssues(nil, loadout.Validate(s.Index)), missing})
}

// CheckJSON returns what a check of the store found.
func (s *Store) CheckJSON() []byte {
	failures := diag.Count(s.Findings, diag.Error)
	return jsonrecord.Marshal(struct {
		Valid    bool           `json:"valid"`
		Errors   int            `json:"errors"`
		Warnings int            `json:"warnings"`
		Issues   jsonrecord.Raw `json:"issues"`
	}{failures == 0, failures, diag.Count(s.Findings, diag.Warning), s.issuesJSON()})
}
