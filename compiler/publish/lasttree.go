package publish

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// treeName is the file of a state directory that holds the digests of a target.
const treeName = "files"

// lastTree is what is known of the files that earlier runs have put into a target.
type lastTree struct {
	target   *diskTree
	manifest string           // its path; "" without one
	files    *store.LargeTree // those of the last run, with sizes and digests; nil without a manifest
	known    *store.LargeTree // digests of unchanged files
	pending  *store.LargeTree // what interrupted runs have put, or were to delete
}

// claim reads the manifest, and refuses a target that holds something but no
// manifest.
func (l *lastTree) claim(stateDir string) error {
	if !l.recallManifest() {
		old, err := readManifest(l.target, l.manifest)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotOurs, err)
		}
		l.files = old
	}
	if l.pending != nil {
		return l.addPending()
	}
	if l.files != nil {
		return nil
	}
	ours := ""
	if rel, err := filepath.Rel(l.target.dir, stateDir); err == nil {
		ours, _, _ = strings.Cut(filepath.ToSlash(rel), "/")
	}
	empty, err := l.target.empty(ours, stageInTarget, probeName)
	if err != nil {
		return err
	}
	if !empty {
		return fmt.Errorf("%w (no %s in it)", ErrNotOurs, l.manifest)
	}
	return nil
}

// recallManifest takes the list of the files that an earlier run wrote from what is
// known, the manifest among them, when nobody has touched that since.
func (l *lastTree) recallManifest() bool {
	f := l.known.Find(l.manifest)
	if f == nil {
		return false
	}
	at, err := l.target.look(l.manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) && !l.target.holds(f, at) {
		return false
	}
	for f := range l.known.All {
		if checkPath(f.Path) != nil {
			return false
		}
	}
	if l.known.Err() != nil {
		return false
	}
	l.files = l.known
	return true
}

// sameManifest returns the manifest that is in the target when it is known to
// be the one of the new tree; otherwise nil.
func (l *lastTree) sameManifest(list files, last int32) *entry {
	f := l.known.Find(l.manifest)
	if f == nil || len(list.order)+1 != l.known.Len() {
		return nil
	}
	for e := range list.all {
		if old := l.known.Find(e.path); old == nil || old.Sum != e.sum || old.Stat.Size != e.size {
			return nil
		}
	}
	at, err := l.target.look(l.manifest)
	if err != nil || !at.exists || !f.AtRest(at.stat) {
		return nil
	}
	return &entry{path: l.manifest, change: Unchanged, stat: &at.stat, size: at.stat.Size, sum: f.Sum, last: last}
}

// addPending adds to the files of the last manifest those that an interrupted run has put,
// or was to delete. Of a file that both list, it takes what is in the target.
func (l *lastTree) addPending() error {
	last := l.files
	all, err := store.NewLargeTree(func(yield func(store.File, error) bool) {
		var next *store.File // the best one of its path
		for f := range inPathOrder(last.All, l.pending.All) {
			switch {
			case next == nil || next.Path != f.Path:
				if next != nil && !yield(*next, nil) {
					return
				}
				next = f
			case l.target.isThere(f):
				next = f
			}
		}
		if next != nil {
			yield(*next, nil)
		}
	})
	if last != l.known {
		_ = last.Close()
	}
	l.files = all
	return err
}

// isKnown reports whether a file of the target is known to hold what it should.
func (l *lastTree) isKnown(e *entry, at found) bool {
	f := l.known.Find(e.path)
	return f.AtRest(at.stat) && f.Sum == e.sum
}

// untouched returns a file that the last run wrote, and what is there; nil when somebody
// has changed or removed it since.
func (l *lastTree) untouched(path string) (*store.File, found) {
	last := l.file(path)
	if last == nil {
		return nil, found{}
	}
	at, err := l.target.look(path)
	if err != nil || !at.exists || at.stat.Size != last.Stat.Size {
		return nil, at
	}
	if f := l.known.Find(path); (f == nil || f.Sum != last.Sum || !f.AtRest(at.stat)) && !l.target.holds(last, at) {
		return nil, at
	}
	return last, at
}

// file returns a file that the last run wrote; nil when it wrote no such file.
func (l *lastTree) file(path string) *store.File {
	if path == l.manifest {
		return nil
	}
	return l.files.Find(path)
}

