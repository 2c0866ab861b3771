package archive

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

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
