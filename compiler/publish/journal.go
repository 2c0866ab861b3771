package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/store"
)

// journalVersion changes when the meaning of a journal does; a journal of
// another version is treated as an incomplete one.
const journalVersion = 2

// maxJournal is the largest journal that is read, in bytes: some ten million files that are
// all replaced. One that was written must be read again, or no later run could begin.
const maxJournal = 4 << 30

// journal is what is left to do once everything is staged. Carrying it out
// twice, or from the middle, ends in the same tree.
type journal struct {
	Version  int          `json:"version"`
	InTarget bool         `json:"in_target,omitempty"` // the stage is inside the target
	Before   []string     `json:"before,omitempty"`    // deletions that make room for renames
	Trees    []string     `json:"trees,omitempty"`     // directories that come with all their files, before the renames
	Renames  []renameStep `json:"renames,omitempty"`   // in the order they are done
	After    []string     `json:"after,omitempty"`     // deletions
}

// renameStep moves one staged file to its place.
type renameStep struct {
	From int    `json:"from"` // the file's name in the stage
	To   string `json:"to"`   // slash path below the target
	Size int64  `json:"size"` // bytes
}

// journalPurpose is what the seal of a journal is for.
const journalPurpose = "journal"

// encode writes the journal with the seal of the user.
func (j journal) encode() ([]byte, error) {
	body, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("encode journal: %w", err)
	}
	return store.Seal(journalPurpose, body), nil
}

// decodeJournal reads a complete journal that this user's run has written; anything else is
// an error. One that came with a checkout could delete what the user has.
func decodeJournal(data []byte) (journal, error) {
	body, ok := store.Unseal(journalPurpose, data)
	if !ok {
		return journal{}, errors.New("journal is incomplete, or another user's")
	}
	var j journal
	if err := json.Unmarshal(body, &j); err != nil {
		return journal{}, fmt.Errorf("decode journal: %w", err)
	}
	if j.Version != journalVersion {
		return journal{}, fmt.Errorf("journal has version %d", j.Version)
	}
	for _, list := range [][]string{j.Before, j.Trees, j.After} {
		for _, path := range list {
			if err := checkPath(path); err != nil {
				return journal{}, err
			}
		}
	}
	for _, r := range j.Renames {
		if err := checkPath(r.To); err != nil {
			return journal{}, err
		}
		if r.From < 0 {
			return journal{}, fmt.Errorf("journal names stage file %d", r.From)
		}
	}
	return j, nil
}

// run carries a journal out.
type run struct {
	layer  fileLayer
	target *target
	stage  string
}

func (r run) all(j journal) error {
	if r.untouched(j) {
		if err := r.deleteAll(j.Before); err != nil {
			return err
		}
	}
	made := map[string]bool{}
	for _, path := range j.Trees {
		if err := r.moveTree(path, made); err != nil {
			return err
		}
	}
	for _, step := range j.Renames {
		if err := r.rename(step, made); err != nil {
			return err
		}
	}
	r.target = newTarget(r.target.dir) // directories were made
	return r.deleteAll(j.After)
}

// untouched reports whether no rename was done yet. A deletion that makes room
// must not be repeated later: where letter case does not count it would take
// the new file away.
func (r run) untouched(j journal) bool {
	first := ""
	switch {
	case len(j.Trees) > 0:
		first = stagedTree(r.stage, j.Trees[0])
	case len(j.Renames) > 0:
		first = staged(r.stage, j.Renames[0].From)
	default:
		return true
	}
	_, err := os.Lstat(first)
	return err == nil
}

// rename puts one staged file in its place. One that is no longer staged has
// been renamed before.
func (r run) rename(step renameStep, made map[string]bool) error {
	from := staged(r.stage, step.From)
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() != step.Size {
		return fmt.Errorf("staged file of %s is damaged", step.To)
	}
	if err := r.makeParent(step.To, made); err != nil {
		return err
	}
	if err := r.removeHollow(r.target.abs(step.To)); err != nil {
		return err
	}
	return r.layer.Rename(from, r.target.abs(step.To))
}

// removeHollow removes a directory that is where a file goes and has no file
// in it. One that has is left, and the rename says so.
func (r run) removeHollow(dir string) error {
	if state, err := lookAt(dir); err != nil || state != isDir {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return nil
		}
		if err := r.removeHollow(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	return r.layer.Remove(dir)
}

// deleteAll removes files and the directories they leave empty. What is gone or
// has become something else is skipped.
func (r run) deleteAll(paths []string) error {
	var dirs []string
	for _, path := range paths {
		state, err := r.target.directory(parent(path))
		if err != nil {
			return err
		}
		if state != isDir {
			dirs = append(dirs, parent(path))
			continue
		}
		info, err := os.Lstat(r.target.abs(path))
		if err == nil && !info.IsDir() {
			err = r.layer.Remove(r.target.abs(path))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		dirs = append(dirs, parent(path))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if err := r.prune(dir); err != nil {
			return err
		}
	}
	return nil
}

// prune removes a directory that is empty, and those above it that become so.
func (r run) prune(dir string) error {
	for ; dir != "."; dir = parent(dir) {
		name := r.target.abs(dir)
		if state, err := lookAt(name); err != nil || state == isGone {
			continue // the one above may be empty too
		} else if state == isOther {
			return nil
		}
		entries, err := regularfile.OpenDir(name)
		if err != nil {
			return err
		}
		names, _ := entries.Readdirnames(1)
		entries.Close()
		if len(names) > 0 {
			return nil
		}
		if err := r.layer.Remove(name); err != nil {
			return err
		}
	}
	return nil
}
