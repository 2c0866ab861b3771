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
	LeftOut bool  // it was not published, since it would not be read
}

// Oversize reports an index that is too large to be read again, and so is left out of the
// site, or will soon be: programs refuse what is larger, so a build reports it first. Other
// repositories read less than a program reads of its own disk.
func Oversize(s Sizes) []diag.Diagnostic {
	const hint = "split the repository, cut documents into fewer sections, or archive packs that no task needs"
	var list []diag.Diagnostic
	add := func(format string, args ...any) {
		list = append(list, diag.Diagnostic{ID: idOversize, Severity: diag.Warning, Path: "index.json", Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	entries, text := int64(s.Entries), bytesize.Text
	if s.LeftOut {
		add("the site has no index.json: the index has %d entries; at most %d, in %s, are read", entries, indexjson.MaxEntries, text(indexjson.MaxIndex))
		list[0].Hint = "split the repository, or ask packs by name: packgen match --from DIR, packgen resolve --pack NAME"
		return list
	}
	if isNear(entries, indexjson.MaxEntries) {
		add("the index has %d entries; at most %d will be read", entries, indexjson.MaxEntries)
	}
	switch {
	case isNear(s.Text, indexjson.MaxIndex):
		add("the index is %s; at most %s will be read", text(s.Text), text(indexjson.MaxIndex))
	case s.Text > indexjson.MaxFetched:
		add("the index is %s; other repositories fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	case isNear(s.Text, indexjson.MaxFetched):
		add("the index is %s; other repositories will fetch at most %s from a site", text(s.Text), text(indexjson.MaxFetched))
	}
	return list
}

func isNear(n, limit int64) bool { return n*100 >= limit*nearly }
