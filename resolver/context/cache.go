package context

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/parallel"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Cache keeps what is known of the sections of a pack from one process to the next.
// What it loses is worked out again.
type Cache interface {
	Recall() []byte   // what was kept last; nil for nothing
	Keep(data []byte) // data may not be kept
	Fine() bool       // times of the pack's files show changes of the same second
}

// Remember keeps in a pack's Cache what queries need of it, as the first query would. A
// pack that queries have to read as a whole is left alone.
func Remember(ctx context.Context, p Pack) error {
	if p.Cache == nil {
		return nil
	}
	s, err := openContents(&p, p.Cache)
	if err != nil {
		return fmt.Errorf("remember pack %s: %w", p.Dir, err)
	}
	if len(s.splits) > 0 && ctx.Err() == nil {
		(&picker{contents: s, scorer: rank.BM25F{}, pool: s.ranked()}).index()
	}
	return ctx.Err()
}

// snapshot records what is known of a pack whose splits are ranked; false where an
// answer needs more than that.
func (p *picker) snapshot() (*snapshot, bool) {
	newest := p.runs.newest()
	damaged := func(u *unit) bool { return u.absent || u.insteadOf != "" || u.sum == "" || !newest.outputs[u.path] }
	switch {
	case newest == nil || len(p.lost)+len(p.notes)+len(p.runs.warnings()) > 0 || p.pack.Linked() || len(p.splits) == 0:
		return nil, false
	case slices.ContainsFunc(p.splits, damaged), slices.ContainsFunc(p.views, damaged), len(p.uncompiled(nil)) > 0:
		return nil, false
	}
	s := &snapshot{facts: facts{Run: newest.facts(), Statuses: map[string]schema.Status{}, Open: p.openQuestions(), Boundaries: p.boundaryUnits()}}
	for _, c := range p.sourceMap.Claims {
		if c.Status != schema.Confirmed {
			s.facts.Claims = append(s.facts.Claims, c)
		}
	}
	for _, u := range p.views {
		s.facts.Views = append(s.facts.Views, viewFacts{u.path, u.title, u.derived, u.sum})
	}
	places := map[string]int{}
	for _, u := range p.splits {
		at, ok := places[u.document]
		if !ok {
			at = len(places)
			places[u.document] = at
			s.documents.add([]byte(u.document))
			if status := p.document(u.document).status(); u.document != "" && status != "" {
				s.facts.Statuses[u.document] = status
			}
		}
		s.addUnit(u, at)
	}
	var ok bool
	if s.files, s.dirs, ok = restsOn(p.pack, newest.path, p.cache.Fine()); !ok {
		return s, false
	}
	s.mapped, ok = mappedRest(p.pack, p.cache.Fine())
	return s, ok
}

// mappedRest is what shows whether the mapped folders are as they were; false where
// nothing does.
func mappedRest(p *pack.Pack, fine bool) ([]pack.Watched, bool) {
	list, ok := p.WatchMapped()
	for _, w := range list {
		for _, f := range w.Files {
			ok = ok && f.ChangeTime != 0 && atRest(f.File, p.Listed, fine)
		}
		for _, d := range w.Dirs {
			ok = ok && atRest(d, p.Listed, fine)
		}
	}
	return list, ok
}

// facts are what is kept of a run.
func (r *run) facts() runFacts {
	f := runFacts{Path: r.path, Status: r.status, Sources: map[string]string{}}
	for name, sum := range r.inputs {
		if !makesViews(name) {
			f.Sources[name] = sum
		}
	}
	for name := range r.outputs {
		if !strings.HasPrefix(name, splitsDir) {
			f.Outputs = append(f.Outputs, name)
		}
	}
	slices.Sort(f.Outputs)
	for _, d := range r.found {
		if d.Severity != diag.Info {
			f.Found = append(f.Found, d)
		}
	}
	return f
}

// restsOn are the files and directories of a pack that show whether anything has changed
// since they were listed. Splits and views are not among them: each has a hash. It is
// false where they cannot: on a file system without times of change, or where
// somebody is writing.
func restsOn(p *pack.Pack, newestRun string, fine bool) (files, dirs []pack.File, ok bool) {
	for _, f := range p.Files {
		if p.IsMapped(f.Path) {
			continue
		}
		written := f.Path == indexPath || f.Path == sourceMapPath || f.Path == newestRun || f.Path == schema.RunLedgerPath(newestRun)
		if f.ChangeTime == 0 {
			return nil, nil, false
		}
		if pack.LayerOf(f.Path).IsOutput() {
			if !written {
				continue
			}
		} else if !atRest(f, p.Listed, fine) {
			return nil, nil, false
		}
		files = append(files, f)
	}
	for _, top := range []string{".", "answers", "documents", "sources", "wiki"} {
		err := fs.WalkDir(p.FS(), top, func(name string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist) && name == top:
				return nil
			case err != nil:
				return err
			case !d.IsDir():
				return nil
			case name != "." && strings.HasPrefix(path.Base(name), "."):
				return fs.SkipDir // never listed
			}
			f, ok := pack.LookDir(p.FS(), name)
			if !ok || !atRest(f, p.Listed, fine) && name != "." {
				return fs.ErrInvalid
			}
			dirs = append(dirs, f)
			if name == "." {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			return nil, nil, false
		}
	}
	return files, dirs, true
}

// atRest reports whether a file was not touched so recently that its times may not show it.
func atRest(f pack.File, listed time.Time, fine bool) bool {
	return store.Quiet(f.Stat, listed.UnixNano(), fine)
}

// frontBoundaries are the places that the front matter of files calls boundaries.
func (s *contents) frontBoundaries(names []string) []string {
	lists := make([][]string, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			lists[i] = s.boundariesOf(names[i])
		}
	})
	return slices.Concat(lists...)
}

// index is what is counted in the pool; nil for a scorer that counts nothing. It is
// counted once, and kept with whatever else a query needs where the pack is as its newest
// run has left it.
func (p *picker) index() *rank.Index {
	if _, ok := p.scorer.(rank.BM25F); !ok {
		return nil
	}
	if s, ok := p.pool.(*snapshot); ok {
		return s.index
	}
	p.counting.Do(func() {
		list := all(p.pool)
		p.counted = rank.NewIndex(p.sections(list, p.questions()))
		if p.cache == nil || len(list) == 0 || len(list) != len(p.splits) || list[0] != p.splits[0] {
			return
		}
		s, ok := p.snapshot()
		if !ok {
			return
		}
		s.index = p.counted
		p.cache.Keep(s.encode())
	})
	return p.counted
}
