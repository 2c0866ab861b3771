package store

import (
	"cmp"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
)

// Disk is a store in a directory.
type Disk struct {
	dir    string
	keep   bool
	mu     sync.Mutex
	groups map[string]*Group
}

// Open returns the store in a directory, which is made when something is kept.
func Open(dir string) *Disk { return &Disk{dir: dir, keep: true, groups: map[string]*Group{}} }

// ReadOnly returns the store in a directory for a run that leaves nothing there;
// what it adds is kept in temporary files until it ends. With "" as directory the
// store is empty at first.
func ReadOnly(dir string) *Disk { return &Disk{dir: dir, groups: map[string]*Group{}} }

// Group returns a part of the store by its name.
func (d *Disk) Group(name string) *Group {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.groups[name]
	if g == nil {
		g = &Group{keep: d.keep, clock: time.Now}
		if d.dir != "" {
			g.dir = filepath.Join(d.dir, groupDir(name))
		}
		d.groups[name] = g
	}
	return g
}

// Release writes what was added to a group and lets it go: it is read again when it is
// asked for. A group that nobody has asked for stays as it is.
func (d *Disk) Release(name string) {
	d.mu.Lock()
	g := d.groups[name]
	if g != nil && g.keep {
		delete(d.groups, name)
	}
	d.mu.Unlock()
	if g != nil && g.keep {
		g.close()
	}
}

// Close writes what was added, sweeps the directory once a day, and ends the store.
func (d *Disk) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		g.close()
	}
	d.groups = map[string]*Group{}
	if d.keep {
		d.sweep(time.Now())
	}
}

// How a store is swept.
const (
	sweepEvery = 24 * time.Hour
	killedAge  = 24 * time.Hour      // of a file that was never put in place
	groupAge   = 30 * 24 * time.Hour // of a group that nothing was added to
	maxStore   = 8 << 30             // bytes
	sweptName  = "swept"
)

// sweep removes what killed processes left, groups that nobody writes to, and the
// groups that were written to longest ago when the store is too large.
func (d *Disk) sweep(now time.Time) {
	mark := filepath.Join(d.dir, sweptName)
	if info, err := os.Lstat(mark); err == nil {
		if age := now.Sub(info.ModTime()); age >= 0 && age < sweepEvery {
			return
		}
	} else if _, err := os.Lstat(d.dir); err != nil {
		return // nothing was ever kept
	}
	f, _, err := regularfile.OpenFile(mark, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	_ = f.Close()
	_ = os.Chtimes(mark, now, now)
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return
	}
	var groups []groupSize
	total := int64(0)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		g := measure(filepath.Join(d.dir, e.Name()), now)
		if now.Sub(g.newest) > groupAge {
			_ = regularfile.RemoveAll(g.dir)
			continue
		}
		groups = append(groups, g)
		total += g.size
	}
	slices.SortFunc(groups, func(a, b groupSize) int { return cmp.Compare(a.newest.UnixNano(), b.newest.UnixNano()) })
	for _, g := range groups {
		if total <= maxStore {
			return
		}
		_ = regularfile.RemoveAll(g.dir)
		total -= g.size
	}
}

type groupSize struct {
	dir    string
	size   int64
	newest time.Time
}

// measure looks at a group, and removes the files in it that were never put in
// place.
func measure(dir string, now time.Time) groupSize {
	g := groupSize{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return g
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		if strings.HasSuffix(e.Name(), tempEnding) && now.Sub(info.ModTime()) > killedAge {
			_ = regularfile.Remove(filepath.Join(dir, e.Name()))
			continue
		}
		g.size += info.Size()
		if info.ModTime().After(g.newest) {
			g.newest = info.ModTime()
		}
	}
	return g
}

// groupDir is the directory of a group, by its name, below that of its store.
func groupDir(name string) string {
	sum := Sum([]byte(name))
	return hex.EncodeToString(sum[:8])
}
