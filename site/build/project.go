package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
)

// idIndexForeign is the rule about an index.json that another command keeps, or
// somebody else.
const idIndexForeign = "index-foreign"

// projectIndex makes the second index, with paths from the repository root, for
// agents that work in the repository; nil when the configuration asks for none,
// or the compiled files are not where its paths would lead.
func (b *Run) projectIndex(ctx context.Context, builder *index.Builder) (*loadout.Index, error) {
	if b.ws.Config.Loadout.Project == "" || b.overlay != "" {
		return nil, nil
	}
	dirs := b.Repository.Dirs()
	ix, _, err := builder.Finish(ctx, b.results(), index.Options{
		Generated: b.now,
		Path:      func(p *pack.Pack, path string) string { return dirs[p.Meta.Name] + "/" + path },
	})
	if err != nil {
		return nil, fmt.Errorf("build the index of the project: %w", err)
	}
	return ix, nil
}

// inspectProject reports a file that a build may not write, before anything is written,
// and ids that its entries share with others of the file.
func (b *Run) inspectProject(built *loadout.Index) error {
	if built == nil {
		return nil
	}
	name := filepath.ToSlash(b.ws.Config.Loadout.Project)
	merged, err := b.withProject(built)
	if errors.Is(err, entryowner.ErrForeign) {
		b.Repository.Add([]diag.Diagnostic{{
			ID: idIndexForeign, Severity: diag.Error, Path: name,
			Message: "a file is here that no build wrote, and no split of rules",
			Hint:    "move it away, or name another file as loadout.project in " + repo.ConfigName,
		}})
		return nil
	}
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for i := range built.Entries {
		own[built.Entries[i].ID] = true
	}
	for i := range merged.Entries[:len(merged.Entries)-len(built.Entries)] {
		if e := &merged.Entries[i]; own[e.ID] {
			b.Repository.Add([]diag.Diagnostic{{
				ID: "duplicate-id", Severity: diag.Warning, Path: name,
				Message: fmt.Sprintf("the entry %q of %s has the id of an entry of a pack", e.ID, e.Path),
				Hint:    "give the rule another id in its front matter, then run packgen rules index",
			}})
		}
	}
	return nil
}

// withProject puts the entries of this build into the index that is in its place.
func (b *Run) withProject(built *loadout.Index) (*loadout.Index, error) {
	name := filepath.ToSlash(b.ws.Config.Loadout.Project)
	var old *loadout.Index
	text, err := atomicfile.Read(b.ws.Paths.Abs(name), indexjson.MaxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", name, err)
	default:
		if old, err = indexjson.Read(text); err != nil {
			return nil, entryowner.ErrForeign // no index of ours is broken: they are replaced as a whole
		}
	}
	var dirs []string
	for _, m := range b.out.shown {
		dirs = append(dirs, m.Dir)
	}
	slices.Sort(dirs)
	return entryowner.WithBuild(old, built, dirs, path.Dir(path.Clean(name)))
}

// writeProject writes the second index where the configuration says. Rules may keep
// theirs in the same file, so that both take turns.
func (b *Run) writeProject(ctx context.Context, built *loadout.Index) error {
	if built == nil {
		return nil
	}
	name := b.ws.Config.Loadout.Project
	if !b.Flags.DryRun {
		unlock, err := repo.LockRules(ctx, b.ws.Paths)
		if err != nil {
			return err
		}
		defer unlock()
	}
	merged, err := b.withProject(built)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	target := b.ws.Paths.Abs(name)
	tx, err := publish.Begin(ctx, publish.Options{
		Target: filepath.Dir(target), StateDir: b.state(), DryRun: b.Flags.DryRun, Wait: repo.LockWait,
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err = tx.Put(filepath.Base(target), indexjson.Write(merged)); err == nil {
		_, err = tx.Commit()
	}
	if err = errors.Join(err, tx.Abort()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// putIndexes hands the loadout index to the transaction, and returns that of the
// project; nil when there is none.
func (b *Run) putIndexes(ctx context.Context, t *tools, tx publish.Target) (site.Index, *loadout.Index, error) {
	ix, err := b.putIndex(ctx, t, tx)
	if err != nil {
		return ix, nil, err
	}
	project, err := b.projectIndex(ctx, t.builder)
	if err != nil {
		return ix, nil, err
	}
	return ix, project, b.inspectProject(project)
}

// putIndex builds the loadout index and hands it to the transaction.
func (b *Run) putIndex(ctx context.Context, t *tools, tx publish.Target) (site.Index, error) {
	tasks, err := b.tasks()
	if err != nil {
		return site.Index{}, err
	}
	suites, err := b.suites()
	if err != nil {
		return site.Index{}, err
	}
	facts, err := t.pages.PutIndex(tx, site.Evals{Tasks: tasks, Suites: suites}, func(least func(int), visit func(e *loadout.Entry) error) (*loadout.Index, error) {
		entries := 0
		earlier, kept := b.earlier(t.builder, tx)
		results := append(b.results(), earlier...)
		ix, faults, err := t.builder.Each(ctx, results, index.Options{Generated: b.now, Kept: kept, Counted: least}, func(e *loadout.Entry) error {
			entries++
			if b.indexed != nil {
				b.indexed(e)
			}
			return visit(e)
		})
		if err != nil {
			return nil, err
		}
		b.raise(b.aboutShown(faults))
		b.Index = &IndexReport{entries, ix.Budget.AlwaysLoaded, ix.Budget.OnDemandTotal}
		return ix, ctx.Err()
	})
	if err != nil {
		return site.Index{}, fmt.Errorf("build the loadout index: %w", err)
	}
	b.raise(index.Oversize(index.Sizes{Entries: facts.Entries, Text: facts.Text, LeftOut: facts.LeftOut}))
	return facts, nil
}
