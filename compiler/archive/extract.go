package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/regularfile"
)

// Extracted is what came out of an archive.
type Extracted struct {
	Format string // "tar", "tar.gz", "zip", or layers from the outside in, such as "zip+tar"; "zip+tar|zip" where one layer has several
	Files  []File // in path order

	Signatures [][]byte // what was beside an archive that took the place of its container
}

// SignatureEnding is what follows the name of an archive in the name of its signature.
const SignatureEnding = ".sigstore.json"

// Limits on the signatures of a container.
const (
	maxSignatures     = 20
	maxSignatureBytes = 1 << 20
)

// Extract unpacks an archive file into a directory, which must not exist or be
// empty. What the archive is, its bytes say, not its name: tar, tar.gz or zip. A
// container that holds archives alone, and their signatures, is unpacked further: one archive takes its
// place, several become a folder each, named after the archive.
//
// Everything is written into a temporary directory beside dir, which is renamed to
// dir when the whole archive has been read and found good; when it is not, or ctx
// ends, nothing remains. Files get mode 0644, folders 0755, and the current time;
// empty folders are left out. Nothing is synced to the disk: whoever needs that
// verifies the files when reading them. The error is a *Refusal when the archive is
// at fault, and wraps fs.ErrExist when dir exists and is not empty.
func Extract(ctx context.Context, name, dir string, o Options) (*Extracted, error) {
	dir = filepath.Clean(dir)
	e := &extraction{ctx: ctx, limits: o.Limits.withDefaults(), progress: o.Progress}
	x, err := e.into(name, dir)
	var refusal *Refusal
	if err != nil && !errors.As(err, &refusal) {
		err = fmt.Errorf("unpack %s: %w", shown(name), err)
	}
	return x, err
}

// into unpacks an archive and puts the tree at dir.
func (e *extraction) into(name, dir string) (*Extracted, error) {
	if err := checkTarget(dir); err != nil {
		return nil, err
	}
	var err error
	if e.temp, err = regularfile.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".unpack-*"); err != nil {
		return nil, err
	}
	x, layer, err := e.unpack(name)
	if err == nil {
		err = place(filepath.Join(e.temp, layer), dir)
	}
	left := regularfile.RemoveAll(e.temp)
	switch {
	case err == nil:
		return x, nil // an empty folder that could not be removed does not matter
	case left != nil:
		return nil, errors.Join(err, left)
	}
	return nil, err
}

// checkTarget makes sure that a directory can be put there.
func checkTarget(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory: %w", shown(dir), fs.ErrExist)
	}
	f, err := regularfile.OpenDir(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	switch _, err := f.ReadDir(1); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%s is not empty: %w", shown(dir), fs.ErrExist)
}

// place renames the unpacked tree to dir, which may be an empty directory.
func place(from, dir string) error {
	if err := regularfile.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return regularfile.Rename(from, dir)
}

// extraction is the work of one Extract.
type extraction struct {
	ctx         context.Context
	temp        string // holds a folder for each layer, named by its number
	limits      Limits
	progress    func(done, total int64)
	done, total int64 // bytes of archives read and known of
	signatures  [][]byte
}

// unpack unpacks an archive layer by layer and returns the folder, below temp, of
// the innermost one.
func (e *extraction) unpack(name string) (*Extracted, string, error) {
	layer := "1"
	formats := []string{}
	format, files, err := e.layer(layer, []source{{file: name, label: name}})
	for n := 2; err == nil; n++ {
		formats = append(formats, format)
		if len(files) == 0 {
			return nil, "", &Refusal{Rule: RuleEmpty, Archive: name, Message: "there is no file in the archive", Hint: "look at the step that made it"}
		}
		var inner []source
		if inner, err = e.inner(name, layer, files); err != nil {
			break
		}
		if inner == nil {
			return &Extracted{strings.Join(formats, "+"), files, e.signatures}, layer, e.ctx.Err()
		}
		if n > e.limits.Nested {
			return nil, "", &Refusal{Rule: RuleNested, Archive: name, Path: files[0].Path, Message: fmt.Sprintf("archives lie one inside another, more than %d deep", e.limits.Nested), Hint: "unpack it by hand and look at what it is"}
		}
		outer := filepath.Join(e.temp, layer)
		layer = strconv.Itoa(n)
		if format, files, err = e.layer(layer, inner); err == nil {
			err = regularfile.RemoveAll(outer)
		}
	}
	return nil, "", err
}

