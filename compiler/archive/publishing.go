package archive

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
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

// The rules of findings about what no reader of archives takes.
const (
	RuleName    = "published-path"     // a name of the pack: it cannot be unpacked
	RuleLeftOut = "published-left-out" // a file: the pack is published without it
)

// leftOut drops from the paths of a pack those that no reader of published packs
// takes: outside the layout of a pack, or with a name that some system cannot hold
// or that a tool obeys, or that is one with the path before it on some system. There is a
// finding for each. The index, which may be nil, says from which document a split was cut, so
// that the fault of a document is reported once.
func leftOut(name string, paths []string, index *schema.Index) ([]string, []diag.Diagnostic) {
	var found []diag.Diagnostic
	report := func(id string, severity diag.Severity, path, message, hint string) {
		found = append(found, diag.Diagnostic{ID: id, Severity: severity, Pack: name, Path: path, Message: message, Hint: hint})
	}
	if r := checkPart(name, name); r != nil {
		report(RuleName, diag.Error, pack.EntryName, "the pack cannot be unpacked: "+r.Message, "rename the pack")
	}
	limits := Limits{}.withDefaults()
	limits.Files = len(paths) * (limits.Depth + 1) // their number is not checked here
	limits.PathBytes -= len(name) + 1
	limits.Depth--
	known := newNames(limits)
	bad := map[string]*Refusal{}
	kept := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		if r := publishable(known, path); r != nil {
			bad[path] = r
		}
		return bad[path] != nil
	})
	documents := map[string]string{} // by the path of a split
	if index != nil && len(bad) > 0 {
		for i := range index.Splits {
			documents[index.Splits[i].Path] = index.Splits[i].Document
		}
	}
	const what = "is left out of what is published"
	for _, path := range paths {
		r, document := bad[path], documents[path]
		switch {
		case r == nil:
		case document == "":
			report(RuleLeftOut, diag.Warning, path, fmt.Sprintf("the file %s: %s", what, r.Message), r.Hint)
		case bad[document] == nil:
			report(RuleLeftOut, diag.Warning, document, fmt.Sprintf("the split %s %s: %s", shown(path), what, r.Message), "rename the heading that the split begins with")
		}
	}
	diag.Sort(found)
	return kept, found
}

// publishable refuses a path that no published pack may have beside those known.
func publishable(known *names, path string) *Refusal {
	switch err := packpath.CheckPublished(path); {
	case errors.Is(err, packpath.ErrLayout):
		return refuse(ruleLayout, path, "move it below one of the folders of a pack, or out of the pack", "%s", shown(err.Error()))
	case err != nil:
		return refuse(RulePath, path, "rename the file", "%s", shown(err.Error()))
	}
	if r := known.add(path, false); r != nil {
		r.Path, r.Hint = path, "rename the file"
		return r
	}
	return nil
}

// NewManifest makes the record of a published pack from its files, which may come
// in any order, and what is known of its views. It is an error when the record
// would not be read again: no files, too many, two under one path, or a path that
// [packpath.CheckPublished] refuses.
func NewManifest(p *pack.Pack, views []schema.PublishedView, files []File) (*schema.PackManifest, error) {
	m := &schema.PackManifest{
		SchemaVersion: 1, Name: p.Meta.Name, Version: p.Meta.Version, Profile: p.Meta.EffectiveProfile(),
		Status: p.Meta.Status, Trust: p.Meta.Trust, Tree: TreeHash(files), Views: views,
		Files: make([]schema.PublishedFile, len(files)),
	}
	for i, f := range files {
		m.Files[i] = schema.PublishedFile(f)
	}
	slices.SortFunc(m.Files, func(a, b schema.PublishedFile) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		if err := packpath.CheckPublished(f.Path); err != nil {
			return nil, fmt.Errorf("make %s of %s: %s: %w", schema.PackManifestName, m.Name, f.Path, err)
		}
	}
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("make %s of %s: it has no files", schema.PackManifestName, m.Name)
	case len(files) > schema.MaxPackFiles:
		return nil, fmt.Errorf("make %s of %s: %d files are more than the %d that one may list", schema.PackManifestName, m.Name, len(files), schema.MaxPackFiles)
	}
	for i := range m.Files[1:] {
		if m.Files[i].Path == m.Files[i+1].Path {
			return nil, fmt.Errorf("make %s of %s: %s is listed twice", schema.PackManifestName, m.Name, m.Files[i].Path)
		}
	}
	return m, nil
}

// ReadManifest reads a pack.json. What it lists must be what a published pack may
// hold ([packpath.CheckPublished]), without two paths that are one file on some
// system. The error is a *Refusal whose path is that of pack.json or of the file at
// fault. Whether the tree hash fits the list is for the caller.
func ReadManifest(data []byte) (*schema.PackManifest, error) {
	const hint = "leave this pack alone, or have it published again with a current packgen, which leaves the file out"
	m, err := schema.DecodePackManifest(data)
	var bad *schema.PathError
	switch {
	case errors.As(err, &bad) && errors.Is(bad, packpath.ErrLayout):
		return nil, refuse(ruleLayout, bad.Path, hint, "%s", shown(bad.Error()))
	case errors.As(err, &bad):
		return nil, refuse(RulePath, bad.Path, hint, "%s", shown(bad.Error()))
	case err != nil:
		return nil, refuse(RuleManifest, schema.PackManifestName, hintChanged, "the record cannot be read: %s", shown(err.Error()))
	}
	limits := Limits{}.withDefaults()
	limits.Files = len(m.Files) * (limits.Depth + 1) // their number was checked above
	known := newNames(limits)
	for _, f := range m.Files {
		if r := known.add(f.Path, false); r != nil {
			return nil, r
		}
	}
	return m, nil
}

// ManifestFiles returns the files of a manifest in path order.
func ManifestFiles(m *schema.PackManifest) []File { return publishedFiles(m.Files) }
