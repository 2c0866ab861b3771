package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/packpath"
)

// Limits on the records of what is published.
const (
	MaxPackManifest  = 64 << 20  // bytes of a pack.json
	MaxPackFiles     = 100_000   // files that a pack.json lists
	MaxSiteManifest  = 256 << 20 // bytes of a manifest.json
	maxPublishedView = 10_000    // views that a pack.json lists
)

// PackManifest is pack.json, the record of a published pack. The same bytes are
// on the site and in the archive. It is not one of the files it lists.
type PackManifest struct {
	SchemaVersion int             `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Name          string          `json:"name" check:"required,nonempty"`
	Version       string          `json:"version,omitempty"`
	Profile       string          `json:"profile" check:"required" enum:"document-first|wiki-first|hybrid"`
	Status        Status          `json:"status" check:"required" enum:"draft|ready|needs-review|stale|disputed|archived"`
	Trust         string          `json:"trust,omitempty" enum:"unreviewed|user-confirmed|official|external"`
	Tree          string          `json:"tree" check:"required" form:"tree"` // "h1:" and the hash of the files in base64
	Views         []PublishedView `json:"views" check:"required"`            // in the order of compiled/index.json
	Files         []PublishedFile `json:"files" check:"required,nonempty"`   // in path order
}

// PublishedView is what was known of a view when the pack was published, its
// sources at hand: its status as agent-knowledge section 13.7 works it out, and
// what made it that.
type PublishedView struct {
	Path     string   `json:"path" check:"required,nonempty"`
	Status   Status   `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Warnings []string `json:"warnings,omitempty"`
}

// PublishedFile is a file of a published pack or site.
type PublishedFile struct {
	Path   string `json:"path" check:"required,nonempty"`        // relative to the pack or to the site, with slashes
	Size   int64  `json:"size" check:"required" min:"0"`         // bytes
	SHA256 string `json:"sha256" check:"required" form:"sha256"` // 64 lower-case hex digits
}

// SiteManifest is manifest.json, the list of the files of a published site, itself
// left out.
type SiteManifest struct {
	SchemaVersion int             `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Files         []PublishedFile `json:"files" check:"required"`                          // in path order
}

// The names of the records of what is published.
const (
	PackManifestName = "pack.json"
	SiteManifestName = "manifest.json"
)

// DecodePackManifest reads a pack.json of at most [MaxPackManifest] bytes, a closed
// object. Its files are in path order, each path one that [packpath.CheckPublished]
// takes. Faults are a *DecodeError. Whether the tree hash fits the files is not
// looked at.
func DecodePackManifest(data []byte) (*PackManifest, error) {
	m, err := decodeUpTo[PackManifest](data, MaxPackManifest)
	if err != nil {
		return nil, err
	}
	if err := checkFiles(m.Files, MaxPackFiles, packpath.CheckPublished); err != nil {
		return nil, err
	}
	if len(m.Views) > maxPublishedView {
		return nil, &DecodeError{Pointer: "/views", Line: 1, Column: 1, Message: fmt.Sprintf("more than %d views", maxPublishedView)}
	}
	if !isPackName(m.Name) {
		return nil, &DecodeError{Pointer: "/name", Line: 1, Column: 1, Message: fmt.Sprintf("%q is not the name of a pack", m.Name)}
	}
	return m, nil
}

// isPackName reports what may be the name of a pack, which is that of a folder
// wherever it is unpacked (agent-knowledge section 3.2).
func isPackName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return len(name) <= maxPackName && strings.Trim(name, letters) == "" && name != "" && packpath.CheckName(name) == nil
}

// maxPackName is how long the name of a pack may be, in bytes.
const maxPackName = 64

// DecodeSiteManifest reads a manifest.json of at most [MaxSiteManifest] bytes, a
// closed object. Its files are in path order, each path a clean relative path.
// Faults are a *DecodeError.
func DecodeSiteManifest(data []byte) (*SiteManifest, error) {
	m, err := decodeUpTo[SiteManifest](data, MaxSiteManifest)
	if err != nil {
		return nil, err
	}
	return m, checkFiles(m.Files, len(m.Files), packpath.Check)
}

// decodeUpTo reads one record that has a limit in bytes.
func decodeUpTo[T any](data []byte, limit int) (*T, error) {
	if len(data) > limit {
		return nil, &DecodeError{Line: 1, Column: 1, Message: fmt.Sprintf("the record is larger than %s", bytesize.Text(int64(limit)))}
	}
	return decode[T](data)
}

// PathError is the cause of a [DecodeError] about a path in a list of files.
type PathError struct {
	Path string // as listed. Hostile: print it escaped
	Err  error  // of package packpath
}

// Error returns what is wrong with the path.
func (e *PathError) Error() string { return e.Err.Error() }

// Unwrap returns the error of package packpath.
func (e *PathError) Unwrap() error { return e.Err }

// checkFiles checks what no JSON Schema can say of a list of files: paths that
// check takes, in order, none twice.
func checkFiles(files []PublishedFile, limit int, check func(path string) error) error {
	fault := func(i int, format string, args ...any) *DecodeError {
		return &DecodeError{Pointer: "/files/" + strconv.Itoa(i) + "/path", Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	}
	if len(files) > limit {
		return fault(limit, "more than %d files", limit)
	}
	for i, f := range files {
		if err := check(f.Path); err != nil {
			bad := fault(i, "%q: %v", f.Path, err)
			bad.Cause = &PathError{f.Path, err}
			return bad
		}
		if i > 0 && f.Path <= files[i-1].Path {
			return fault(i, "%q does not come after %q in path order", f.Path, files[i-1].Path)
		}
	}
	return nil
}
