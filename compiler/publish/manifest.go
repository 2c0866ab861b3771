package publish

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// manifestVersion is the schema_version of the manifests we write and read.
const manifestVersion = 1

// A manifest lists the files of a published tree in path order, itself left out: an object
// with schema_version and files, a list of these.
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

// maxManifestFile is how many bytes the text of one file in a manifest has at most.
const maxManifestFile = 64 << 10

// manifestReader reads a manifest of ours file by file: that of a large site is larger than
// what may be in memory. The paths are checked: a manifest is a list of files that will be
// deleted.
type manifestReader struct {
	dec  *json.Decoder
	room *rationed
	last string // the path before
}

// rationed is a reader that ends with an error after some bytes, unless it is given more.
type rationed struct {
	in   io.Reader
	left int
}

func (r *rationed) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, errors.New("a value is too long")
	}
	n, err := r.in.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

func newManifestReader(in io.Reader) *manifestReader {
	room := &rationed{in: in}
	dec := json.NewDecoder(room)
	dec.DisallowUnknownFields()
	return &manifestReader{dec: dec, room: room}
}

// files yields the files. The last pair has an error when we did not write the manifest.
func (r *manifestReader) files(yield func(f store.File, err error) bool) {
	if err := r.object(func(f store.File) bool { return yield(f, nil) }); err != nil && err != errStopped {
		yield(store.File{}, err)
	}
}

// errStopped says that nobody wants to see more files.
var errStopped = errors.New("stopped")

// object reads the manifest.
func (r *manifestReader) object(yield func(f store.File) bool) error {
	if err := r.delim('{'); err != nil {
		return err
	}
	version, listed := 0, false
	for r.more() {
		r.room.left = maxManifestFile
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		switch {
		case key == "schema_version" && version == 0:
			if err := r.dec.Decode(&version); err != nil {
				return err
			}
		case key == "files" && !listed:
			listed = true
			if err := r.list(yield); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%q does not belong here", key)
		}
	}
	if err := r.delim('}'); err != nil {
		return err
	}
	if version != manifestVersion {
		return fmt.Errorf("schema_version is %d, want %d", version, manifestVersion)
	}
	return nil
}

// list reads the list of files.
func (r *manifestReader) list(yield func(f store.File) bool) error {
	if err := r.delim('['); err != nil {
		return err
	}
	for r.more() {
		f, err := r.file()
		if err != nil {
			return err
		}
		if !yield(f) {
			return errStopped
		}
	}
	return r.delim(']')
}

func (r *manifestReader) more() bool {
	r.room.left = maxManifestFile
	return r.dec.More()
}

// delim reads a delimiter.
func (r *manifestReader) delim(want json.Delim) error {
	r.room.left = maxManifestFile
	got, err := r.dec.Token()
	if err == nil && got != want {
		err = fmt.Errorf("%v where %v is expected", got, want)
	}
	return err
}

// file reads a file of the list.
func (r *manifestReader) file() (store.File, error) {
	r.room.left = maxManifestFile
	var f manifestFile
	if err := r.dec.Decode(&f); err != nil {
		return store.File{}, err
	}
	if err := checkPath(f.Path); err != nil {
		return store.File{}, err
	}
	if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 {
		return store.File{}, fmt.Errorf("%s: sha256 is not 64 hex digits", f.Path)
	}
	if f.Path <= r.last {
		return store.File{}, fmt.Errorf("%s follows %s, and is not after it in path order", f.Path, r.last)
	}
	r.last = f.Path
	return store.File{Path: f.Path, Stat: store.Stat{Size: f.Size}, Sum: store.ParseDigest(f.SHA256)}, nil
}

// readManifest returns the files that the manifest of the target lists; nil when there is
// none.
func readManifest(t *diskTree, path string) (*store.LargeTree, error) {
	at, err := t.look(path)
	if err != nil || !at.exists {
		return nil, err
	}
	in, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	list, err := store.NewLargeTree(newManifestReader(bufio.NewReaderSize(io.LimitReader(in, at.stat.Size), manifestBuffer)).files)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.abs(path), err)
	}
	return list, nil
}

// manifestBuffer is how many bytes of a manifest are read at once.
const manifestBuffer = 64 << 10

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
