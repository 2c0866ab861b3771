package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/strictyaml"
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
