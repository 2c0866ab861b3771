package suites

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// LockedRouting runs the routing goldens of a repository against its own packs with the
// locked ones, as they were and as they are, and returns the change as Markdown; "" where
// there are no goldens or nothing changed. layers gives the indexes of the locked packs.
// What fails is said in the text: the lock is good without it.
func LockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) string {
	change, err := lockedRouting(ctx, w, layers)
	switch {
	case err != nil:
		return fmt.Sprintf("\nRouting is not compared: %s. Where the cache lacks a pack, run packgen pull before packgen lock update.\n", diag.Cell(err.Error()))
	case change == nil:
		return ""
	}
	return "\n" + change.Markdown()
}

func lockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) (*eval.RoutingChange, error) {
	own := ownPacks(w)
	defer own.Close()
	goldens, err := readGoldens(w, own)
	if err != nil || len(goldens) == 0 {
		return nil, err
	}
	before, after, err := layers()
	if err != nil || len(before)+len(after) == 0 {
		return nil, err
	}
	run := &Run{Options: Options{At: time.Unix(0, 0)}, ws: w} // nothing is written, and no entry holds the time
	ix, err := run.prepare(ctx, own)
	if err != nil {
		return nil, err
	}
	repository := loadout.Layer{Name: "packs", Index: ix} // its entries win over those of packs from elsewhere
	was, err := mergedIndex(append(before, repository))
	if err != nil {
		return nil, err
	}
	is, err := mergedIndex(append(after, repository))
	if err != nil {
		return nil, err
	}
	dialect, _ := loadout.NamedDialect(w.Config.Matcher) // the configuration was checked
	change := &eval.RoutingChange{}
	for _, g := range goldens {
		if err := change.Add(g, was, is, dialect); err != nil {
			return nil, err
		}
	}
	return change, nil
}

// ownPacks opens the packs of a repository. One that only uses packs has none.
func ownPacks(w *repo.Repo) *repo.Packs {
	own, err := w.Open()
	if err != nil {
		return &repo.Packs{}
	}
	return own
}

// readGoldens reads all routing goldens of a repository: at its root, and in each pack.
func readGoldens(w *repo.Repo, own *repo.Packs) ([]*eval.Routing, error) {
	files := []string{w.Paths.Abs(eval.RoutingPath)}
	for _, m := range own.Members {
		files = append(files, filepath.Join(w.Paths.Abs(m.Dir), filepath.FromSlash(eval.RoutingPath)))
	}
	var list []*eval.Routing
	for _, file := range files {
		data, err := atomicfile.Read(file, eval.MaxRoutingBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read routing goldens %s: %w", w.Paths.Rel(file), err)
		}
		r, faults := eval.ReadRouting(w.Paths.Rel(file), data)
		if r == nil {
			return nil, &repo.Faults{List: faults}
		}
		list = append(list, r)
	}
	return list, nil
}

// mergedIndex lays indexes over each other, weakest first.
func mergedIndex(list []loadout.Layer) (*loadout.Index, error) {
	merged, err := loadout.Merge(list, loadout.MergeOptions{})
	if err != nil {
		return nil, fmt.Errorf("merge the indexes: %w", err)
	}
	for _, l := range list {
		if l.Index.Tokenizer == loadout.Unicode {
			merged.SetTokenizer(loadout.Unicode)
		}
	}
	return &merged.Index, nil
}
