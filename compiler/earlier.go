package compiler

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
)

// earlier is what earlier runs left: the files below compiled/, indexes/ and
// runs/. When outputs go to another directory than the pack, files there stand
// before those of the pack.
type earlier struct {
	pack    *pack.Pack
	roots   []*os.Root // what is read first comes first
	layered bool       // outputs go to a directory of their own
}

// openEarlier opens the directories that hold earlier outputs. Reads cannot
// leave them.
func openEarlier(p *pack.Pack, outDir string) (*earlier, error) {
	e := &earlier{pack: p, layered: outDir != ""}
	for _, dir := range []string{outDir, p.Dir} {
		if dir == "" {
			continue
		}
		root, err := os.OpenRoot(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			e.close()
			return nil, fmt.Errorf("open earlier outputs: %w", err)
		}
		e.roots = append(e.roots, root)
	}
	return e, nil
}

func (e *earlier) close() {
	for _, root := range e.roots {
		_ = root.Close()
	}
}

// read returns a file of the first place that has it; the error wraps
// fs.ErrNotExist when none has.
func (e *earlier) read(name string) ([]byte, error) {
	for _, root := range e.roots {
		data, err := readRegular(root, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
	}
	if e.pack.Dir == "" && e.pack.Has(name) {
		return e.pack.ReadFile(name)
	}
	return nil, fs.ErrNotExist
}

// Why an earlier output cannot be read.
var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d MiB", maxRead>>20)
)

// readRegular reads a regular file of at most maxRead bytes.
func readRegular(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > maxRead:
		return nil, errTooLarge
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	return data[:n], nil
}

// names returns the files directly below a directory, hidden ones left out, each
// once, in byte order. A missing directory has none.
func (e *earlier) names(dir string) ([]string, error) {
	var list []string
	for _, root := range e.roots {
		entries, err := fs.ReadDir(root.FS(), dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list %s: %w", dir, err)
		}
		for _, entry := range entries {
			if !entry.IsDir() && !strings.HasPrefix(entry.Name(), ".") {
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
