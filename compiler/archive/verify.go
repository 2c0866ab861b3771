package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// The findings of Verify.
const (
	publishedMissing = "published-missing" // a listed file is missing
	publishedChanged = "published-changed" // a digest, size or tree hash is not the one recorded
	publishedExtra   = "published-extra"   // a file that nothing lists
	publishedInvalid = "published-invalid" // a record or archive that cannot be read
)

// ErrNotPublished says that a place holds neither manifest.json nor pack.json.
var ErrNotPublished = errors.New("there is no manifest.json and no pack.json")

// ErrLonger is for file systems that read no more of a file than its record says:
// the file has more bytes.
var ErrLonger = errors.New("it is longer than recorded")

// VerifyOptions steer a check.
type VerifyOptions struct {
	Jobs     int                   // files read at once; 0 is GOMAXPROCS
	NoList   bool                  // the file system cannot list its files: look for no extra ones
	Progress func(done, total int) // called from several goroutines; may be nil

	// Visible returns a Markdown file of a pack as a site publishes it, without hidden text;
	// nil when sites publish all bytes.
	Visible func(path string, file []byte) []byte
}

// Verified is what a check came to.
type Verified struct {
	Kind        string // "site" or "pack"
	Files       int    // read and hashed
	Bytes       int64  // of these
	Packs       []VerifiedPack
	Diagnostics []diag.Diagnostic // sorted
}

// VerifiedPack is a pack that was looked at.
type VerifiedPack struct {
	Name string `json:"name"`
	Path string `json:"path"` // of its pack.json
	Tree string `json:"tree"` // as pack.json says
}

// Mismatch reports a digest or tree hash that is not the one recorded.
func (v *Verified) Mismatch() bool {
	return slices.ContainsFunc(v.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == publishedChanged })
}

// Verify checks what is at the root of a file system against its own records:
// a published site against manifest.json and each of its packs against pack.json,
// or one pack, unpacked or as it lies on a site, against its pack.json. Faults are
// diagnostics. The error is ErrNotPublished, or that of a place that cannot be read.
func Verify(ctx context.Context, fsys fs.FS, o VerifyOptions) (*Verified, error) {
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	v := &verifier{fsys: fsys, o: o, files: map[string]File{}}
	for _, record := range []struct {
		name  string
		check func(context.Context, []byte) error
	}{{schema.SiteManifestName, v.site}, {schema.PackManifestName, v.pack}} {
		data, err := v.read(record.name, schema.MaxSiteManifest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = record.check(ctx, data)
		}
		if err != nil {
			return nil, fmt.Errorf("verify: %w", err)
		}
		diag.Sort(v.out.Diagnostics)
		return &v.out, nil
	}
	return nil, ErrNotPublished
}

// verifier is a check in progress.
type verifier struct {
	fsys  fs.FS
	o     VerifyOptions
	files map[string]File // what was read and is as recorded, by path
	shown map[string]File // Markdown of a pack that differs from pack.json: its archive says whether something is hidden
	out   Verified
}

