package archive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// NewManifest makes the record of a published pack from its files, which may come
// in any order, and what is known of its views. It is an error when the record
// would not be read again: no files, too many, or two under one path.
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

// ManifestFiles returns the files of a manifest in path order.
func ManifestFiles(m *schema.PackManifest) []File {
	list := make([]File, len(m.Files))
	for i, f := range m.Files {
		list[i] = File(f)
	}
	return list
}
