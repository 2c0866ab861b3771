package starter

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/adopt"
	"github.com/packgen/packgen/resolver/repo"
)

// StarterFiles is what a new repository is made of: repository/ is its root,
// pack/ is what packs of all profiles share, and each profile adds its own.
//
//go:embed starter
var StarterFiles embed.FS

// Profiles are the profiles of a starter pack (agent-knowledge section 3.3).
var Profiles = [...]string{"document-first", "wiki-first", "hybrid"}

// File is one file of a new repository.
type File struct {
	Path string // below the root of the repository
	Data []byte
	// others are names under which a tool takes the file just as well. Where one
	// of them exists the file counts as present.
	others []string
}

// rootPlaces says where the files of starter/repository go. The embedded names
// are others where the real ones would have an effect in this repository.
var rootPlaces = map[string]File{
	"Makefile":      {Path: "Makefile", others: []string{"GNUmakefile", "makefile"}},
	"gitattributes": {Path: ".gitattributes"},
	"gitignore":     {Path: ".gitignore"},
	"packgen.yaml":  {Path: repo.ConfigName},
	"pages.yml":     {Path: ".github/workflows/pages.yml", others: []string{".github/workflows/pages.yaml"}},
}

// FilesOf returns the files of a new repository with one pack, in path order.
func FilesOf(name, profile string) ([]File, error) {
	fill := strings.NewReplacer("@NAME@", strictyaml.Text(name), "@TITLE@", titleOf(name), "@VERSION@", compiler.Version)
	// In JSON the name is in quotes already.
	fillJSON := strings.NewReplacer("@NAME@", name, "@NEAR@", without(name, nearPrompts[:]), "@FAR@", without(name, farPrompts[:]))
	var list []File
	for _, part := range []string{"repository", "pack", profile} {
		top := path.Join("starter", part)
		err := fs.WalkDir(StarterFiles, top, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := StarterFiles.ReadFile(file)
			if err != nil {
				return err
			}
			below := strings.TrimPrefix(file, top+"/")
			out := File{Path: path.Join("packs", name, below)}
			if part == "repository" {
				out = rootPlaces[below]
			}
			with := fill
			if path.Ext(file) == ".json" {
				with = fillJSON
			}
			out.Data = []byte(with.Replace(string(text)))
			list = append(list, out)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read the starter files: %w", err)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// Prompts that must not select the starter pack: some share one word with its
// description and mean something else, some share none.
var (
	nearPrompts = [...]string{"My insurance claim was refused", "Where is the source of the Danube?", "Which page of the novel was it?", "Review a new restaurant"}
	farPrompts  = [...]string{"What will the weather be tomorrow?", "Two seats for Friday evening"}
)

// without returns the first prompt that has no word of a pack's name: the name
// selects the pack too.
func without(name string, prompts []string) string {
	for _, prompt := range prompts {
		words := strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return r == ' ' || r == '?' })
		if !slices.ContainsFunc(strings.Split(name, "-"), func(part string) bool { return slices.Contains(words, part) }) {
			return prompt
		}
	}
	return prompts[0]
}

// titleOf makes a title of a pack's name: "tea-shop" gives "Tea shop".
func titleOf(name string) string {
	words := strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == '-' }), " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

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

// Found says what is in the folder that the pack is made of, one per line; nil when it
// is made of none.
func (in *Run) Found() []string {
	if in.Folder == nil {
		return nil
	}
	return in.Folder.Summary()
}

// Next says what to do now, one per line.
func (in *Run) Next() []string {
	switch {
	case in.Flags.DryRun:
		return []string{"", "nothing was written"}
	case len(in.Kept) == len(in.Files):
		return []string{"", "everything already exists"}
	case in.Folder != nil && in.FromOutside():
		return []string{fmt.Sprintf("%s is outside of the repository: make build allows it, and packgen build --allow-root %[1]s", in.from())}
	case in.Folder != nil:
		return nil // the site is built at once
	}
	if in.Unwritten {
		return []string{"", "next:", fmt.Sprintf("  say in the description of packs/%s/KNOWLEDGE.md what the pack holds, when to use it and what it is not for", in.Flags.Name),
			"  rewrite its pages, and set their status and that of the pack to ready", "until then it is a draft, which no task finds"}
	}
	lines := []string{"", "next:"}
	if in.Shown != "." {
		lines = append(lines, "  cd "+diag.ShellWord(in.Shown))
	}
	if in.Packgen {
		lines = append(lines, "  packgen build")
	} else {
		lines = append(lines, "  make build")
	}
	lines = append(lines, "  packgen match \"which bracket names the source of a claim\"", fmt.Sprintf("then rewrite packs/%s, KNOWLEDGE.md first", in.Flags.Name))
	if in.Unlisted {
		lines = append(lines, "add /public/ to .gitignore: the site is built again each time")
	}
	return lines
}

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
