package archive

import (
	"archive/tar"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// errChanged says that a file is not any more what was listed.
var errChanged = errors.New("it changed while the archive was being written")

// gzipLevel is the fastest level. A pack is text, which it makes four to five
// times smaller; the best one needs four times as long for a third less, and
// packing would take far longer than reading the files. It is part of the format:
// the bytes of an archive depend on it, and on the compressor.
const gzipLevel = gzip.BestSpeed

// WriteTarGz writes the archive of a pack: below the folder name first pack.json,
// whose bytes are given, then the files in path order. The bytes depend on the
// names and contents alone: owner, mode and time are fixed. Files are opened and
// closed one by one and never held whole; one whose bytes are not those listed is an
// error.
func WriteTarGz(w io.Writer, name string, manifest []byte, files []File, open func(path string) (io.ReadCloser, error)) error {
	z, err := gzip.NewWriterLevel(w, gzipLevel)
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}

	t := tarWriter{Writer: tar.NewWriter(z), top: name + "/", buf: make([]byte, 64<<10)}
	record := File{schema.PackManifestName, int64(len(manifest)), SHA256(manifest)}
	if err := t.file(record, func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(manifest)), nil }); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		if err := t.file(f, open); err != nil {
			return fmt.Errorf("archive %s of %s: %w", f.Path, name, err)
		}
	}
	if err = t.Close(); err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

// tarWriter writes the entries of one pack.
type tarWriter struct {
	*tar.Writer
	top string // the folder everything is in, with a final slash
	buf []byte
}

// file writes one file and checks that it is the one listed.
func (t *tarWriter) file(f File, open func(path string) (io.ReadCloser, error)) error {
	r, err := open(f.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	// USTAR is used where it can hold the name, otherwise PAX.
	head := &tar.Header{Typeflag: tar.TypeReg, Name: t.top + f.Path, Size: f.Size, Mode: 0o644, ModTime: time.Unix(0, 0)}
	if err := t.WriteHeader(head); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.CopyBuffer(onlyWriter{io.MultiWriter(t.Writer, sum)}, io.LimitReader(r, f.Size), t.buf)
	if err != nil {
		return err
	}
	more, err := r.Read(t.buf[:1])
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n != f.Size || more != 0 || hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return errChanged
	}
	return nil
}

// onlyWriter hides what else a writer can do, so that the given buffer is used.
type onlyWriter struct{ io.Writer }

// Found is a published pack in a tree.
type Found struct {
	Dir            string // folder of pack.json in the tree, "." for the root
	Name           string // the pack's name, as pack.json says
	Manifest       *schema.PackManifest
	ManifestSHA256 string // digest of the bytes of pack.json, 64 lower-case hex digits
	Tree           string // tree hash "h1:..."; verified when Archive is "", otherwise as pack.json says
	Files          []File // the pack's files without pack.json, relative to Dir, in path order; nil when Archive is set
	Archive        string // path in the tree of the pack.tar.gz that holds the pack, "" when the files are in the tree
}

// The names of what a published pack consists of, and of what makes a tree a site.
const (
	catalogName = "catalog.json"
	packsFolder = "packs"
)

// Packs finds the packs in a tree that holds those files: at the root, below a
// common folder, several beside one another, or a whole published site. A pack
// whose folder has a pack.tar.gz is left in it (Archive): the caller extracts that
// one, calls Packs again and compares Tree and ManifestSHA256. Any other pack must
// have just the files that its pack.json lists, otherwise the error is a *Refusal by
// RuleManifest. Packs are in the order of their names, and no name occurs twice.
func Packs(fsys fs.FS, files []File) ([]Found, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	dirs := packFolders(files)
	if len(dirs) == 0 {
		return nil, noPack(files)
	}
	var list []Found
	for _, dir := range dirs {
		found, err := readPack(fsys, dir, below(files, dir))
		if err != nil {
			return nil, err
		}
		list = append(list, *found)
	}
	// The same pack may lie in a site and beside it: unpacked comes first.
	slices.SortStableFunc(list, func(a, b Found) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Archive, b.Archive))
	})
	for i := 1; i < len(list); i++ {
		if a, b := list[i-1], list[i]; a.Name == b.Name && a.ManifestSHA256 != b.ManifestSHA256 {
			return nil, refuse(RuleManifest, b.record(), "publish one of them under another name", "%s is another pack with the same name, \"%s\"", shown(a.record()), shown(a.Name))
		}
	}
	return slices.CompactFunc(list, func(a, b Found) bool { return a.Name == b.Name }), nil
}

