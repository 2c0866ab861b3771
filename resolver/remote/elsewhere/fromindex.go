package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/repo"
)

// layerNames are the layers of a repository, whose names no reference takes.
var layerNames = []string{"global", "org", "project", "session"}

// indexesOf returns the loadout index of each reference: the one that a site
// publishes, for a site that is neither locked nor narrowed to a pack; otherwise the
// one that a build would make of the pack.
func indexesOf(ctx context.Context, e *Places, texts []string) ([]loadout.Layer, error) {
	targets, err := e.targets(texts)
	if err != nil {
		return nil, err
	}
	e.stages.Begin("open")
	defer e.stages.End()
	var list []loadout.Layer
	for _, t := range targets {
		layer := loadout.Layer{Name: t.Ref.String(), Path: t.Ref.String()}
		if slices.Contains(layerNames, layer.Name) {
			layer.Name = "dir:" + layer.Name
		}
		// The index of a whole site is not signed: where a signature is asked for, a pack is.
		rule, known := e.policy.For(t.Ref.Place())
		if t.locked == nil && rule == nil && known && remote.HasSiteIndex(t.Ref, e.options(t)) {
			layer.Index, err = siteIndex(ctx, e, t)
		} else {
			layer.Index, err = packIndex(ctx, e, t)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, layer)
	}
	return list, nil
}

// siteIndex reads the index that a site publishes.
func siteIndex(ctx context.Context, e *Places, t target) (*loadout.Index, error) {
	data, err := remote.SiteIndex(ctx, t.Ref, e.options(t), indexjson.MaxFetched)
	if err != nil {
		return nil, explainTarget(e, t, err)
	}
	room := int64(indexjson.MaxFetched)
	ix, err := indexjson.ReadWith(data, func(p *indexjson.Part) ([]byte, error) {
		if room -= p.Size; room < 0 {
			return nil, fmt.Errorf("the parts have more than %s", bytesize.Text(indexjson.MaxFetched))
		}
		text, err := remote.SiteIndexPart(ctx, t.Ref, e.options(t), p.Path, p.Size)
		return text, partFault(p, err)
	})
	if err == nil {
		err = ix.Check()
	}
	var answer *fetch.Error
	var offline *remote.OfflineError
	if errors.As(err, &answer) || errors.As(err, &offline) {
		return nil, explainTarget(e, t, err)
	}
	if err != nil {
		err = repo.ReadIndexError(t.Ref.String(), err)
		if !t.Ref.IsLocal() {
			err = diag.WithHint(err, "ask the owner of the site to build and publish it again")
		}
		return nil, diag.Refuse(err)
	}
	return ix, nil
}

// partFault is the error of a part as it is on disk, where a server says the same in its way.
func partFault(p *indexjson.Part, err error) error {
	var answer *fetch.Error
	switch {
	case !errors.As(err, &answer):
		return err
	case answer.Rule == fetch.RuleNotFound:
		return fs.ErrNotExist
	case answer.Rule == fetch.RuleTooLarge:
		return p.Differs(p.Size+1, nil)
	}
	return err
}

// packIndex makes an index of a pack. A cached pack that turns out to be damaged
// is fetched again, once.
func packIndex(ctx context.Context, e *Places, t target) (*loadout.Index, error) {
	for again := false; ; again = true {
		a, err := e.get(ctx, t, false)
		if err != nil {
			return nil, err
		}
		ix, err := buildIndex(ctx, a, &e.ws.Config.Loadout)
		if a.Damage() != nil && !again {
			if _, err := e.DropDamaged(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("index %s: %w", t.Ref, explainElsewhere(err))
		}
		return ix, nil
	}
}

// buildIndex compiles a pack in memory and makes the index of it. What is wrong
// with the pack is its maker's affair, and its sources may be left out.
func buildIndex(ctx context.Context, a *remote.Artifact, c *repo.LoadoutConfig) (*loadout.Index, error) {
	p, found, err := pack.OpenFS(a.FS, "") // without a name: there is no directory to look for earlier outputs in
	if err != nil {
		return nil, err
	}
	if p == nil {
		for _, d := range found {
			if d.Severity == diag.Error {
				return nil, fmt.Errorf("the pack cannot be read: %s", d.Message)
			}
		}
		return nil, fmt.Errorf("the pack cannot be read")
	}
	b := c.NewBuilder(nil)
	// The time is that of no run: nothing is written, and no entry holds it.
	now := time.Unix(0, 0)
	result, err := compiler.Compile(ctx, p, compiler.Options{
		DryRun: true, Now: now, Contribute: []compiler.Contributor{b.Contributor(p)}, Store: &store.Memory{},
	})
	if err != nil {
		return nil, err
	}
	ix, _, err := b.Finish(ctx, []*compiler.Result{result}, index.Options{Generated: now})
	return ix, err
}

// FromLayers returns a layer for each reference, in their order.
func FromLayers(ctx context.Context, w *repo.Repo, from []string, offline bool) ([]loadout.Layer, error) {
	if len(from) == 0 {
		return nil, nil
	}
	e, err := New(w, offline)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	return indexesOf(ctx, e, from)
}

// FromMatcher merges the indexes of references into one to match against; of two
// entries of one id the later reference wins.
func FromMatcher(ctx context.Context, w *repo.Repo, from []string, offline bool) (string, repo.Matcher, error) {
	layers, err := FromLayers(ctx, w, from, offline)
	if err != nil {
		return "", nil, err
	}
	if len(layers) == 1 {
		return layers[0].Path, repo.Scan{Ix: layers[0].Index}, nil
	}
	merged, err := loadout.Merge(layers, loadout.MergeOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("merge the indexes: %w", err)
	}
	ix := merged.Index
	return fmt.Sprintf("%d references", len(layers)), repo.Scan{Ix: &ix}, nil
}
