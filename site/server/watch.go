package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Change is what happened to the watched files since the last one.
type Change struct {
	// Paths are the files and directories that changed, absolute, in order. Files
	// below a directory that is named may have changed too.
	Paths []string
	// Rescan says that more may have changed than Paths names: the system lost
	// count, or a whole tree came at once.
	Rescan bool
	// Asked says that nothing changed: somebody asked for a file that is made only
	// then.
	Asked bool
}

// with returns a change that is c and then another one. It was asked for when both were.
func (c Change) with(next Change) Change {
	paths := map[string]bool{}
	for _, path := range append(slices.Clip(c.Paths), next.Paths...) {
		paths[path] = true
	}
	both := changeOf(paths, c.Rescan || next.Rescan)
	both.Asked = c.Asked && next.Asked
	return both
}

// WatchOptions say what is watched.
type WatchOptions struct {
	Dirs  []string // watched with all that is in them; absolute
	Files []string // single files; they need not exist; absolute
	// Again says again what is watched, after a change of one of Files; ok is false while they
	// cannot say it. It may be nil.
	Again func() (o WatchOptions, ok bool)
	// Ignore leaves out a path and what is below it. The watch itself leaves out
	// every name that begins with a dot.
	Ignore func(path string) bool
	// Poll looks at every file each Every instead of asking the system, for file
	// systems that report nothing, such as network ones.
	Poll bool
	// Every is how often Poll looks; 0 is half a second.
	Every time.Duration
}

// quietFor is how long files must be left alone before a change is reported: an
// editor saves in several steps. It is short, since a step that comes later cancels the
// build for those before it.
const quietFor = 5 * time.Millisecond

// waitAtMost bounds that for files that change without pause.
const waitAtMost = 500 * time.Millisecond

// maxNamed is how many paths a change names; beyond it, Rescan says the rest.
const maxNamed = 1000

// watch reports changes until the context ends, then closes the channel. The
// error is for a watch that cannot begin: too many directories for the system, a
// directory that cannot be read.
func watch(ctx context.Context, o WatchOptions) (<-chan Change, error) {
	if o.Poll {
		return poll(ctx, o), nil
	}
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w", err)
	}
	w := &watcher{WatchOptions: o, notify: n, out: make(chan Change), fresh: map[string]bool{}}
	if err := w.begin(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	go w.run(ctx)
	return w.out, nil
}

// watcher turns the events of the system into changes.
type watcher struct {
	WatchOptions
	notify *fsnotify.Watcher
	out    chan Change
	fresh  map[string]bool // paths that came since the last change
}

func (w *watcher) begin() error {
	for _, dir := range w.Dirs {
		if err := w.add(dir); err != nil {
			return err
		}
		w.watchAbove(dir)
	}
	// A file is watched through its directory: editors replace files, and a file
	// that does not exist yet has nothing to watch.
	for _, file := range w.Files {
		if err := w.notify.Add(filepath.Dir(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch %s: %w", file, err)
		}
	}
	return nil
}

// watchAbove watches the directories that a watched directory lies in: it may be replaced, and
// only they show that. What cannot be watched there is left out.
func (w *watcher) watchAbove(dir string) {
	for above := filepath.Dir(dir); above != filepath.Dir(above); above = filepath.Dir(above) {
		_ = w.notify.Add(above)
	}
}

// replaced watches the directories again that are in the place of a path now. It returns
// those of the watched ones that may be other ones.
func (w *watcher) replaced(path string) (dirs []string) {
	for _, dir := range w.Dirs {
		if !isBelow(dir, path) {
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		return nil
	}
	w.forget(path)
	for _, dir := range dirs {
		_ = w.add(dir)
		w.watchAbove(dir)
	}
	for _, file := range w.Files {
		if isBelow(file, path) {
			_ = w.notify.Add(filepath.Dir(file))
		}
	}
	return dirs
}

// forget ends the watches of a path and of what lies below it: they may be on directories that
// have moved away.
func (w *watcher) forget(path string) {
	for _, old := range w.notify.WatchList() {
		if isBelow(old, path) {
			_ = w.notify.Remove(old)
		}
	}
}

// renew asks again what is watched. What cannot be watched is left out.
func (w *watcher) renew() {
	w.WatchOptions = w.renewed()
	for _, dir := range w.Dirs {
		_ = w.add(dir)
		w.watchAbove(dir)
	}
	for _, file := range w.Files {
		_ = w.notify.Add(filepath.Dir(file))
	}
}

// renewed returns what is watched from now on.
func (o WatchOptions) renewed() WatchOptions {
	if o.Again == nil {
		return o
	}
	next, ok := o.Again()
	if !ok {
		return o
	}
	next.Again, next.Poll, next.Every = o.Again, o.Poll, o.Every
	return next
}

// isBelow reports a path that is another one, or lies below it.
func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// add watches a directory and those in it.
func (w *watcher) add(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("watch %s: %w", path, err)
		case !d.IsDir():
			return nil
		case path != dir && w.left(path):
			return filepath.SkipDir
		}
		err = w.notify.Add(path)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("watch %s: %w; watch without the system's help with --poll", path, err)
	})
}

