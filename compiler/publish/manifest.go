package publish

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
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

// writeManifest writes the manifest of files in path order, one a line, so that two
// manifests can be compared by eye and by diff.
func writeManifest(w io.Writer, list files) error {
	lines := bufio.NewWriter(w)
	fmt.Fprintf(lines, "{\"schema_version\":%d,\"files\":[", manifestVersion)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	between := "\n"
	for e := range list.all {
		b.Reset()
		if err := enc.Encode(manifestFile{e.path, e.size, hex.EncodeToString(e.sum[:])}); err != nil {
			return fmt.Errorf("encode manifest: %w", err)
		}
		_, _ = lines.WriteString(between)
		_, _ = lines.Write(b.Bytes()[:b.Len()-1]) // the end of the line follows
		between = ",\n"
	}
	if len(list.order) > 0 {
		_ = lines.WriteByte('\n')
	}
	_, _ = lines.WriteString("]}\n")
	return lines.Flush()
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
		return nil, &fs.PathError{Op: "read", Path: path, Err: regularfile.ErrFile}
	}
	if info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %s", bytesize.Text(int64(limit)))}
	}
	f, _, err := regularfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}
