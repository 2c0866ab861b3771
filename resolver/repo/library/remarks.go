package library

import (
	"path"
	"slices"

	"github.com/packgen/packgen/compiler/pack"
	resolver "github.com/packgen/packgen/resolver/context"
)

// Remarks are the warnings of a resolution with paths that a person can open.
// The same warning about several packs is one warning with all of their paths.
func Remarks(r *resolver.Resolution) []resolver.Warning {
	if len(r.Activated) == 0 { // about the repository, not about a file
		list := slices.Concat(r.Warnings, r.CompileWarnings)
		for i := range list {
			list[i].Path = ""
		}
		return list
	}
	var list []resolver.Warning
	add := func(a *resolver.Activated, of []resolver.Warning) {
		for _, w := range of {
			same := -1
			if w.Path == pack.EntryName {
				same = slices.IndexFunc(list, func(o resolver.Warning) bool { return o.Severity == w.Severity && o.Message == w.Message })
			}
			w.Path = path.Join(a.Dir, w.Path)
			if same >= 0 {
				list[same].Path += ", " + w.Path
				continue
			}
			list = append(list, w)
		}
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].Warnings)
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].CompileWarnings)
	}
	return list
}