// source is an archive file of a layer.
type source struct {
	file   string // on the disk
	label  string // for messages
	prefix string // folder that its files go to, with a slash at its end, or ""
}

// inner returns the archives to unpack next: all files when every one is an archive
// by its name, or the signature of one, otherwise none.
func (e *extraction) inner(name, layer string, files []File) ([]source, error) {
	var signatures []File
	files = slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		signed, ok := strings.CutSuffix(f.Path, SignatureEnding)
		ok = ok && slices.ContainsFunc(files, func(f File) bool { return f.Path == signed && isArchiveName(signed) })
		if ok {
			signatures = append(signatures, f)
		}
		return ok
	})
	if slices.ContainsFunc(files, func(f File) bool { return !isArchiveName(f.Path) }) {
		return nil, nil
	}
	list := make([]source, len(files))
	folders := map[string]bool{}
	for i, f := range files {
		list[i] = source{file: filepath.Join(e.temp, layer, filepath.FromSlash(f.Path)), label: name + " > " + f.Path}
		if len(files) == 1 {
			break
		}
		stem := archiveStem(f.Path)
		if folders[foldPath(stem)] {
			return nil, &Refusal{Rule: RuleClash, Archive: name, Path: f.Path, Message: "two archives in it have the same name except for the extension", Hint: hintRename}
		}
		folders[foldPath(stem)] = true
		list[i].prefix = stem + "/"
	}
	for _, f := range signatures[:min(len(signatures), maxSignatures)] {
		data, err := atomicfile.Read(filepath.Join(e.temp, layer, filepath.FromSlash(f.Path)), maxSignatureBytes)
		if err != nil {
			return nil, &Refusal{Rule: RuleTooLarge, Archive: name, Path: f.Path, Message: "the signature cannot be read: " + err.Error()}
		}
		e.signatures = append(e.signatures, data)
	}
	return list, nil
}

// isArchiveName reports names under which an archive inside an archive is looked for.
func isArchiveName(name string) bool { return archiveStem(name) != name }

// archiveStem returns a name without the extension of an archive.
func archiveStem(name string) string {
	lower := strings.ToLower(name)
	for _, ext := range []string{".tar.gz", ".tgz", ".tar", ".zip"} {
		if strings.HasSuffix(lower, ext) && len(lower) == len(name) && path.Base(name) != name[len(name)-len(ext):] {
			return name[:len(name)-len(ext)]
		}
	}
	return name
}

// layer unpacks the archives of one layer into a new folder below temp.
func (e *extraction) layer(name string, sources []source) (format string, files []File, err error) {
	at := filepath.Join(e.temp, name)
	if err := regularfile.Mkdir(at, folderMode); err != nil {
		return "", nil, err
	}
	if err := os.Chmod(at, folderMode); err != nil {
		return "", nil, err
	}
	root, err := regularfile.Root(at)
	if err != nil {
		return "", nil, err
	}
	defer root.Close()
	s := newSink(e.ctx, root, e.limits)
	var formats []string
	for _, from := range sources {
		format, err := e.one(from, s)
		if err != nil {
			_ = s.abandon() // a writer that failed is what err says
			return "", nil, inArchive(err, from.label)
		}
		formats = append(formats, format)
	}
	slices.Sort(formats)
	files, err = s.finish()
	return strings.Join(slices.Compact(formats), "|"), files, err
}

const (
	smallFile  = 128 << 10 // bytes up to which a file is held whole, for another goroutine to write it
	maxWriters = 8         // more than that wait for the disk, or for one another

	fileMode   = 0o644
	folderMode = 0o755
)

// sink writes the files of one layer into a folder, hashing them on the way. One
// goroutine adds files; small ones are written by others.
type sink struct {
	root   *os.Root
	limits Limits
	prefix string // put before every path, with a slash at its end, or ""
	names  *names
	made   map[string]bool // folders that exist
	left   int64           // bytes that may still be unpacked
	files  []*File

	ctx     context.Context
	group   *errgroup.Group // the writers of small files
	buffers sync.Pool       // of *bytes.Buffer
}

