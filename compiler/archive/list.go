package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/pack"
)

// List hashes every file of a tree and returns them in path order. Links and
// special files are refused with a *Refusal, and so are more than pack.MaxFiles
// files; empty folders are left out.
func List(fsys fs.FS) ([]File, error) {
	files, err := walk(fsys, ".", nil)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var next atomic.Int64
	var group errgroup.Group
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		group.Go(func() error { return hashFiles(fsys, files, &next) })
	}
	return files, group.Wait()
}

// walk appends the files below a folder.
func walk(fsys fs.FS, dir string, files []File) ([]File, error) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", shown(dir), err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch kind := e.Type(); {
		case e.IsDir():
			if files, err = walk(fsys, name, files); err != nil {
				return nil, err
			}
		case kind&fs.ModeSymlink != 0:
			return nil, refuse(RuleLink, name, "put the file itself in its place", "a published tree may hold no symbolic link")
		case !kind.IsRegular():
			return nil, refuse(RuleSpecial, name, "remove it", "a published tree may hold no device, pipe or socket")
		case len(files) >= pack.MaxFiles:
			return nil, refuse(RuleTooMany, name, "", "there are more than %d files", pack.MaxFiles)
		default:
			files = append(files, File{Path: name})
		}
	}
	return files, nil
}

const hashAtOnce = 128 << 10 // bytes read at a time

// hashFiles fills in files until there are no more; several may run at a time.
func hashFiles(fsys fs.FS, files []File, next *atomic.Int64) error {
	buffer, sum := make([]byte, hashAtOnce), sha256.New()
	for {
		i := next.Add(1) - 1
		if i >= int64(len(files)) {
			return nil
		}
		if err := hashFile(fsys, &files[i], buffer, sum); err != nil {
			next.Store(int64(len(files)))
			return err
		}
	}
}

func hashFile(fsys fs.FS, file *File, buffer []byte, sum hash.Hash) error {
	f, err := fsys.Open(file.Path)
	if err != nil {
		return fmt.Errorf("hash %s: %w", shown(file.Path), err)
	}
	defer f.Close()
	sum.Reset()
	for {
		n, err := f.Read(buffer)
		sum.Write(buffer[:n]) // a hash never fails
		file.Size += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("hash %s: %w", shown(file.Path), err)
		}
	}
	var digest [sha256.Size]byte
	file.SHA256 = hex.EncodeToString(sum.Sum(digest[:0]))
	return nil
}
