package pack

import (
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/schema"
)

// archiveName is the archive that is beside pack.json where a pack is
// published.
const archiveName = "pack.tar.gz"

// isRecord reports the files at the root of a pack that describe it as a published
// whole: they are not part of it.
func isRecord(name string) bool { return name == schema.PackManifestName || name == archiveName }

// archived is what pack.json says of a pack that was published and unpacked
// elsewhere. It is read when it is first needed.
type archived struct {
	once   sync.Once
	listed map[string]bool // nil for a pack that is not from an archive
}

// LeftOut reports a file of sources/, or the folder itself, that this pack has not
// because it comes from an archive without it: a pack.json at the root says which
// files were published. Whoever published the pack had the file; that it is absent
// here is not a fault.
func (p *Pack) LeftOut(path string) bool {
	path = strings.TrimSuffix(path, "/")
	if path != "sources" && !strings.HasPrefix(path, "sources/") || p.Has(path) || p.HasDir(path) {
		return false
	}
	p.archived.once.Do(func() {
		data, err := p.ReadFile(schema.PackManifestName)
		if err != nil {
			return
		}
		m, err := schema.DecodePackManifest(data)
		if err != nil || m.Name != p.Meta.Name {
			return // another program's file
		}
		p.archived.listed = map[string]bool{}
		for _, f := range m.Files {
			if strings.HasPrefix(f.Path, "sources/") {
				p.archived.listed[f.Path] = true
			}
		}
	})
	return p.archived.listed != nil && !p.archived.listed[path]
}