// left reports whether a path is left out.
func (o *WatchOptions) left(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(base, ".") || isTemporary(base) || o.Ignore != nil && o.Ignore(path)
}

// isTemporary reports a name that editors and sed give to a file which is gone a moment later.
func isTemporary(base string) bool {
	if random, ok := strings.CutPrefix(base, "sed"); ok && len(random) == 6 { // sed -i
		return strings.ContainsAny(random, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && !strings.Contains(random, ".")
	}
	return base == "4913" || // Vim looks whether it can write
		strings.HasSuffix(base, "~") || strings.HasPrefix(base, "~$") || strings.HasPrefix(base, "#") && strings.HasSuffix(base, "#") ||
		slices.ContainsFunc([]string{".swp", ".swx", ".swo", ".tmp", "___jb_tmp___", "___jb_old___", ".kate-swp", ".crdownload", ".part"}, func(end string) bool {
			return strings.HasSuffix(base, end)
		}) || strings.Contains(base, ".tmp.") || strings.Contains(base, ".sb-") // VS Code, macOS
}

// wanted reports whether a path is a watched file, or is in a watched directory.
func (o *WatchOptions) wanted(path string) bool {
	if slices.Contains(o.Files, path) {
		return true
	}
	return !o.left(path) && slices.ContainsFunc(o.Dirs, func(dir string) bool {
		return isBelow(path, dir)
	})
}

// run collects events and reports them once the files are quiet.
func (w *watcher) run(ctx context.Context) {
	defer close(w.out)
	defer w.notify.Close()
	var (
		changed = map[string]bool{}
		rescan  bool
		first   time.Time
		quiet   = time.NewTimer(time.Hour)
		send    chan Change // nil while there is nothing to send
	)
	defer quiet.Stop()
	note := func() {
		now := time.Now()
		if first.IsZero() {
			first = now
		}
		quiet.Reset(max(0, min(quietFor, waitAtMost-now.Sub(first))))
	}
	for {
		var next Change
		if send != nil {
			next = changeOf(changed, rescan)
		}
		select {
		case <-ctx.Done():
			return
		case event, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if w.take(event, changed) {
				note()
			}
		case err, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			// An overflow loses events; any other error may.
			rescan = rescan || err != nil
			w.watchAgain()
			note()
		case <-quiet.C:
			if len(changed) > 0 || rescan {
				send = w.out
			}
		case send <- next:
			clear(changed)
			clear(w.fresh)
			rescan, first, send = false, time.Time{}, nil
		}
	}
}

// take notes what an event is about; it reports false for one that means nothing
// to us.
func (w *watcher) take(event fsnotify.Event, changed map[string]bool) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	if event.Has(fsnotify.Create) || event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		if dirs := w.replaced(event.Name); len(dirs) > 0 {
			for _, dir := range dirs {
				changed[dir] = true
			}
			return true
		}
	}
	if !w.wanted(event.Name) {
		return false
	}
	w.follow(event)
	switch {
	case changed[event.Name]:
	case event.Has(fsnotify.Create):
		w.fresh[event.Name] = true
	}
	if w.fresh[event.Name] && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)) {
		// It came and went since the last change: nobody has seen it.
		delete(changed, event.Name)
		delete(w.fresh, event.Name)
		return len(changed) > 0
	}
	changed[event.Name] = true
	return true
}

// follow watches what is in the place of a path after an event, and where the path says what is
// watched, that.
func (w *watcher) follow(event fsnotify.Event) {
	info, err := os.Lstat(event.Name)
	isNewDir := event.Has(fsnotify.Create) && err == nil && info.IsDir()
	if isNewDir || event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) {
		w.forget(event.Name)
	}
	if isNewDir {
		_ = w.add(event.Name) // what it holds may be older than the watch on it
	}
	if slices.Contains(w.Files, event.Name) {
		w.renew()
	}
}

// watchAgain puts back the watches that went while events were lost.
func (w *watcher) watchAgain() {
	for _, dir := range w.Dirs {
		_ = w.add(dir)
	}
}

// changeOf makes a change of the paths that were noted.
func changeOf(paths map[string]bool, rescan bool) Change {
	c := Change{Rescan: rescan}
	for path := range paths {
		c.Paths = append(c.Paths, path)
	}
	slices.Sort(c.Paths)
	if len(c.Paths) > maxNamed {
		c.Paths, c.Rescan = c.Paths[:maxNamed], true
	}
	return c
}

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
