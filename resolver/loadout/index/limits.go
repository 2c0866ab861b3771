package index

import (
	"fmt"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// idOversize is the rule about an index near or beyond what is read of one.
const idOversize = "index-oversize"

// nearly is the part of a limit, in percent, from which a build warns.
const nearly = 80

// Sizes are those of a published index.
type Sizes struct {
	Entries int
	Text    int64 // of index.json, in bytes
}

// Oversize reports an index that is too large to be read again, which is an error,
// or will soon be: programs refuse what is larger, so a build reports it first. Other
// repositories read less than a program reads of its own disk.
func Oversize(s Sizes) []diag.Diagnostic {
	const hint = "split the repository, cut documents into fewer sections, or archive packs that no task needs"
	var list []diag.Diagnostic
	add := func(severity diag.Severity, path, format string, args ...any) {
		list = append(list, diag.Diagnostic{ID: idOversize, Severity: severity, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	entries, text := int64(s.Entries), bytesize.Text
	switch {
	case s.Entries > indexjson.MaxEntries:
		add(diag.Error, "index.json", "the index has %d entries; at most %d are read", entries, indexjson.MaxEntries)
	case isNear(entries, indexjson.MaxEntries):
		add(diag.Warning, "index.json", "the index has %d entries; at most %d will be read", entries, indexjson.MaxEntries)
	}
	switch {
	case s.Text > indexjson.MaxIndex:
		add(diag.Error, "index.json", "the index is %s; at most %s are read", text(s.Text), text(indexjson.MaxIndex))
	case isNear(s.Text, indexjson.MaxIndex):
		add(diag.Warning, "index.json", "the index is %s; at most %s will be read", text(s.Text), text(indexjson.MaxIndex))
	case s.Text > indexjson.MaxFetched:
		add(diag.Warning, "index.json", "the index is %s; other repositories fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	case isNear(s.Text, indexjson.MaxFetched):
		add(diag.Warning, "index.json", "the index is %s; other repositories will fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	}
	return list
}

func isNear(n, limit int64) bool { return n*100 >= limit*nearly }
