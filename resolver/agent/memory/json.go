package memory

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

// issueRecord is an issue of a store in the original's shape (loadout section 19).
type issueRecord struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	RefPath  string `json:"refPath,omitempty"`
	Line     *int   `json:"line,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

// issuesJSON returns the issues of the store, then those of its index.
func (s *Store) issuesJSON() []byte {
	list := []issueRecord{}
	for _, issue := range s.Validate() {
		r := issueRecord{string(issue.Severity), issue.Code, issue.Message, issue.RefPath, nil, issue.Hint}
		if issue.Line >= 0 {
			line := issue.Line + 1 // as in findings
			r.Line = &line
		}
		list = append(list, r)
	}
	own, index := jsonrecord.Marshal(list), loadout.AppendIssues(nil, s.Issues)
	switch {
	case len(list) == 0:
		return index
	case len(s.Issues) == 0:
		return own
	}
	return append(append(own[:len(own)-1], ','), index[1:]...)
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
