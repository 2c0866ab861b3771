// Package pack opens a knowledge pack on disk, safely: every read is confined
// to the pack root, and every fault of KNOWLEDGE.md becomes a diagnostic with a
// place (agent-knowledge sections 2, 3, 12 and 18.1).
package pack

import (
	"io/fs"

	"github.com/packgen/packgen/compiler/diag"
)

// Pack is an opened knowledge pack. It holds metadata and the list of files,
// never their bodies. Its methods may be called from several goroutines.
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

// Open opens the pack in a directory.
func Open(dir string) (*Pack, []diag.Diagnostic, error) { return nil, nil, nil }

// OpenFS opens the pack at the root of a file system; dir is its name in
// messages.
func OpenFS(fsys fs.FS, dir string) (*Pack, []diag.Diagnostic, error) { return nil, nil, nil }

// Close releases the directory handle that Open took.
func (p *Pack) Close() error { return nil }

// ReadFile returns the bytes of one file, at most MaxFileSize of them.
func (p *Pack) ReadFile(path string) ([]byte, error) { return nil, nil }

// SHA256 returns the lower-case hex digest of one file of any size.
func (p *Pack) SHA256(path string) (string, error) { return "", nil }

// Has reports whether the pack lists that file.
func (p *Pack) Has(path string) bool { return false }

// List returns the files below a directory, in path order; "" lists all.
func (p *Pack) List(dir string) []File { return nil }

// Find lists the pack directories below root that match a pattern.
func Find(root string, patterns []string) ([]string, []diag.Diagnostic, error) { return nil, nil, nil }
