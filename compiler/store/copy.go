package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
)

// groupDir is the directory of a group, by its name, below that of its store.
func groupDir(name string) string {
	sum := Sum([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// Copy copies what is kept of some groups from the directory of one store to that of
// another, which may hold more. No group named means all. A segment that it has already
// is left alone, and one that is damaged is not copied: what is in neither store is made
// again. It returns how many segments the other store has of those groups. Both stores
// must be closed, or not be written to meanwhile.
func Copy(to, from string, groups ...string) (int, error) {
	var dirs []string
	for _, name := range groups {
		dirs = append(dirs, groupDir(name))
	}
	if len(groups) == 0 {
		entries, err := os.ReadDir(from)
		if err != nil {
			return 0, fmt.Errorf("read the store: %w", err)
		}
		for _, e := range entries {
			if sum, err := hex.DecodeString(e.Name()); err == nil && len(sum) == 8 && e.IsDir() {
				dirs = append(dirs, e.Name())
			}
		}
	}
	n := 0
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(from, dir))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return n, fmt.Errorf("read the store: %w", err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), segmentEnding) || !e.Type().IsRegular() {
				continue
			}
			copied, err := copySegment(filepath.Join(to, dir), filepath.Join(from, dir, e.Name()))
			if err != nil {
				return n, fmt.Errorf("copy the store: %w", err)
			}
			if copied {
				n++
			}
		}
	}
	return n, nil
}

// copySegment copies a segment into a group, under its own name. It comes into being whole.
func copySegment(group, from string) (bool, error) {
	f, _, err := openSegment(from)
	if err != nil {
		return false, nil // not whole: as if it did not exist
	}
	defer f.Close()
	place := filepath.Join(group, filepath.Base(from))
	if _, err := os.Lstat(place); err == nil {
		return true, nil
	}
	if err := regularfile.MkdirAll(group, 0o777); err != nil {
		return false, err
	}
	out, err := regularfile.CreateTemp(group, "copy-*"+tempEnding)
	if err != nil {
		return false, err
	}
	defer regularfile.Remove(out.Name()) // gone already once it is in place
	_, err = io.Copy(out, io.NewSectionReader(f, 0, 1<<62))
	if err = errors.Join(err, out.Close()); err != nil {
		return false, err
	}
	return true, regularfile.Rename(out.Name(), place)
}
