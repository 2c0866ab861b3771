package memory

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/jsonrecord"
)

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
