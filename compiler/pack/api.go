// Package pack opens a knowledge pack on disk, safely: every read is confined
// to the pack root (agent-knowledge sections 2, 3, 12 and 18.1).
package pack

import (
	"io/fs"

	"go.yaml.in/yaml/v3"
)

// Pack is an opened knowledge pack. It holds metadata and the list of files,
// never their bodies.
type Pack struct {
	Dir       string    // the directory as the caller named it, for messages; may be "" for an fs.FS
	Meta      Knowledge // KNOWLEDGE.md's front matter
	Entry     []byte    // KNOWLEDGE.md as it is on disk
	Guide     int       // byte offset in EntryText where the guide (the Markdown body) starts
	EntryText []byte    // KNOWLEDGE.md decoded: no byte-order mark, LF line ends
	Files     []File    // every input and every file under compiled/, indexes/, runs/…, in path order

	fsys fs.FS
}

// File is one file of a pack. Names starting with "." are never listed.
type File struct {
	Path string // clean slash path relative to the pack root
	Size int64  // bytes
}

// Knowledge is the front matter of KNOWLEDGE.md (sections 3.2 and 3.3). Fields
// hold what was declared; "" means absent. Use the methods for effective values.
type Knowledge struct {
	Name, Description, Type, Status          string
	Profile, Version, Language, License      string
	Scope, Trust, Updated, Grounding         string
	RuntimeMode                              string // runtime.mode
	Maintainers                              []string
	Compatibility                            string
	PrimaryDocument                          string // metadata.primaryDocument
	PrimaryOntology, PrimaryAnswers          string
	ProducedBy                               *Producer
	Metadata                                 *yaml.Node // the metadata map, for metadata.loadout; nil when absent
}

// Producer is metadata.producedBy (section 3.6).
type Producer struct{ Kind, Name, Version, Digest string }