// close lets the trees go.
func (l *lastTree) close() {
	for _, tree := range []*store.LargeTree{l.files, l.known, l.pending} {
		_ = tree.Close()
	}
}

// holds reports whether a file that somebody may have touched holds what it did.
func (t *diskTree) holds(f *store.File, at found) bool {
	return at.stat.Size == f.Stat.Size && f.Sum.Known() && t.sum(f.Path) == f.Sum
}

// isThere reports whether the target has a file as it is listed.
func (t *diskTree) isThere(f *store.File) bool {
	at, err := t.look(f.Path)
	return err == nil && at.exists && t.holds(f, at)
}

// exists reports whether the target has a file of that path.
func (t *diskTree) exists(path string) bool {
	at, err := t.look(path)
	return err == nil && at.exists
}

// sum returns the digest of a file; the unknown one when it cannot be read.
func (t *diskTree) sum(path string) store.Digest {
	in, _, err := regularfile.Open(t.abs(path))
	if err != nil {
		return store.Digest{}
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return store.Digest{}
	}
	return store.Digest(sum.Sum(nil))
}

// Kept is a file of a target with its digest.
type Kept struct {
	Path string
	Sum  [sha256.Size]byte
}

// Last implements [Target]; the tree of a target without a manifest is not known.
func (t *Tx) Last(dir string) []string {
	var list []string
	for f := range t.last.files.From(dir) {
		if !strings.HasPrefix(f.Path, dir) {
			break
		}
		list = append(list, f.Path)
	}
	return list
}

// ReadLast implements [Target].
func (t *Tx) ReadLast(path string) ([]byte, error) {
	last := t.last.file(path)
	if last == nil {
		return nil, fmt.Errorf("read %s of the last run: it wrote no such file", path)
	}
	at, err := t.target.look(path)
	if err != nil {
		return nil, fmt.Errorf("read %s of the last run: %w", path, err)
	}
	if at.exists && at.stat.Size == last.Stat.Size {
		data, err := readLimited(t.target.abs(path), last.Stat.Size)
		if err != nil {
			return nil, fmt.Errorf("read %s of the last run: %w", path, err)
		}
		if store.Digest(sha256.Sum256(data)) == last.Sum {
			return data, nil
		}
	}
	return nil, fmt.Errorf("read %s of the last run: it has been changed since", path)
}

// LastSum implements [Target].
func (t *Tx) LastSum(path string) (Kept, bool) {
	last, _ := t.last.untouched(path)
	if last == nil {
		return Kept{}, false
	}
	return Kept{path, last.Sum}, true
}

// Keep implements [Target].
func (t *Tx) Keep(files ...Kept) bool {
	found := make([]struct {
		*store.File
		at store.Stat
	}, len(files))
	for i := range files {
		f, at := t.last.untouched(files[i].Path)
		if f == nil || f.Sum != files[i].Sum {
			return false
		}
		found[i].File, found[i].at = f, at.stat
	}
	for i := range found {
		// The path that is known is held anyway; the other one is a part of a list.
		if !t.keep(found[i].File, &found[i].at) {
			break // Commit says why
		}
	}
	return true
}

// keep adds a file to the new tree as it is.
func (t *Tx) keep(f *store.File, at *store.Stat) bool {
	e, err := t.reserve(f.Path, false)
	if err != nil {
		_ = t.fail(fmt.Errorf("publish %s: %w", f.Path, err))
		return false
	}
	e.change, e.stat, e.size, e.sum = Unchanged, at, at.Size, f.Sum
	t.next.enter(e)
	return true
}

// Sum implements [Target].
func (t *Tx) Sum(path string) (Kept, bool) {
	t.next.mu.Lock()
	defer t.next.mu.Unlock()
	at := t.next.entries.find(fold(path))
	if at < 0 || t.next.entries.path(at) != path {
		return Kept{}, false
	}
	e := t.next.entries.get(at)
	return Kept{path, e.sum}, !e.refused
}

// PackKept writes a list of files.
func PackKept(w *store.Writer, files []Kept) {
	w.Uint(len(files))
	for i := range files {
		w.Str(files[i].Path)
		w.Digest(files[i].Sum)
	}
}

// UnpackKept reads what PackKept wrote.
func UnpackKept(r *store.Reader) []Kept {
	files := make([]Kept, r.CountOf(1+sha256.Size))
	for i := range files {
		files[i] = Kept{r.Str(), r.Digest()}
	}
	return files
}

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