func (v *verifier) report(id, path, hint, format string, args ...any) {
	v.out.Diagnostics = append(v.out.Diagnostics, diag.Diagnostic{
		ID: id, Severity: diag.Error, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// site checks a published site.
func (v *verifier) site(ctx context.Context, data []byte) error {
	v.out.Kind = "site"
	m, err := schema.DecodeSiteManifest(data)
	if err != nil {
		v.report(publishedInvalid, schema.SiteManifestName, "publish the site again", "the record cannot be read: %v", err)
		return nil
	}
	listed := publishedFiles(m.Files)
	if err := v.compare(ctx, listed, schema.SiteManifestName); err != nil {
		return err
	}
	// A server or git keeps hidden files of its own beside a site; archives are signed
	// after it was made.
	archives := map[string]bool{}
	for _, f := range listed {
		if path.Base(f.Path) == ArchiveName {
			archives[f.Path+SignatureEnding] = true
		}
	}
	own := func(path string) bool {
		return path == schema.SiteManifestName || path == "CNAME" || hidden(path) || archives[path]
	}
	if err := v.extra(listed, own); err != nil {
		return err
	}
	for _, f := range listed {
		if dir, name := path.Split(f.Path); name == schema.PackManifestName && path.Dir(path.Clean(dir)) == "packs" {
			if err := v.sitePack(path.Clean(dir)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sitePack checks a pack of a site: what the site shows of it against pack.json,
// and the archive.
func (v *verifier) sitePack(dir string) error {
	name := dir + "/" + schema.PackManifestName
	data, err := v.read(name, schema.MaxPackManifest)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotAFile) {
		return nil // already reported as missing
	}
	if err != nil {
		return err
	}
	m := v.manifest(name, data)
	if m == nil {
		return nil
	}
	v.shown = map[string]File{}
	for _, f := range m.Files {
		// Pages of the site may have the name of a file of the pack. What differs
		// from manifest.json has been reported.
		shown, ok := v.files[dir+"/"+f.Path]
		switch {
		case !ok || path.Ext(f.Path) == ".html" || shown.SHA256 == f.SHA256:
		case v.mayHide(f.Path):
			v.shown[f.Path] = shown
		default:
			v.changed(shown.Path, shown, File(f), name)
		}
	}
	if err := v.archive(dir+"/"+ArchiveName, m, data); err != nil {
		return err
	}
	for _, f := range m.Files {
		if shown, differs := v.shown[f.Path]; differs {
			v.changed(shown.Path, shown, File(f), name)
		}
	}
	return nil
}

// mayHide reports a file of a pack that sites publish without what it hides.
func (v *verifier) mayHide(name string) bool { return v.o.Visible != nil && path.Ext(name) == ".md" }

// pack checks one pack. Where its archive is beside pack.json, as on a site,
// the archive holds the files, and only those that exist as well are compared.
func (v *verifier) pack(ctx context.Context, data []byte) error {
	v.out.Kind = "pack"
	m := v.manifest(schema.PackManifestName, data)
	if m == nil {
		return nil
	}
	listed := publishedFiles(m.Files)
	f, err := v.open(ArchiveName)
	if err == nil {
		f.Close()
		v.shown = map[string]File{}
		for _, f := range listed {
			if got, err := v.hash(f.Path); v.mayHide(f.Path) && err == nil && got.SHA256 != f.SHA256 {
				v.shown[f.Path] = got
			}
		}
		differing := maps.Clone(v.shown)
		if err := v.archive(ArchiveName, m, data); err != nil {
			return err
		}
		listed = slices.DeleteFunc(listed, func(f File) bool {
			_, differed := differing[f.Path]
			_, differs := v.shown[f.Path]
			_, err := fs.Stat(v.fsys, f.Path)
			return err != nil || path.Ext(f.Path) == ".html" || differed && !differs
		})
		return v.compare(ctx, listed, schema.PackManifestName)
	}
	if err := v.compare(ctx, listed, schema.PackManifestName); err != nil {
		return err
	}
	return v.extra(listed, func(path string) bool { return path == schema.PackManifestName })
}

// manifest reads a pack.json and checks its tree hash; nil when it cannot be read.
func (v *verifier) manifest(name string, data []byte) *schema.PackManifest {
	m, err := ReadManifest(data)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		v.report(publishedInvalid, name, refusal.Hint, "the record cannot be used: %s", refusal.Message)
		return nil
	}
	v.out.Packs = append(v.out.Packs, VerifiedPack{m.Name, name, m.Tree})
	if tree := TreeHash(ManifestFiles(m)); tree != m.Tree {
		v.report(publishedChanged, name, "publish the pack again", "the files it lists have the tree hash %s; it says %s", tree, m.Tree)
	}
	return m
}

func publishedFiles(list []schema.PublishedFile) []File {
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = File(f)
	}
	return files
}

// changed reports a file with other bytes than a record says, with both digests.
func (v *verifier) changed(shown string, got, want File, record string) {
	if got.SHA256 == "" {
		v.report(publishedChanged, shown, "publish it again, or restore the file",
			"the file has more than %d bytes; %s says %d bytes with the SHA-256 %s", want.Size, record, want.Size, want.SHA256)
		return
	}
	v.report(publishedChanged, shown, "publish it again, or restore the file",
		"the file has %d bytes with the SHA-256 %s; %s says %d bytes with %s", got.Size, got.SHA256, record, want.Size, want.SHA256)
}

// compare reads the listed files in parallel and reports those that are missing or
// changed, in path order.
func (v *verifier) compare(ctx context.Context, listed []File, record string) error {
	found := make([]*File, len(listed))
	odd := make([]bool, len(listed)) // folders, devices, links that lead nowhere
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(v.o.Jobs)
	var done atomic.Int64
	for i, f := range listed {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			got, err := v.hash(f.Path)
			switch {
			case err == nil:
				found[i] = &got
			case errors.Is(err, ErrLonger):
				found[i] = &File{Path: f.Path, Size: f.Size + 1}
			case errors.Is(err, errNotAFile):
				odd[i] = true
			case !errors.Is(err, fs.ErrNotExist):
				return err
			}
			if n := done.Add(1); v.o.Progress != nil {
				v.o.Progress(int(n), len(listed))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, got := range found {
		switch want := listed[i]; {
		case got == nil && v.o.NoList && hidden(want.Path):
			// Servers do not serve such files.
		case odd[i]:
			v.report(publishedMissing, want.Path, "publish it again, or restore the file", "it is not a regular file inside the place that is checked; %s lists it", record)
		case got == nil:
			v.report(publishedMissing, want.Path, "publish it again, or restore the file", "the file is missing; %s lists it", record)
		default:
			v.out.Files++
			v.out.Bytes += got.Size
			if got.SHA256 != want.SHA256 || got.Size != want.Size {
				v.changed(want.Path, *got, want, record)
				continue
			}
			v.files[got.Path] = *got
		}
	}
	return nil
}

// errNotAFile marks a folder, link or device where a file is listed.
var errNotAFile = errors.New("not a regular file")

// hash reads one file to its end.
func (v *verifier) hash(name string) (File, error) {
	f, err := v.open(name)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", name, err)
	}
	return File{name, n, hex.EncodeToString(sum.Sum(nil))}, nil
}

// open opens a regular file. On disk it looks first: opening a pipe waits for
// whoever writes into it, and a link may lead out of what is checked.
func (v *verifier) open(name string) (fs.File, error) {
	if !v.o.NoList {
		info, err := fs.Stat(v.fsys, name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil, err
		case err != nil, !info.Mode().IsRegular():
			return nil, errNotAFile
		}
	}
	f, err := v.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNotAFile
	}
	return f, nil
}

// read returns the bytes of a record of at most limit bytes.
func (v *verifier) read(name string, limit int64) ([]byte, error) {
	f, err := v.open(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return readAtMost(f, name, limit)
}

// readAtMost reads and closes a file. One that is over the limit, which the decoder of it
// refuses, is not read to its end.
func readAtMost(f io.ReadCloser, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", shown(name), err)
	}
	return data, nil
}

// hidden reports a path with a name that starts with a dot.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// extra reports files that are not listed, except for those that own names. Of a hidden
// folder it reports the folder, and looks no further.
func (v *verifier) extra(listed []File, own func(path string) bool) error {
	if v.o.NoList {
		return nil
	}
	return fs.WalkDir(v.fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		_, known := slices.BinarySearchFunc(listed, name, func(f File, name string) int { return strings.Compare(f.Path, name) })
		isHidden := strings.HasPrefix(path.Base(name), ".")
		switch {
		case name == "." || known || e.IsDir() && !isHidden:
			return nil
		case !own(name) && e.IsDir():
			v.report(publishedExtra, name, "delete it", "no record lists a file of the folder, and nothing hidden is part of a pack")
		case !own(name):
			v.report(publishedExtra, name, "delete it, or publish again", "no record lists the file")
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// archive checks the archive of a pack against its pack.json, without unpacking
// it: the same files, of the same bytes, and the same pack.json. Nothing is read
// beyond what pack.json lets expect.
func (v *verifier) archive(name string, m *schema.PackManifest, manifest []byte) error {
	f, err := v.open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotAFile) {
		return nil // a site without archives, or one whose manifest says it is missing
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	left := map[string]File{schema.PackManifestName: {schema.PackManifestName, int64(len(manifest)), SHA256(manifest)}}
	for _, file := range m.Files {
		left[file.Path] = File(file)
	}
	if err := v.entries(name, f, m.Name+"/", left); err != nil {
		v.report(publishedInvalid, name, "publish the pack again", "the archive cannot be read: %v", err)
		return nil
	}
	for _, file := range append([]schema.PublishedFile{{Path: schema.PackManifestName}}, m.Files...) {
		if _, missing := left[file.Path]; missing {
			v.report(publishedMissing, name, "publish the pack again", "the archive does not hold %s; pack.json lists it", diag.Printable(file.Path))
		}
	}
	return nil
}

// entries compares the entries of an archive with what is expected, and takes
// from left what was met. The error is about the archive itself.
func (v *verifier) entries(name string, r io.Reader, top string, left map[string]File) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	t := tar.NewReader(z)
	passed := int64(0) // bytes of entries that are not of the listed size
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		want, known := left[strings.TrimPrefix(h.Name, top)]
		if !known || h.Typeflag != tar.TypeReg || !strings.HasPrefix(h.Name, top) {
			v.report(publishedExtra, name, "publish the pack again", "the archive holds %s, which pack.json does not list", diag.Printable(h.Name))
			clear(left) // what follows is not read
			return nil
		}
		delete(left, want.Path)
		got := File{Path: want.Path, Size: h.Size}
		sum := sha256.New()
		if got.Size == want.Size {
			if err := v.sum(sum, t, want); err != nil {
				return err
			}
			got.SHA256 = hex.EncodeToString(sum.Sum(nil))
		} else if passed += got.Size; passed > defaultBytes {
			return fmt.Errorf("more than %s that pack.json does not list", bytesize.Text(defaultBytes))
		}
		if got.SHA256 != want.SHA256 {
			v.report(publishedChanged, name, "publish the pack again", "in the archive %s has %s; pack.json says %d bytes with the SHA-256 %s",
				diag.Printable(got.Path), measured(got), want.Size, want.SHA256)
		}
	}
	return ended(z)
}

// sum hashes an entry. Of Markdown that a site publishes with other bytes it finds out whether
// they are what is left without hidden text.
func (v *verifier) sum(sum hash.Hash, r io.Reader, want File) error {
	shown, differs := v.shown[want.Path]
	if !differs || want.Size > pack.MaxFileSize {
		_, err := io.Copy(sum, r)
		return err
	}
	data, err := io.ReadAll(io.TeeReader(r, sum))
	if err == nil && SHA256(v.o.Visible(want.Path, data)) == shown.SHA256 {
		delete(v.shown, want.Path)
	}
	return err
}

// measured says what is known of a file that is not the one expected.
func measured(f File) string {
	if f.SHA256 == "" {
		return fmt.Sprintf("%d bytes", f.Size)
	}
	return fmt.Sprintf("%d bytes with the SHA-256 %s", f.Size, f.SHA256)
}

// ended reports more than padding after the last entry.
func ended(r io.Reader) error {
	const most = 1 << 20 // bytes of padding
	rest, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return err
	}
	if len(rest) > most || len(bytes.Trim(rest, "\x00")) > 0 {
		return errors.New("something follows the last entry")
	}
	return nil
}

// The rules by which an archive or a tree is refused.
const (
	RulePath      = "archive-path"      // a path that leaves the tree, or that some system reads differently or cannot hold
	RuleLink      = "archive-link"      // a symbolic or hard link
	RuleSpecial   = "archive-special"   // a device, a pipe, a sparse file, or another kind of entry that is not a plain file
	RuleClash     = "archive-clash"     // two entries that are one file on some system, or a file where a folder is
	RuleTooLarge  = "archive-too-large" // more bytes than a limit allows
	RuleTooMany   = "archive-too-many"  // more files and folders than the limit
	RuleNested    = "archive-nested"    // archives inside archives beyond the limit
	RuleTruncated = "archive-truncated" // the archive ends too early
	RuleTrailing  = "archive-trailing"  // bytes that belong to no entry: before, between or after them
	RuleCorrupt   = "archive-corrupt"   // the archive contradicts itself: sizes, checksums, headers
	RuleUnknown   = "archive-unknown"   // not an archive, or of a form that is not read
	RuleEmpty     = "archive-empty"     // no file in it
	ruleLayout    = "archive-layout"    // a file that is not part of a pack, listed in its pack.json
	RuleManifest  = "archive-manifest"  // pack.json is missing or broken, or the files differ from it
)

// Refusal is the error for an archive or a tree that is not taken. Nothing of it
// is left on the disk. Find it with errors.As.
type Refusal struct {
	Rule    string // stable kebab-case rule, one of the Rule constants
	Archive string // the archive as the caller named it; "" for a tree
	Path    string // the entry or file it is about, as the archive writes it; "" for the whole. Hostile: print it escaped
	Message string // what is wrong, one sentence without the names above; safe to print
	Hint    string // what to do about it; may be empty; safe to print
}

// Error returns one line that is safe to print, without the hint.
func (r *Refusal) Error() string {
	var b strings.Builder
	for _, name := range []string{r.Archive, r.Path} {
		if name != "" {
			b.WriteString(shown(name) + ": ")
		}
	}
	return b.String() + r.Message + " [" + r.Rule + "]"
}

// Advice returns what to do about it.
func (r *Refusal) Advice() string { return r.Hint }

// shownBytes is how much of a hostile name a message shows, in bytes.
const shownBytes = 200

// shown makes a name fit to print: one line, nothing that steers a terminal, and
// not endless.
func shown(name string) string {
	if len(name) > shownBytes {
		cut := shownBytes
		for cut > shownBytes-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	return diag.Printable(name)
}

// refuse makes a Refusal about an entry; whoever knows the archive's name adds it.
func refuse(rule, path, hint, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint}
}
