package mcp

import (
	"context"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/pack"
)

// Packs are looked at so far apart at least, and in at most a fiftieth of the time of one
// core. Looking works on every file system.
const (
	lookEvery  = time.Second
	lookShare  = 50
	maxWatched = 200_000 // files of a pack
)

// stamp identifies a state of a file.
type stamp struct {
	size int64
	time time.Time
}

// state is what packs were when they were looked at, by name and path.
type state map[string]map[string]stamp

// watch notifies clients of packs that change on disk until ctx is done.
func (s *service) watch(ctx context.Context) {
	before := s.states()
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		begin := time.Now()
		if now := s.states(); now != nil {
			if before != nil {
				s.notify(ctx, before, now)
			}
			before = now
		}
		timer.Reset(max(lookEvery, lookShare*time.Since(begin)))
	}
}

// states returns the state of the packs of the repository; nil when they cannot be read
// now. Packs from elsewhere are locked and do not change.
func (s *service) states() state {
	now := state{}
	err := s.look(func(v *visit) error {
		for _, p := range v.packs {
			if v.lib.Foreign(p.Dir) == nil {
				now[v.lib.NameOf(p.Dir)] = stampsOf(s.ws.Paths.Abs(p.Dir))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return now
}

// stampsOf looks at the texts of a pack.
func stampsOf(dir string) map[string]stamp {
	out := map[string]stamp{}
	for _, top := range []string{pack.EntryName, "documents", "wiki", "compiled"} {
		// What cannot be read is as if it were gone.
		_ = filepath.WalkDir(filepath.Join(dir, top), func(name string, d fs.DirEntry, err error) error {
			if err != nil || len(out) >= maxWatched {
				return nil
			}
			if info, err := d.Info(); err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				out[filepath.ToSlash(rel)] = stamp{info.Size(), info.ModTime()}
			}
			return nil
		})
	}
	return out
}

// notify says what changed between two looks: the list of resources, and the resources
// that clients have subscribed to. A change anywhere in a pack counts for its guide.
func (s *service) notify(ctx context.Context, before, now state) {
	changed := map[string]bool{}
	for name := range before {
		if now[name] == nil {
			changed[name] = true
		}
	}
	for name, files := range now {
		if !maps.EqualFunc(before[name], files, func(x, y stamp) bool { return x.size == y.size && x.time.Equal(y.time) }) {
			changed[name] = true
		}
	}
	if len(changed) == 0 {
		return
	}
	// The list is brought up to date; the SDK notifies clients when that changes it. A
	// repository that cannot be read now is read again at the next look.
	_ = s.list(ctx)
	for name := range changed {
		files := map[string]bool{pack.EntryName: true}
		for file, was := range before[name] {
			if now[name][file] != was {
				files[file] = true
			}
		}
		for file := range now[name] {
			if _, had := before[name][file]; !had {
				files[file] = true
			}
		}
		for _, file := range slices.Sorted(maps.Keys(files)) { // the SDK knows who has subscribed to it
			_ = s.server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: address{name, file}.uri()})
		}
	}
}
