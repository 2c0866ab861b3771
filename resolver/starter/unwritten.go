package starter

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

// askForText makes the new pack of a repository that has packs a draft without a description:
// its pages are about packgen, and nobody with a task for the others should find them. It has no evals yet.
func (in *Run) askForText() {
	packDir := path.Join("packs", in.Flags.Name)
	if !in.joinsOthers(packDir) {
		return
	}
	in.Unwritten = true
	in.Files = slices.DeleteFunc(in.Files, func(f File) bool { return strings.HasPrefix(f.Path, packDir+"/evals/") })
	for i := range in.Files {
		f := &in.Files[i]
		if !strings.HasPrefix(f.Path, packDir+"/") || path.Ext(f.Path) != ".md" {
			continue
		}
		text := strings.Replace(string(f.Data), "\nstatus: ready\n", "\nstatus: draft\n", 1)
		if path.Base(f.Path) == pack.EntryName {
			before, rest, _ := strings.Cut(text, "description: >-\n")
			if _, after, ok := strings.Cut(rest, "\ntype: "); ok {
				text = before + "description: >-\n  Not written: what this pack holds, when to use it, and what it is not for.\ntype: " + after
			}
		}
		f.Data = []byte(text)
	}
}

// joinsOthers reports a repository with other packs, in which the pack is new or still a draft.
func (in *Run) joinsOthers(packDir string) bool {
	own, _, err := pack.ReadEntry(regularfile.Dir(filepath.Join(in.Dir, filepath.FromSlash(packDir))), packDir)
	if err == nil && own != nil && own.Meta.Status != schema.Draft {
		return false
	}
	entries, err := os.ReadDir(filepath.Join(in.Dir, "packs"))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Name() == in.Flags.Name {
			continue
		}
		if info, err := os.Lstat(filepath.Join(in.Dir, "packs", e.Name(), pack.EntryName)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}
