package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/regularfile"

	"github.com/packgen/packgen/compiler/schema"
)

// Errors of reading a file; fs.ErrNotExist stands for an absent one.
var (
	// ErrTooLarge: the file is larger than SizeLimit says.
	ErrTooLarge = errors.New("file is too large")
	// errEscape: the path, or a symbolic link on it, leads out of the pack.
	errEscape = errors.New("path leads out of the pack")
	// errLoop: symbolic links on the path lead in a circle.
	errLoop = errors.New("symbolic links lead in a circle")
	// errNotRegular: a directory, device, pipe or socket.
	errNotRegular = regularfile.ErrFile
)

// IsRefused reports an error about a file that is not read: it is too large, or links lead
// in a circle or out of the pack.
func IsRefused(err error) bool {
	return errors.Is(err, ErrTooLarge) || errors.Is(err, errEscape) || errors.Is(err, errLoop)
}

// sizeError is an ErrTooLarge that names the limit.
type sizeError struct{ limit int64 }

func (e sizeError) Error() string    { return "file is larger than " + bytesize.Text(e.limit) }
func (e sizeError) Is(to error) bool { return to == ErrTooLarge }

// SizeLimit is how many bytes of a file of a pack are read whole: maxRecordSize for
// the records that a compile writes, MaxFileSize for any other.
func SizeLimit(name string) int64 {
	switch dir, base := path.Split(name); {
	case name == IndexPath, name == SourceMapPath,
		dir == "runs/" && path.Ext(base) == ".json":
		return maxRecordSize
	}
	return MaxFileSize
}

// ReadFile returns the bytes of one file of at most SizeLimit bytes, listed
// or not. The path must be a clean pack path (section 18.1), and every link on
// it must stay inside the pack. Errors wrap ErrTooLarge,
// fs.ErrNotExist, those of package packpath, or say that a link leads out of the pack or in
// a circle, or that the file is not a regular one.
func (p *Pack) ReadFile(name string) ([]byte, error) {
	f, size, err := p.openFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer f.Close()
	limit := SizeLimit(name)
	if size > limit {
		return nil, fmt.Errorf("read %s: %w", name, sizeError{limit})
	}
	// One byte more than the file had: a file that grows meanwhile is noticed.
	data := make([]byte, 0, size+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		case int64(len(data)) > limit:
			return nil, fmt.Errorf("read %s: %w", name, sizeError{limit})
		case len(data) == cap(data):
			data = append(data, 0)[:len(data)]
		}
	}
}

// SHA256 returns the digest of one file of any size, as 64 lower-case hex
// digits. Errors are those of ReadFile, except for ErrTooLarge.
func (p *Pack) SHA256(name string) (string, error) {
	f, _, err := p.openFile(name)
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// HasSum reports whether a file of the pack has a SHA-256, whatever ends its lines. One that
// cannot be read has none.
func (p *Pack) HasSum(name, sum string) bool {
	if sum == "" || !p.Has(name) {
		return false
	}
	data, err := p.ReadFile(name)
	return err == nil && schema.HasSum(data, sum)
}

// Digest returns the SHA256 of a file of at most MaxFileSize. A larger one is not in any
// archive, and nothing may use it: its digest is that of its size and of pieces of it, so
// that it is not read whole.
func (p *Pack) Digest(name string) (string, error) {
	f, size, err := p.openFile(name)
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", name, err)
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	if size <= MaxFileSize || !ok {
		return p.SHA256(name)
	}
	sum := sha256.New()
	fmt.Fprintln(sum, size)
	for i := range int64(pieces) {
		from := (size - pieceSize) / (pieces - 1) * i
		if i == pieces-1 {
			from = size - pieceSize
		}
		if _, err := io.Copy(sum, io.NewSectionReader(at, from, pieceSize)); err != nil {
			return "", fmt.Errorf("hash %s: %w", name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// How many pieces of a large file are read, and how large each is, in bytes.
const (
	pieces    = 64
	pieceSize = 64 << 10
)

// openFile opens a regular file and returns its size in bytes.
func (p *Pack) openFile(name string) (fs.File, int64, error) {
	if err := packpath.Check(name); err != nil {
		return nil, 0, err
	}
	if m := p.mapping(name); m != nil {
		return m.pack.openFile(name)
	}
	real, linked := p.links[name]
	if !linked {
		real = name
		// What the walk found to be a file need not be looked at again.
		if !p.Has(name) {
			at, info, err := resolve(p.fsys, name)
			if err != nil {
				return nil, 0, err
			}
			if !info.Mode().IsRegular() {
				return nil, 0, errNotRegular
			}
			real = at
		}
	}
	if p.root != nil {
		f, info, err := regularfile.OpenIn(p.root, real)
		if err != nil {
			return nil, 0, err
		}
		return f, info.Size(), nil
	}
	f, err := p.fsys.Open(real)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// resolve follows the links on a path, none of which may leave the file system,
// and returns the path without links and the file found. A link to an
// absolute path counts as leaving it, wherever it leads.
func resolve(fsys fs.FS, name string) (string, fs.FileInfo, error) {
	at, links := ".", 0
	info, err := fs.Lstat(fsys, at)
	for rest := name; rest != "" && err == nil; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", nil, errEscape
			}
			at = path.Dir(at)
			info, err = fs.Lstat(fsys, at)
			continue
		}
		next := path.Join(at, part)
		var there fs.FileInfo
		if there, err = fs.Lstat(fsys, next); err != nil {
			break
		}
		if there.Mode()&fs.ModeSymlink == 0 {
			at, info = next, there
			continue
		}
		to, err := fs.ReadLink(fsys, next)
		if err != nil {
			return "", nil, err
		}
		if links++; links > maxLinks {
			return "", nil, errLoop
		}
		if isOutside(to) {
			return "", nil, errEscape
		}
		rest = to + "/" + rest
	}
	return at, info, err
}

// isOutside reports link targets that are absolute, or would be on Windows.
func isOutside(to string) bool {
	return strings.HasPrefix(to, "/") || strings.Contains(to, `\`) || len(to) > 1 && to[1] == ':'
}

// OpenFile opens one file of any size for reading and returns its size in bytes.
// The path and the errors are those of ReadFile, except for ErrTooLarge.
func (p *Pack) OpenFile(name string) (fs.File, int64, error) {
	f, size, err := p.openFile(name)
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", name, err)
	}
	return f, size, nil
}
