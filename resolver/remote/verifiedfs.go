package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// verifiedFS is a tree of files whose digests are known. It shows the listed
// files and no others, whatever the disk holds; each is read whole, and handed
// out only when its bytes have the listed digest.
type verifiedFS struct {
	place string         // for messages
	files []archive.File // in path order
	open  func(name string) (fs.File, error)
	// manifest is the pack.json beside the files; nil for none. Packages that read
	// a pack learn from it that the pack is published.
	manifest []byte

	build  sync.Once
	dirs   map[string][]fs.DirEntry // by path, in name order
	damage atomic.Pointer[DamageError]
}

var (
	_ fs.ReadDirFS  = (*verifiedFS)(nil)
	_ fs.StatFS     = (*verifiedFS)(nil)
	_ fs.ReadFileFS = (*verifiedFS)(nil)
	_ fs.ReadLinkFS = (*verifiedFS)(nil)
)

// show adds a pack.json, whose bytes were verified, to what is seen.
func (v *verifiedFS) show(manifest []byte) {
	at, have := slices.BinarySearchFunc(v.files, schema.PackManifestName, func(f archive.File, name string) int { return strings.Compare(f.Path, name) })
	if manifest == nil || have {
		return
	}
	v.manifest = manifest
	v.files = slices.Insert(v.files, at, archive.File{Path: schema.PackManifestName, Size: int64(len(manifest)), SHA256: archive.SHA256(manifest)})
}

// listing returns the files without the pack.json.
func (v *verifiedFS) listing() []archive.File {
	if v.manifest == nil {
		return v.files
	}
	return slices.DeleteFunc(slices.Clone(v.files), func(f archive.File) bool { return f.Path == schema.PackManifestName })
}

// find returns the listed file.
func (v *verifiedFS) find(name string) (archive.File, bool) {
	i, ok := slices.BinarySearchFunc(v.files, name, func(f archive.File, name string) int { return strings.Compare(f.Path, name) })
	if !ok {
		return archive.File{}, false
	}
	return v.files[i], true
}

// listed returns the directories.
func (v *verifiedFS) listed() map[string][]fs.DirEntry {
	v.build.Do(func() {
		v.dirs = map[string][]fs.DirEntry{".": nil}
		for _, f := range v.files {
			dir := v.makeDir(path.Dir(f.Path))
			v.dirs[dir] = append(v.dirs[dir], listedInfo{path.Base(f.Path), f.Size, 0o444})
		}
		for _, list := range v.dirs {
			slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		}
	})
	return v.dirs
}

// makeDir adds a directory and those above it.
func (v *verifiedFS) makeDir(name string) string {
	if _, ok := v.dirs[name]; !ok {
		v.dirs[name] = nil
		above := v.makeDir(path.Dir(name))
		v.dirs[above] = append(v.dirs[above], listedInfo{path.Base(name), 0, fs.ModeDir | 0o555})
	}
	return name
}

// ReadFile returns the bytes of a file, which have the listed digest; otherwise the
// error is a *DamageError.
func (v *verifiedFS) ReadFile(name string) ([]byte, error) {
	f, ok := v.find(name)
	if !ok {
		return nil, v.fault("read", name)
	}
	return v.read(f)
}

func (v *verifiedFS) read(f archive.File) ([]byte, error) {
	if v.manifest != nil && f.Path == schema.PackManifestName {
		return slices.Clone(v.manifest), nil
	}
	problem := ""
	data, err := v.bytes(f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem = "the file is gone"
	case err != nil:
		problem = "the file cannot be read: " + regularfile.Reason(err)
	default:
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) == f.SHA256 {
			return data, nil
		}
		problem = "the file has other bytes than its digest says"
	}
	damage := &DamageError{Place: v.place, Path: f.Path, Problem: problem}
	v.damage.CompareAndSwap(nil, damage)
	return nil, damage
}

