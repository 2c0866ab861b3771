package lastrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
)

const runsDir = string(pack.Runs)

// Outputs is what earlier runs left: the files below compiled/, indexes/ and
// runs/. When outputs go to another directory than the pack, files there are
// before those of the pack.
type Outputs struct {
	Layered bool // outputs go to a directory of their own

	pack   *pack.Pack
	roots  []*os.Root      // what is read first comes first
	splits bool            // some place has splits; without, none need be looked for
	hidden map[string]bool // files that are skipped in the first of the roots
}

// Open opens the directories that hold earlier outputs: outDir, where it is not
// "", and the pack.
func Open(p *pack.Pack, outDir string) (*Outputs, error) {
	e := &Outputs{pack: p, Layered: outDir != ""}
	for _, dir := range []string{outDir, p.Dir} {
		if dir == "" {
			continue
		}
		root, err := regularfile.Root(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			e.Close()
			return nil, fmt.Errorf("open earlier outputs: %w", err)
		}
		e.roots = append(e.roots, root)
		if _, err := root.Lstat(pack.SplitsDir); !errors.Is(err, fs.ErrNotExist) {
			e.splits = true
		}
	}
	return e, nil
}

// Close closes the directories.
func (e *Outputs) Close() {
	for _, root := range e.roots {
		_ = root.Close()
	}
}

// Hide has a file of the place that outputs are written to skipped.
func (e *Outputs) Hide(name string) {
	if e.hidden == nil {
		e.hidden = map[string]bool{}
	}
	e.hidden[name] = true
}

// ignores reports a file of one of the roots that is not an output, or is skipped.
func (e *Outputs) ignores(root int, name string) bool {
	return strings.HasPrefix(path.Base(name), ".") || root == 0 && e.hidden[name]
}

// Hides reports a file that is skipped.
func (e *Outputs) Hides(name string) bool { return e.hidden[name] }

// Open opens a file of the first place that has it; the error wraps
// fs.ErrNotExist when none has. What lies below a link to a directory is not an
// output: opening the pack reports such links, and nothing is written there.
func (e *Outputs) Open(name string) (io.ReadCloser, error) {
	if !e.splits && e.pack.Dir != "" && strings.HasPrefix(name, pack.SplitsDir+"/") {
		return nil, fs.ErrNotExist
	}
	for i, root := range e.roots {
		if i == 0 && e.hidden[name] {
			continue
		}
		f, err := openRegular(root, name)
		if err == nil {
			return f, nil
		}
		// A file where a directory is wanted: it is another output, which goes, or
		// in the way, which is said when the files are put in place.
		if errors.Is(err, syscall.ENOTDIR) || !errors.Is(err, fs.ErrNotExist) && isLinked(root, path.Dir(name)) {
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			if isLink(root, name) {
				return nil, errLinked
			}
			return nil, err
		}
	}
	if e.pack.Dir == "" && e.pack.Has(name) {
		data, err := e.pack.ReadFile(name)
		return io.NopCloser(bytes.NewReader(data)), err
	}
	return nil, fs.ErrNotExist
}

// Read returns the text of a file of at most pack.SizeLimit bytes.
func (e *Outputs) Read(name string) ([]byte, error) {
	f, err := e.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	limit := pack.SizeLimit(name)
	var data bytes.Buffer
	if file, ok := f.(*os.File); ok {
		if info, err := file.Stat(); err == nil {
			data.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
		}
	}
	if _, err := data.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	if int64(data.Len()) > limit {
		return nil, fmt.Errorf("larger than %s", bytesize.Text(limit))
	}
	return data.Bytes(), nil
}

// Failed reports whether an error of Open or Read is the disk's, not one about what is there:
// an output that cannot be read is not one that is absent.
func Failed(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno) && !errors.Is(err, fs.ErrNotExist) && !slices.Contains([]syscall.Errno{syscall.ENOTDIR, syscall.ELOOP, syscall.EISDIR, syscall.ENAMETOOLONG}, errno)
}

// isLink reports a symbolic link.
func isLink(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// isLinked reports a directory that is a symbolic link, or lies below one.
func isLinked(root *os.Root, dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if isLink(root, dir) {
			return true
		}
	}
	return false
}

// errLinked is why an earlier output cannot be read.
var errLinked = errors.New("a symbolic link that leads nowhere in the pack")

// openRegular opens a regular file; a device or pipe is never opened. A directory
// is not a file.
func openRegular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fs.ErrNotExist
	case !info.Mode().IsRegular():
		return nil, regularfile.ErrFile
	}
	f, _, err := regularfile.OpenIn(root, name)
	return f, err
}

// Names returns the files directly below a directory, hidden ones left out, each
// once, in byte order. A missing directory has none.
func (e *Outputs) Names(dir string) ([]string, error) {
	var list []string
	for i, root := range e.roots {
		// A link or file in the way of outputs is reported by opening the pack; a
		// pipe would be waited for.
		if info, err := root.Stat(dir); err == nil && !info.IsDir() || err != nil && isLinked(root, dir) {
			continue
		}
		entries, err := fs.ReadDir(regularfile.FS(root), dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
		for _, entry := range entries {
			if !entry.IsDir() && !e.ignores(i, dir+"/"+entry.Name()) {
				list = append(list, entry.Name())
			}
		}
	}
	if e.pack.Dir == "" {
		for _, f := range e.pack.List(dir) {
			if base := strings.TrimPrefix(f.Path, dir+"/"); !strings.Contains(base, "/") {
				list = append(list, base)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}
