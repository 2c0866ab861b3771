package repo

import (
	"context"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/prune"
)

// PrunedPack says which run records of a pack were removed, for the envelope of a command.
type PrunedPack struct {
	Pack    string    `json:"pack"`
	Dir     string    `json:"dir"`
	Kept    []KeptRun `json:"kept"`
	Removed []string  `json:"removed"`
	Bytes   int64     `json:"bytes"`
}

// KeptRun is a run record that stays.
type KeptRun struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// PruneRuns removes run records of the packs named, of all without any. Where overlay is
// not "", or the configuration names one, it holds the records. The caller closes the
// packs; those that cannot be read are left alone.
func PruneRuns(ctx context.Context, w *Repo, names []string, overlay string, dryRun bool) (chosen *Packs, packs []PrunedPack, err error) {
	if info, err := os.Stat(w.Paths.Abs(overlay)); overlay != "" && (err != nil || !info.IsDir()) {
		return nil, nil, diag.Absent("directory", overlay, "name the directory of compile --overlay")
	}
	if overlay == "" {
		overlay = w.Config.Overlay
	}
	all, chosen, err := w.OpenForCheck(names)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			all.Close()
		}
	}()
	for _, m := range chosen.Members {
		if m.Broken() {
			continue
		}
		o := prune.Options{DryRun: dryRun, Wait: LockWait}
		if overlay != "" {
			o.OutDir = filepath.Join(w.Paths.Abs(overlay), m.Name())
		} else {
			o.StateDir = m.State()
		}
		result, err := prune.Runs(ctx, m.Pack, o)
		if err != nil {
			return nil, nil, ExplainWrite(err)
		}
		p := PrunedPack{Pack: m.Name(), Dir: m.Dir, Kept: []KeptRun{}, Removed: append([]string{}, result.Removed...), Bytes: result.Bytes}
		for _, k := range result.Kept {
			p.Kept = append(p.Kept, KeptRun(k))
		}
		packs = append(packs, p)
	}
	return chosen, packs, nil
}