// bytes reads a file and at most one byte more than it should have.
func (v *verifiedFS) bytes(f archive.File) ([]byte, error) {
	file, err := v.open(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() != f.Size:
		return nil, fmt.Errorf("it has %d bytes instead of %d", info.Size(), f.Size)
	}
	data := make([]byte, f.Size)
	_, err = io.ReadFull(file, data)
	return data, err
}

// Open opens a file, all of it verified, or a directory.
func (v *verifiedFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if f, ok := v.find(name); ok {
		data, err := v.read(f)
		if err != nil {
			return nil, err
		}
		return &openFile{listedInfo{path.Base(name), f.Size, 0o444}, bytes.NewReader(data)}, nil
	}
	if list, ok := v.listed()[name]; ok {
		return &openListing{listedInfo{path.Base(name), 0, fs.ModeDir | 0o555}, list}, nil
	}
	return nil, v.fault("open", name)
}

// ReadDir lists a directory.
func (v *verifiedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if list, ok := v.listed()[name]; ok {
		return slices.Clone(list), nil
	}
	return nil, v.fault("readdir", name)
}

// Stat describes what is listed.
func (v *verifiedFS) Stat(name string) (fs.FileInfo, error) {
	if f, ok := v.find(name); ok {
		return listedInfo{path.Base(name), f.Size, 0o444}, nil
	}
	if _, ok := v.listed()[name]; ok {
		return listedInfo{path.Base(name), 0, fs.ModeDir | 0o555}, nil
	}
	return nil, v.fault("stat", name)
}

// Lstat is Stat: there are no links.
func (v *verifiedFS) Lstat(name string) (fs.FileInfo, error) { return v.Stat(name) }

// ReadLink always fails: there are no links.
func (v *verifiedFS) ReadLink(name string) (string, error) {
	if _, err := v.Stat(name); err != nil {
		return "", err
	}
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

// fault is the error about a name that is not listed, or no file.
func (v *verifiedFS) fault(op, name string) error {
	err := fs.ErrNotExist
	if _, dir := v.listed()[name]; !fs.ValidPath(name) || dir {
		err = fs.ErrInvalid
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// listedInfo describes a file or directory of a listing.
type listedInfo struct {
	name string
	size int64
	mode fs.FileMode
}

// Name is the last element of the path.
func (i listedInfo) Name() string { return i.name }

// Size is the size in bytes.
func (i listedInfo) Size() int64 { return i.size }

// Mode is that of a read-only file or directory.
func (i listedInfo) Mode() fs.FileMode { return i.mode }

// Type is the type bits of the mode.
func (i listedInfo) Type() fs.FileMode { return i.mode.Type() }

// ModTime is the zero time: a tree has no times.
func (i listedInfo) ModTime() time.Time { return time.Time{} }

// IsDir reports a directory.
func (i listedInfo) IsDir() bool { return i.mode.IsDir() }

// Sys is nil.
func (i listedInfo) Sys() any { return nil }

// Info returns the description itself.
func (i listedInfo) Info() (fs.FileInfo, error) { return i, nil }

// openFile is a file that was read and verified.
type openFile struct {
	info listedInfo
	*bytes.Reader
}

// Stat describes the file.
func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close does nothing.
func (f *openFile) Close() error { return nil }

// openListing is an open directory.
type openListing struct {
	info listedInfo
	rest []fs.DirEntry
}

// Stat describes the directory.
func (d *openListing) Stat() (fs.FileInfo, error) { return d.info, nil }

// Close does nothing.
func (d *openListing) Close() error { return nil }

// Read fails: it is a directory.
func (d *openListing) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errors.New("is a directory")}
}

// ReadDir lists the next n entries, all of them when n is not positive.
func (d *openListing) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		n = len(d.rest)
	} else if len(d.rest) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.rest))
	list := slices.Clone(d.rest[:n])
	d.rest = d.rest[n:]
	return list, nil
}
