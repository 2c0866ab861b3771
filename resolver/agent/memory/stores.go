package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// RefreshFound is Refresh; where no store was named and the directory has none, it
// publishes the stores that agents keep.
func RefreshFound(ctx context.Context, o RefreshOptions, unnamed bool) (*Refreshed, error) {
	if unnamed {
		if _, err := os.Stat(filepath.Join(o.Store, FileName)); err != nil {
			if r, err := RefreshAgents(ctx, o); r != nil || err != nil {
				return r, err
			}
		}
	}
	return Refresh(ctx, o)
}

// RefreshAgents publishes the stores that agents keep as one index; nil when there are none.
// The store of the options does not count. Nothing is written
// into a store. What is wrong with one takes none of the others down: a reference
// without its file is left out and reported as a warning.
func RefreshAgents(ctx context.Context, o RefreshOptions) (*Refreshed, error) {
	stores := agentStores(o.Agents)
	if len(stores) == 0 {
		return nil, nil
	}
	dest, err := filepath.Abs(o.Dest)
	if err != nil {
		return nil, err
	}
	r := &Refreshed{Store: filepath.Dir(filepath.Dir(stores[0])), Dest: dest, DryRun: o.DryRun, Analysis: &Analysis{joined: true}}
	r.MemoryMD = r.Store
	ix := &loadout.Index{Version: loadout.Version, Generated: layers.Stamp(o.At), Source: r.Store}
	used := map[string]bool{}
	always := 0.0
	for _, dir := range stores {
		file := filepath.Join(dir, FileName)
		a, err := Analyze(ctx, file, o.Outside)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Analysis.Diagnostics = append(r.Analysis.Diagnostics, Issue{Severity: loadout.SeverityWarning, Code: "STORE_UNREADABLE", Message: fmt.Sprintf("the store cannot be read: %v", err)})
			continue
		}
		for _, issue := range a.audible(a.Diagnostics) {
			if issue.Severity == loadout.SeverityError {
				issue.Severity, issue.Line, issue.Message = loadout.SeverityWarning, 0, file+": "+issue.Message
				r.Analysis.Diagnostics = append(r.Analysis.Diagnostics, issue)
			}
		}
		part := a.Index(ix.Generated, false)
		always += part.Budget.AlwaysLoaded
		for _, e := range part.Entries {
			if !filepath.IsAbs(e.Path) {
				e.Path = filepath.Join(dir, filepath.FromSlash(e.Path))
				r.PathsRewritten++
			}
			e.ID = freeID(e.ID, filepath.Base(filepath.Dir(dir)), used)
			ix.Entries = append(ix.Entries, e)
		}
		if part.Tokenizer == loadout.Unicode {
			ix.Tokenizer = loadout.Unicode
		}
	}
	if ix.Tokenizer == loadout.Unicode {
		ix.SetTokenizer(loadout.Unicode)
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	ix.Budget.AlwaysLoaded, ix.Budget.AvgObserved = always, layers.LogBeside(r.Dest).Observed(ix)
	r.EntryCount, r.Published = len(ix.Entries), ix
	r.Issues, r.IndexIssues = r.Analysis.Diagnostics, loadout.Validate(ix)
	r.DestIssues = r.IndexIssues
	return r.finish(ctx, o, ix)
}

// freeID makes an id unique by the name of the project its store is of.
func freeID(id, project string, used map[string]bool) string {
	free := id
	for n := 1; used[free]; n++ {
		free = id + "-" + nameID(project)
		if n > 1 {
			free = fmt.Sprintf("%s-%d", free, n)
		}
	}
	used[free] = true
	return free
}
