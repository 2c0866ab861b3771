package archive

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// ArchiveName is the file beside pack.json on a site that holds the pack.
const ArchiveName = "pack.tar.gz"

// PublishOptions say what of a pack is published. The zero value publishes neither
// sources/ nor runs but the newest compile, which is a record and its ledger.
type PublishOptions struct {
	Sources bool   // sources/ too
	Runs    bool   // every record of runs/, not only the newest compile run
	Run     string // the newest compile run; "" looks for it
	Ledger  string // that of Run, where it exists
	// Index is compiled/index.json as it is published: of compiled/, what it lists
	// goes out. Nil reads the one of the pack, and of what that lists takes the files
	// that exist; without one, all of compiled/ goes out.
	Index *schema.Index
	// Withheld reports a file that must not be published, such as one with a
	// secret in it; nil withholds none.
	Withheld func(path string) bool
}

// Published returns the paths of the files of a pack that are published, in path
// order: all of its files but sources/, runs other than the newest compile, what
// is withheld, and pack.json and pack.tar.gz themselves. Files that o.Index and
// o.Run and o.Ledger name are among them whether the pack lists them already or not. What no
// reader of published packs would take is left out, with a finding each; an error
// among them says that the pack as a whole cannot be published.
func Published(p *pack.Pack, o PublishOptions) ([]string, []diag.Diagnostic) {
	paths := map[string]bool{}
	newest := o.Run
	if newest == "" && !o.Runs {
		newest = schema.NewestCompile(func(yield func(string) bool) {
			for _, f := range p.List("runs") {
				if path.Dir(f.Path) == "runs" && !yield(f.Path) {
					return
				}
			}
		})
	}
	index := o.Index
	if index == nil {
		index = ownIndex(p)
	}
	for _, f := range p.Files {
		switch top, _, _ := strings.Cut(f.Path, "/"); {
		case top == "sources" && !o.Sources:
		case top == "runs" && !o.Runs && f.Path != newest && f.Path != schema.RunLedgerPath(newest):
		case top == "compiled" && index != nil:
		case f.Path == schema.PackManifestName, f.Path == ArchiveName:
		default:
			paths[f.Path] = true
		}
	}
	if o.Run != "" {
		paths[o.Run] = true
	}
	if o.Ledger != "" {
		paths[o.Ledger] = true
	}
	for _, path := range listedIn(index) {
		if o.Index != nil || p.Has(path) {
			paths[path] = true
		}
	}
	if o.Withheld != nil {
		maps.DeleteFunc(paths, func(path string, _ bool) bool { return o.Withheld(path) })
	}
	return leftOut(p.Meta.Name, slices.Sorted(maps.Keys(paths)), index)
}

// ownIndex reads compiled/index.json of a pack; nil when there is none that can be
// read.
func ownIndex(p *pack.Pack) *schema.Index {
	if !p.Has(pack.IndexPath) {
		return nil
	}
	data, err := p.ReadFile(pack.IndexPath)
	if err != nil {
		return nil
	}
	index, err := schema.DecodeIndex(data)
	if err != nil {
		return nil
	}
	return index
}

// listedIn returns the outputs of a compile, except runs: what its index lists below
// compiled/, the index and the source map. A nil index lists nothing.
func listedIn(index *schema.Index) []string {
	if index == nil {
		return nil
	}
	list := []string{pack.IndexPath, pack.SourceMapPath}
	for _, v := range index.Views {
		list = append(list, v.Path)
	}
	for _, s := range index.Splits {
		list = append(list, s.Path)
	}
	return slices.DeleteFunc(list, func(path string) bool {
		return !strings.HasPrefix(path, "compiled/") && path != pack.SourceMapPath
	})
}