// record is the path of the pack's pack.json.
func (f *Found) record() string { return path.Join(f.Dir, schema.PackManifestName) }

// noPack is the refusal of a tree without any pack.
func noPack(files []File) *Refusal {
	hint := "publish the packs with packgen build, which adds a pack.json to each"
	for _, f := range files {
		if path.Base(f.Path) == pack.EntryName {
			return refuse(RuleManifest, f.Path, hint, "this is a pack that was not published: there is no %s", schema.PackManifestName)
		}
	}
	return refuse(RuleManifest, "", hint, "there is no pack: no %s is in it", schema.PackManifestName)
}

// packFolders returns the folders with a pack.json, in path order. One inside another
// is part of that pack; in a published site only those in packs/ count.
func packFolders(files []File) []string {
	records, catalogs := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		switch dir, base := path.Dir(f.Path), path.Base(f.Path); base {
		case schema.PackManifestName:
			records[dir] = true
		case catalogName:
			catalogs[dir] = true
		}
	}
	var list []string
	for dir := range records {
		if isOutermost(dir, records, catalogs) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return list
}

func isOutermost(dir string, records, catalogs map[string]bool) bool {
	for at := dir; at != "."; {
		at = path.Dir(at)
		if records[at] || catalogs[at] && path.Dir(dir) != path.Join(at, packsFolder) {
			return false
		}
	}
	return true
}

// below returns the files in a folder, relative to it.
func below(files []File, dir string) []File {
	if dir == "." {
		return files
	}
	prefix := dir + "/"
	from, _ := slices.BinarySearchFunc(files, prefix, func(f File, p string) int { return strings.Compare(f.Path, p) })
	var list []File
	for _, f := range files[from:] {
		name, ok := strings.CutPrefix(f.Path, prefix)
		if !ok {
			break
		}
		f.Path = name
		list = append(list, f)
	}
	return list
}

// readPack reads the pack.json in a folder and compares the files of the folder.
func readPack(fsys fs.FS, dir string, files []File) (*Found, error) {
	found := &Found{Dir: dir}
	f, err := fsys.Open(found.record())
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", shown(found.record()), err)
	}
	data, err := readAtMost(f, found.record(), schema.MaxPackManifest)
	if err != nil {
		return nil, err
	}
	found.ManifestSHA256 = SHA256(data)
	if found.Manifest, err = ReadManifest(data); err != nil {
		return nil, in(dir, err)
	}
	found.Name, found.Tree = found.Manifest.Name, found.Manifest.Tree
	if tree := TreeHash(ManifestFiles(found.Manifest)); tree != found.Tree {
		return nil, refuse(RuleManifest, found.record(), hintChanged, "the record says the tree is %s; its own list of files makes it %s", found.Tree, tree)
	}
	for _, f := range files {
		switch f.Path {
		case ArchiveName:
			found.Archive = path.Join(dir, ArchiveName)
		case schema.PackManifestName:
			if f.SHA256 != found.ManifestSHA256 {
				return nil, refuse(RuleManifest, found.record(), hintChanged, "the record changed while it was read")
			}
		default:
			found.Files = append(found.Files, f)
		}
	}
	if found.Archive != "" {
		found.Files = nil
		return found, nil
	}
	return found, compareFiles(found)
}

// in adds the folder of a pack to the path of a refusal.
func in(dir string, err error) error {
	var r *Refusal
	if errors.As(err, &r) {
		named := *r
		named.Path = path.Join(dir, r.Path)
		return &named
	}
	return err
}

const hintChanged = "fetch it again; when that does not help, it was changed after it was published"

// compareFiles refuses a pack whose files are not those of its record.
func compareFiles(found *Found) error {
	listed := map[string]File{}
	for _, f := range ManifestFiles(found.Manifest) {
		listed[f.Path] = f
	}
	var faults []string
	add := func(name, what string) { faults = append(faults, shown(name)+" "+what) }
	for _, f := range found.Files {
		if want, ok := listed[f.Path]; !ok {
			add(f.Path, "is not in the record")
		} else if want != f {
			add(f.Path, "was changed")
		}
		delete(listed, f.Path)
	}
	for name := range listed {
		add(name, "is missing")
	}
	slices.Sort(faults)
	if len(faults) == 0 {
		return nil
	}
	const most = 3
	text := strings.Join(faults[:min(most, len(faults))], ", ")
	if more := len(faults) - most; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return refuse(RuleManifest, found.record(), hintChanged, "the files differ from the record: %s", text)
}
