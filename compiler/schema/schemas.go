package schema

import (
	"embed"
	"io/fs"
)

//go:embed json/*.schema.json
var files embed.FS

// Schemas returns the JSON Schemas (draft 2020-12) of the records, at the root
// of a file system: compile-run.schema.json (section 9), run-list.schema.json, source-map.schema.json
// (section 8.1), compiled-index.schema.json (section 6.7),
// context-resolution.schema.json (section 10), discovery-eval.schema.json
// (section 11.1), eval-run.schema.json (section 11.2), catalog.schema.json
// (section 12.4), lint.schema.json (section 15), health.schema.json (section 16),
// of what is published: pack-manifest.schema.json (pack.json) and
// site-manifest.schema.json (manifest.json), and lock.schema.json (packgen.lock).
func Schemas() fs.FS {
	sub, err := fs.Sub(files, "json")
	if err != nil { // "json" is a valid path, so this cannot happen
		return files
	}
	return sub
}
