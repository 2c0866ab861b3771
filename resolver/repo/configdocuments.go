package repo

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Documents is one entry of the list under "documents": a folder that is read where it
// lies, as documents of a pack.
type Documents struct {
	Pack    string   `key:"pack" is:"path" or:"required" doc:"directory of the pack that gets the documents, relative to the repository root"`
	From    string   `key:"from" is:"path" or:"required" doc:"the folder, never in a pack; one outside of the repository needs '--allow-root'"`
	Below   string   `key:"below" is:"path in the pack" doc:"path below 'documents/' that the folder gets, so that several folders can be mapped"`
	Include []string `key:"include" is:"list of patterns" or:"all" doc:"files that are taken, relative to the folder"`
	Exclude []string `key:"exclude" is:"list of patterns" doc:"files and folders that are left out"`
	MDX     bool     `key:"mdx" is:"true or false" doc:"read '.mdx' as Markdown, its components shown as text"`
	Drafts  bool     `key:"drafts" is:"true or false" doc:"take pages that are drafts too: 'draft: true', 'published: false', 'publish: false', or in '_drafts/'"`
}

// documentsOf reads the list under "documents".
func documentsOf(r *strictyaml.Reader, field *[]Documents) func(*yaml.Node) {
	return r.Each(1000, func(item *yaml.Node) {
		var d Documents
		if !r.Mapping(item, "documents.", strictyaml.Keys{
			"pack":    r.Checked(&d.Pack, checkPattern),
			"from":    r.Checked(&d.From, checkNotEmpty),
			"below":   r.Checked(&d.Below, checkBelow),
			"include": someOf(r, &d.Include, checkGlob),
			"exclude": someOf(r, &d.Exclude, checkGlob),
			"mdx":     r.Bool(&d.MDX),
			"drafts":  r.Bool(&d.Drafts),
		}) {
			return
		}
		for _, key := range [...]string{"pack", "from"} {
			if !hasKey(item, key) {
				r.Fault(item, "say in every entry which folder is read as documents of which pack", "%q is missing", "documents."+key)
			}
		}
		d.Pack = path.Clean(d.Pack)
		*field = append(*field, d)
	})
}

func checkBelow(s string) error {
	if err := packpath.Check(s); err != nil {
		return diag.WithHint(fmt.Errorf("%q is not a path below documents/: %w", s, err), "write it as guide or guide/install")
	}
	return nil
}

func checkGlob(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return errors.New("a pattern is empty")
	case !doublestar.ValidatePattern(s):
		return diag.WithHint(fmt.Errorf("pattern %q is malformed", s), "write patterns such as **/*.md or drafts/**, relative to the folder")
	}
	return nil
}

// Mappings returns the folders that are read as documents of the pack in a directory.
func (w *Repo) Mappings(dir string) (list []pack.Mapping) {
	for _, d := range w.Documents {
		if d.Pack == dir {
			list = append(list, pack.Mapping{Dir: w.Paths.Abs(d.From), Below: d.Below, Include: d.Include, Exclude: d.Exclude, MDX: d.MDX, Drafts: d.Drafts})
		}
	}
	return list
}