// newSink starts a sink; finish or abandon ends its writers.
func newSink(ctx context.Context, root *os.Root, l Limits) *sink {
	s := &sink{root: root, limits: l, names: newNames(l), made: map[string]bool{".": true}, left: l.Bytes}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	s.group, s.ctx = errgroup.WithContext(ctx)
	s.group.SetLimit(min(runtime.GOMAXPROCS(0), maxWriters))
	return s
}

// finish waits for the writers and returns the files in path order.
func (s *sink) finish() ([]File, error) {
	if err := s.abandon(); err != nil {
		return nil, err
	}
	list := make([]File, len(s.files))
	for i, f := range s.files {
		list[i] = *f
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// abandon waits for the writers; nothing may be added afterwards.
func (s *sink) abandon() error { return s.group.Wait() }

// take checks the path of an entry and counts it.
func (s *sink) take(name string, isFolder bool) error {
	if r := checkPath(name, s.limits); r != nil {
		return r // before the prefix can make it look better
	}
	if r := s.names.add(s.prefix+name, isFolder); r != nil {
		return r
	}
	return nil
}

// allow refuses a file that says it has more bytes than it may.
func (s *sink) allow(name string, size int64) error {
	if limit := s.fileLimit(name); size > limit {
		return s.tooLarge(name, limit)
	}
	if size > s.left {
		return s.tooLarge(name, s.left)
	}
	return nil
}

// fileLimit is the number of bytes that a file may have.
func (s *sink) fileLimit(name string) int64 {
	if isArchiveName(name) {
		return s.limits.ArchiveBytes
	}
	return s.limits.FileBytes
}

func (s *sink) tooLarge(name string, limit int64) *Refusal {
	if limit == s.fileLimit(name) {
		return refuse(RuleTooLarge, name, hintLimit, "the file unpacks to more than %s, the limit for one file", bytesize.Text(limit))
	}
	return refuse(RuleTooLarge, name, hintLimit, "the files unpack to more than %s, the limit for all of them", bytesize.Text(s.limits.Bytes))
}

// write writes a file whose path was taken. It reads to the end of r, and never
// more than one byte beyond what the limits allow.
func (s *sink) write(name string, r io.Reader) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	allowed := min(s.fileLimit(name), s.left)
	r = io.LimitReader(r, allowed+1)
	file := &File{Path: s.prefix + name}
	if err := s.makeFolder(path.Dir(file.Path)); err != nil {
		return err
	}
	s.files = append(s.files, file)
	buffer := s.buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	size, err := io.CopyN(buffer, r, smallFile)
	isSmall := errors.Is(err, io.EOF)
	if err == nil {
		err = s.put(file, io.MultiReader(buffer, r))
		size = file.Size
	}
	if err != nil && !isSmall {
		return err
	}
	if s.left -= size; size > allowed {
		return s.tooLarge(name, allowed)
	}
	if isSmall {
		s.group.Go(func() error {
			defer s.buffers.Put(buffer)
			return s.put(file, buffer)
		})
	}
	return nil
}

// put writes one file, with the mode that files have whatever the umask, and fills in what
// it turned out to be.
func (s *sink) put(file *File, r io.Reader) error {
	out, err := s.root.OpenFile(file.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("create %s: %w", shown(file.Path), err)
	}
	if err := out.Chmod(fileMode); err != nil {
		return errors.Join(err, out.Close())
	}
	sum := sha256.New()
	file.Size, err = io.Copy(io.MultiWriter(out, sum), r)
	file.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return errors.Join(err, out.Close())
}

// makeFolder makes a folder and those above it, with the mode that folders have whatever
// the umask.
func (s *sink) makeFolder(name string) error {
	if s.made[name] {
		return nil
	}
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	s.made[name] = true
	if err := s.root.Mkdir(name, folderMode); err != nil {
		return fmt.Errorf("make folder %s: %w", shown(name), err)
	}
	return s.root.Chmod(name, folderMode)
}
