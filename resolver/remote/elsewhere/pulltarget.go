package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

// placesOut says where below the directory of --out the packs go, where nothing may be yet.
func placesOut(paths repo.Paths, f PullOptions, list []*Pulled) error {
	if f.Out == "" {
		return nil
	}
	out := paths.Abs(f.Out)
	for _, p := range list {
		to := filepath.Join(out, p.Artifact.Name)
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return diag.Refuse(diag.WithHint(fmt.Errorf("--out: %s exists already", paths.Rel(to)), "remove it, or name another directory; nothing was written"))
		}
		for _, other := range list {
			if other != p && other.Artifact.Name == p.Artifact.Name {
				return diag.Refuse(diag.WithHint(fmt.Errorf("--out: two references lead to packs named %s", p.Artifact.Name), "pull them one after another into different directories"))
			}
		}
		p.Out = paths.Rel(to)
	}
	return nil
}

// writeOut writes the packs below the directory of --out. Each appears there when
// it is whole.
func writeOut(ctx context.Context, paths repo.Paths, f PullOptions, list []*Pulled) error {
	if f.Out == "" || f.DryRun {
		return nil
	}
	for _, p := range list {
		if err := writePack(ctx, p, paths.Abs(f.Out)); err != nil {
			return repo.ExplainWrite(fmt.Errorf("--out: %w", err))
		}
	}
	return nil
}

const stagePrefix = ".packgen-" // of a directory beside the place of a pack

// writePack writes the files of a pack and its pack.json beside the place, then
// renames.
func writePack(ctx context.Context, p *Pulled, out string) error {
	if err := regularfile.MkdirAll(out, 0o777); err != nil {
		return err
	}
	publish.SweepStages(out, stagePrefix)
	temp, err := regularfile.MkdirTemp(out, stagePrefix)
	if err != nil {
		return err
	}
	defer regularfile.RemoveAll(temp)
	staged := filepath.Join(temp, "pack")
	files := p.Artifact.Files()
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyOut(p, files[i], staged); err != nil {
			return err
		}
	}
	if p.Artifact.Manifest != nil {
		if err := regularfile.WriteFile(filepath.Join(staged, schema.PackManifestName), p.Artifact.Manifest, 0o666); err != nil {
			return err
		}
	}
	if err := CheckObeyed(staged, p.Artifact.Name); err != nil {
		return err
	}
	if err := publish.SyncTree(staged); err != nil {
		return err
	}
	return regularfile.Rename(staged, filepath.Join(out, p.Artifact.Name))
}

// CheckObeyed refuses a written pack in which the file system, which may not distinguish
// letter case, finds a file that agents treat as instructions.
func CheckObeyed(dir, name string) error {
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		for _, obeyed := range packpath.Obeyed() {
			if _, err := os.Lstat(filepath.Join(at, obeyed)); err == nil {
				rel, _ := filepath.Rel(dir, filepath.Join(at, obeyed)) // at is below dir
				return diag.WithHint(fmt.Errorf("%s: this file system finds %s in the pack, which agents treat as instructions", diag.Printable(name), diag.Printable(filepath.ToSlash(rel))),
					"pull it without --out: it is used from the cache as before")
			}
		}
		return nil
	})
}

func copyOut(p *Pulled, f archive.File, dir string) error {
	if err := packpath.CheckPublished(f.Path); err != nil {
		return fmt.Errorf("%s: %w", diag.Printable(f.Path), err)
	}
	data, err := fs.ReadFile(p.Artifact.FS, f.Path)
	if err != nil {
		return err
	}
	to := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := regularfile.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return regularfile.WriteFile(to, data, 0o666)
}
