package archive

import (
	"maps"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// ArchiveName is the file beside pack.json on a site that holds the pack.
const ArchiveName = "pack.tar.gz"

// PublishOptions say what of a pack is published. The zero value publishes neither
// sources/ nor runs but the newest compile.
type PublishOptions struct {
	Sources bool // sources/ too
	Runs    bool // every record of runs/, not only the newest compile run
	Run     string
	// Index is compiled/index.json as it is published: of compiled/, what it lists
	// goes out. Nil takes the files as the pack lists them.
	Index *schema.Index
	// Withheld reports a file that must not be published, such as one with a
	// secret in it; nil withholds none.
	Withheld func(path string) bool
}

// Published returns the paths of the files of a pack that are published, in path
// order: all of its files but sources/, runs other than the newest compile, what
// is withheld, and pack.json and pack.tar.gz themselves. Files that o.Index and
// o.Run name are among them whether the pack lists them already or not.
func Published(p *pack.Pack, o PublishOptions) []string {
	paths := map[string]bool{}
	newest := o.Run
	if newest == "" && !o.Runs {
		newest = newestRun(p)
	}
	for _, f := range p.Files {
		switch top, _, _ := strings.Cut(f.Path, "/"); {
		case top == "sources" && !o.Sources:
		case top == "runs" && !o.Runs && f.Path != newest:
		case top == "compiled" && o.Index != nil:
		case f.Path == schema.PackManifestName, f.Path == ArchiveName:
		default:
			paths[f.Path] = true
		}
	}
	if o.Run != "" {
		paths[o.Run] = true
	}
	if o.Index != nil {
		paths["compiled/index.json"] = true
		paths["indexes/source-map.json"] = true
		for _, v := range o.Index.Views {
			paths[v.Path] = true
		}
		for _, s := range o.Index.Splits {
			paths[s.Path] = true
		}
	}
	if o.Withheld != nil {
		maps.DeleteFunc(paths, func(path string, _ bool) bool { return o.Withheld(path) })
	}
	return slices.Sorted(maps.Keys(paths))
}

// newestRun returns the path of the newest compile run that the pack lists, ""
// when there is none.
func newestRun(p *pack.Pack) string {
	newest, path := schema.RunName{}, ""
	for _, f := range p.List("runs") {
		stem, ok := strings.CutSuffix(strings.TrimPrefix(f.Path, "runs/"), ".json")
		if !ok || strings.Contains(stem, "/") {
			continue
		}
		name, err := schema.ParseRunName(stem)
		if err != nil || name.Kind != "compile" || path != "" && schema.CompareRunNames(name, newest) <= 0 {
			continue
		}
		newest, path = name, f.Path
	}
	return path
}
