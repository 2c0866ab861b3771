package starter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/repo"
)

// write writes what is missing, all of it or nothing.
func (in *Run) write(ctx context.Context) error {
	if _, err := os.Stat(in.Dir); err == nil {
		return in.writeInto(ctx)
	}
	return in.writeNew(ctx)
}

// writeInto writes into a directory that exists.
func (in *Run) writeInto(ctx context.Context) error {
	state := filepath.Join(in.Dir, repo.StateName)
	_, err := os.Lstat(state)
	own := errors.Is(err, fs.ErrNotExist)
	err = in.put(ctx, in.Dir, state, in.inspect)
	if err != nil && own && !errors.Is(err, publish.ErrInterrupted) && !errors.Is(err, publish.ErrLocked) {
		regularfile.RemoveAll(state)
	}
	return err
}

const stagePrefix = ".packgen-init-" // of a directory beside the new one

// writeNew makes the directory: beside its place and then in one step, which
// fails when another run was faster.
func (in *Run) writeNew(ctx context.Context) (err error) {
	parent := filepath.Dir(in.Dir)
	missing := missingDirs(parent)
	defer func() {
		if err != nil {
			removeEmpty(missing)
		}
	}()
	if err := regularfile.MkdirAll(parent, 0o777); err != nil {
		return fmt.Errorf("make %s: %w", in.Shown, err)
	}
	publish.SweepStages(parent, stagePrefix)
	work, err := regularfile.MkdirTemp(parent, stagePrefix+"*")
	if err != nil {
		return fmt.Errorf("make %s: %w", in.Shown, err)
	}
	defer regularfile.RemoveAll(work)
	made := filepath.Join(work, "new")
	if err := in.put(ctx, made, filepath.Join(work, "state"), func() error { return nil }); err != nil {
		return err
	}
	if err := regularfile.Rename(made, in.Dir); err != nil {
		return diag.WithHint(fmt.Errorf("make %s: %w", in.Shown, err), "run again if another run made the directory; nothing was written")
	}
	return nil
}

// put writes what is missing into a directory. look is called once no other run
// can write there, and says again what is missing and what is in the way.
func (in *Run) put(ctx context.Context, dir, state string, look func() error) (err error) {
	tx, err := publish.Begin(ctx, publish.Options{Target: dir, StateDir: state, Wait: repo.LockWait})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	if err := look(); err != nil || len(in.Blocked) > 0 {
		return err
	}
	for _, f := range in.Files {
		if in.Kept[f.Path] != "" {
			continue
		}
		change, err := tx.Put(f.Path, f.Data)
		if err != nil {
			return err
		}
		if change == publish.Updated {
			return diag.WithHint(fmt.Errorf("%s appeared meanwhile; nothing was written", f.Path), "run again")
		}
	}
	_, err = tx.Commit()
	return err
}

// missingDirs lists a directory and those above it that do not exist, the
// deepest first.
func missingDirs(dir string) []string {
	var list []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
	}
}

// removeEmpty removes directories as far as nothing is in them.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		if regularfile.Remove(dir) != nil {
			return
		}
	}
}
