package memory

import (
	"fmt"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// AppendMemoryIssues appends the issues of a store and of its index in the
// original's shape (loadout section 19).
func AppendMemoryIssues(dst []byte, s *Store) []byte {
	dst = append(dst, '[')
	for i, issue := range s.Validate() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = indexjson.AppendField(append(dst, '{'), "severity", string(issue.Severity))
		dst = indexjson.AppendField(append(dst, ','), "code", issue.Code)
		dst = indexjson.AppendField(append(dst, ','), "message", issue.Message)
		if issue.RefPath != "" {
			dst = indexjson.AppendField(append(dst, ','), "refPath", issue.RefPath)
		}
		if issue.Line >= 0 {
			dst = fmt.Appendf(dst, `,"line":%d`, issue.Line)
		}
		if issue.Hint != "" {
			dst = indexjson.AppendField(append(dst, ','), "hint", issue.Hint)
		}
		dst = append(dst, '}')
	}
	own := len(s.Validate()) > 0
	list := loadout.AppendIssues(nil, s.Issues)
	if own && len(s.Issues) > 0 {
		dst = append(dst, ',')
	}
	return append(append(dst, list[1:len(list)-1]...), ']')
}

// AppendRefreshed appends the outcome in the original's shape (loadout section
// 22).
func AppendRefreshed(dst []byte, r *Refreshed) []byte {
	dst = append(dst, '{')
	for _, f := range [...][2]string{{"store", r.Store}, {"memoryMd", r.MemoryMD}, {"storeIndexPath", r.StoreIndexPath}, {"dest", r.Dest}} {
		dst = append(indexjson.AppendField(dst, f[0], f[1]), ',')
	}
	dst = fmt.Appendf(dst, `"dryRun":%t,"entryCount":%d,"pathsRewritten":%d,"gateErrors":%d,"gateWarnings":%d,"destIssues":`,
		r.DryRun, r.EntryCount, r.PathsRewritten, r.Errors(), r.Warnings())
	dst = append(loadout.AppendIssues(dst, r.DestIssues), `,"backupPath":`...)
	if r.BackupPath == "" {
		dst = append(dst, "null"...)
	} else {
		dst = loadout.AppendString(dst, r.BackupPath)
	}
	return fmt.Appendf(dst, `,"wrote":%t}`, r.Wrote)
}
