package store

import (
	"encoding/hex"
	"errors"
	"fmt"
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
	return transfer(to, from, groups, unsealAction)
}

// Adopt is Copy for a store that the user has said to believe, whoever wrote it: results
// get the seal of this user.
func Adopt(to, from string) (int, error) {
	return transfer(to, from, nil, func(_ Digest, data []byte) ([]byte, bool) {
		end := len(data) - sealSize
		return data[:max(0, end)], end >= 0
	})
}

// openResult returns the result of an action without its seal; false for one that is not
// taken over.
type openResult func(key Digest, data []byte) ([]byte, bool)

func transfer(to, from string, groups []string, open openResult) (int, error) {
	dirs, err := groupDirs(from, groups)
	if err != nil {
		return 0, err
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
			copied, err := copySegment(filepath.Join(to, dir), filepath.Join(from, dir, e.Name()), open)
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

// groupDirs are the directories of some groups of a store; no group named means all.
func groupDirs(store string, groups []string) ([]string, error) {
	var dirs []string
	for _, name := range groups {
		dirs = append(dirs, groupDir(name))
	}
	if len(groups) > 0 {
		return dirs, nil
	}
	entries, err := os.ReadDir(store)
	if err != nil {
		return nil, fmt.Errorf("read the store: %w", err)
	}
	for _, e := range entries {
		if sum, err := hex.DecodeString(e.Name()); err == nil && len(sum) == 8 && e.IsDir() {
			dirs = append(dirs, e.Name())
		}
	}
	return dirs, nil
}

// copySegment copies a segment into a group, under its own name. It comes into being whole.
func copySegment(group, from string, open openResult) (bool, error) {
	f, index, err := openSegment(from)
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
	userKey().keep()
	w := &segmentWriter{file: out}
	var payloads []item
	for x := range index.items {
		if x.size == touched {
			w.touched = append(w.touched, item{name: x.name, size: touched, used: x.used})
			continue
		}
		data := readPayload(f, &x, nil)
		known := data != nil
		if known && x.kind == action {
			data, known = open(x.digest, data)
			data = sealAction(x.digest, data)
		}
		if known {
			payloads = append(payloads, w.add(item{name: x.name, used: x.used}, data))
		}
	}
	if err := errors.Join(w.finish(payloads), out.Close()); err != nil {
		return false, err
	}
	return true, regularfile.Rename(out.Name(), place)
}
