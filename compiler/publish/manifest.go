package publish

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regular"
)

// manifestVersion is the schema_version of the manifests we write and read.
const manifestVersion = 1

// maxManifest is the largest manifest or journal that is read, in bytes.
const maxManifest = 256 << 20

// manifest lists the files of a published tree, itself left out.
type manifest struct {
	SchemaVersion int            `json:"schema_version"`
	Files         []manifestFile `json:"files"` // in path order
}

type manifestFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // 64 lower-case hex digits
}

// encode writes the manifest with one file a line, so that two manifests can be
// compared by eye and by diff.
func (m manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"schema_version\":%d,\"files\":[", m.SchemaVersion)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i, f := range m.Files {
		if i > 0 {
			b.Truncate(b.Len() - 1) // the encoder's line end
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		if err := enc.Encode(f); err != nil {
			return nil, fmt.Errorf("encode manifest: %w", err)
		}
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

// decodeManifest reads a manifest of ours. Its paths are checked: a manifest is
// a list of files that will be deleted.
func decodeManifest(data []byte) (manifest, error) {
	var m manifest
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&m); err != nil {
		return manifest{}, err
	}
	if m.SchemaVersion != manifestVersion {
		return manifest{}, fmt.Errorf("schema_version is %d, want %d", m.SchemaVersion, manifestVersion)
	}
	for _, f := range m.Files {
		if err := checkPath(f.Path); err != nil {
			return manifest{}, err
		}
		if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 {
			return manifest{}, fmt.Errorf("%s: sha256 is not 64 hex digits", f.Path)
		}
	}
	return m, nil
}

// readManifest returns the manifest of the target; ok is false when there is
// none.
func readManifest(t *target, path string) (m manifest, ok bool, err error) {
	at, err := t.look(path)
	if err != nil || !at.exists {
		return manifest{}, false, err
	}
	data, err := readLimited(t.abs(path), maxManifest)
	if err != nil {
		return manifest{}, false, err
	}
	m, err = decodeManifest(data)
	if err != nil {
		return manifest{}, false, fmt.Errorf("read %s: %w", t.abs(path), err)
	}
	return m, true, nil
}

// readLimited reads a file of at most limit bytes.
func readLimited(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: regular.ErrFile}
	}
	if info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %s", bytesize.Text(int64(limit)))}
	}
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
