package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	resolver "github.com/packgen/packgen/resolver/context"
)

// stateOf is the directory of what is known of a pack, looked up when it is asked for.
func (l *Library) stateOf(dir string) func() string {
	return sync.OnceValue(func() string { return l.w.Paths.PackState(nameOf(l.w.Paths, dir)) })
}

// RememberNew keeps what queries need of packs that were compiled for the first time.
// Of a pack that is as an earlier run left it the next query keeps that: a compile right
// after a build costs no more than one that finds nothing to do. Packs are left to their
// first query as soon as together they have more splits than most.
func RememberNew(ctx context.Context, w *Repo, r *Packs, most int) error {
	l := NewLibrary(w)
	defer l.Close()
	for i := range r.Members {
		m := r.Members[i]
		// A build drops what it no longer needs of a result, but not which run it wrote.
		// Nothing of a pack with a likely secret is kept.
		if m.Result != nil && (!m.Result.Reused || m.Result.RunPath != "") && !m.Dry && len(m.Withheld()) == 0 {
			if most -= m.Result.Counts.Splits; most < 0 {
				return nil
			}
			if err := l.Remember(ctx, m.Dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remember keeps what queries need of a pack that was compiled and of which nothing is
// kept so far, so that the first answer does not count its words. After a change the next
// query does: a compile that follows a small edit should not read the whole pack.
func (l *Library) Remember(ctx context.Context, dir string) error {
	p, err := l.Open(dir, resolver.Explicit)
	if err != nil || p.Cache == nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(l.stateOf(dir)(), sectionsName)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return resolver.Remember(ctx, p)
}

// sectionsName is the file of what is counted in the sections of a pack.
const sectionsName = "sections.bin"

// sectionCache keeps what is counted in the sections of a pack beside what the last
// compile knows of it. Where no compile has kept anything, it makes no directory.
type sectionCache struct {
	state func() string
	dir   string // of the pack
}

// Fine asks the file system of the pack.
func (m sectionCache) Fine() bool { return store.FineTimes(m.dir) }

// sectionsPurpose is what the seal of the file is for.
const sectionsPurpose = "sections"

// Recall reads what this user's runs have kept.
func (m sectionCache) Recall() []byte {
	root, err := regularfile.Root(m.state())
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := root.ReadFile(sectionsName)
	if err != nil {
		return nil
	}
	data, _ = store.Unseal(sectionsPurpose, data)
	return data
}

// Keep replaces the file. What cannot be written is not
// kept.
func (m sectionCache) Keep(data []byte) {
	dir := m.state()
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return
	}
	f, err := scratch.Create(dir, "sections")
	if err != nil {
		return
	}
	_, err = f.Write(store.Seal(sectionsPurpose, data))
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = regularfile.Rename(f.Name(), filepath.Join(dir, sectionsName))
	}
	if err != nil {
		_ = regularfile.Remove(f.Name()) // removal is best effort
	}
}
