package server

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// pollEvery is how often a poll looks when nothing else is said.
const pollEvery = 500 * time.Millisecond

// state is what a poll remembers of a file.
type state struct {
	size int64 // bytes
	time int64 // of the last change, in nanoseconds
	mode fs.FileMode
}

// poll looks at all watched files again and again, and reports those that differ
// from the last look.
func poll(ctx context.Context, o WatchOptions) <-chan Change {
	out := make(chan Change)
	before := look(o)
	go func() {
		defer close(out)
		tick := time.NewTicker(cmp.Or(o.Every, pollEvery))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := look(o)
			changed := map[string]bool{}
			for path, s := range now {
				if old, known := before[path]; !known || old != s {
					changed[path] = true
				}
			}
			for path := range before {
				if _, stays := now[path]; !stays {
					changed[path] = true
				}
			}
			before = now
			if slices.ContainsFunc(o.Files, func(file string) bool { return changed[file] }) {
				o = o.renewed()
				before = look(o) // a build for this change reads all that is new
			}
			if len(changed) == 0 {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case out <- changeOf(changed, false):
			}
		}
	}()
	return out
}

// look lists the watched files. What cannot be read does not exist.
func look(o WatchOptions) map[string]state {
	files := map[string]state{}
	note := func(path string, info fs.FileInfo) {
		files[path] = state{info.Size(), info.ModTime().UnixNano(), info.Mode()}
	}
	for _, dir := range o.Dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case path != dir && o.left(path):
				if d.IsDir() {
					return filepath.SkipDir
				}
			case !d.IsDir():
				if info, err := d.Info(); err == nil {
					note(path, info)
				}
			}
			return nil
		})
	}
	for _, file := range o.Files {
		if info, err := os.Stat(file); err == nil {
			note(file, info)
		}
	}
	return files
}
