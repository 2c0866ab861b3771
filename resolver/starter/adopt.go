package starter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/adopt"
	"github.com/packgen/packgen/resolver/repo"
)

// adopt looks at the folder that a pack is made of, and plans the files: those of the
// repository, and a KNOWLEDGE.md. Documents stay where they are.
func (in *Run) adopt(ctx context.Context) error {
	dir := in.ws.Paths.Abs(in.ws.Paths.Given(in.Flags.From))
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return diag.Absent("folder", in.Flags.From, "name the folder that holds the documents")
	case err != nil:
		return fmt.Errorf("look at %s: %w", in.Flags.From, err)
	case !info.IsDir():
		return diag.WithHint(fmt.Errorf("%s is a file", in.Flags.From), "name the folder that holds the documents")
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, pack.EntryName)); err == nil {
			return diag.WithHint(fmt.Errorf("%s lies in a pack: %s has a KNOWLEDGE.md", in.Flags.From, at), "name a folder that is not part of a pack")
		}
	}
	if in.Folder, err = adopt.Look(ctx, dir, adopt.Options{MDX: in.Flags.MDX}); err != nil {
		return err
	}
	if n := len(in.Folder.Drafts); n > 0 && len(in.Folder.Pages) == 0 {
		return diag.WithHint(fmt.Errorf("every page of %s is a draft", in.Flags.From), "publish a page: take draft: true or published: false out of its front matter")
	}
	if len(in.Folder.Pages) == 0 {
		return diag.WithHint(fmt.Errorf("%s holds no Markdown file that can be read", in.Flags.From), "name a folder with files that end in .md, or add --mdx to read those that end in .mdx")
	}
	in.leaveOwn(dir)
	files, err := FilesOf(in.Flags.Name, "document-first")
	if err != nil {
		return err
	}
	packDir := path.Join("packs", in.Flags.Name)
	for _, f := range files {
		switch {
		case f.Path == repo.ConfigName:
			f.Data = append(f.Data, in.Folder.Config(packDir, in.from(), in.Flags.MDX)...)
		case f.Path == packDir+"/KNOWLEDGE.md":
			f.Data = in.Folder.Guide(in.Flags.Name)
		case f.Path == "Makefile" && in.FromOutside():
			f.Data = append(fmt.Appendf(nil, "# The documents are outside of this repository.\nexport PACKGEN_ALLOW_ROOT = %s\n\n", in.from()), f.Data...)
		case strings.HasPrefix(f.Path, packDir+"/"):
			continue
		}
		in.Files = append(in.Files, f)
	}
	return nil
}

// from is the folder as the configuration names it.
func (in *Run) from() string {
	rel, err := filepath.Rel(in.Dir, in.Folder.Dir)
	if err != nil {
		return filepath.ToSlash(in.Folder.Dir)
	}
	return filepath.ToSlash(rel)
}

// FromOutside reports a folder outside of the repository: whoever builds allows it, since no
// configuration can.
func (in *Run) FromOutside() bool { return !filepath.IsLocal(filepath.FromSlash(in.from())) }

// leaveOwn leaves out what the repository itself keeps in the folder: its packs and
// its site.
func (in *Run) leaveOwn(dir string) {
	for _, own := range [...]string{"packs", "public"} {
		rel, err := filepath.Rel(dir, filepath.Join(in.Dir, own))
		if err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		rel = filepath.ToSlash(rel)
		in.Folder.Pages = slices.DeleteFunc(in.Folder.Pages, func(p adopt.Page) bool { return strings.HasPrefix(p.Path, rel+"/") })
		in.Folder.Left = append(in.Folder.Left, adopt.Left{Path: rel + "/**", Why: "what this repository makes"})
	}
}
