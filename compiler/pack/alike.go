package pack

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
)

// idAlike is the rule about names that are one on some system.
const idAlike = "published-path"

// maxAlike is how many pairs of such names are reported one by one.
const maxAlike = 20

// alike lists files and folders under names of their own whose names are one where letter
// case or Unicode form does not count. The first in path order keeps its name.
type alike struct {
	taken   map[string]string // what is listed, by its folded path: the path as it is
	folders map[string]string // listed folders, by their paths as they are
	renamed map[string]string // listed files, by their paths as they are
	files   map[string]string // files as they are, by their folded paths
	first   map[string]string // of what is listed under another name: what has taken its own
	found   []diag.Diagnostic
	more    int
}

// setApart gives files that are alike distinct paths. It returns the new ones by their paths
// as they are; links are changed as the files are.
func setApart(files []File, links map[string]string, found *findings) (renamed map[string]string) {
	a := alike{taken: make(map[string]string, len(files)), folders: map[string]string{}, renamed: map[string]string{}, files: map[string]string{}, first: map[string]string{}}
	for i := range files {
		name := files[i].Path
		if !isShown(name) || packpath.CheckPublished(name) != nil {
			continue
		}
		listed := a.list(name, false)
		twin := a.files[foldName(name)]
		a.files[foldName(name)] = cmp.Or(twin, name)
		if listed == name {
			continue
		}
		a.report(twin, name, listed)
		real := name
		if to, linked := links[name]; linked {
			real = to
			delete(links, name)
		}
		files[i].Path, links[listed], a.renamed[name] = listed, real, listed
	}
	if len(a.renamed) == 0 {
		return nil
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	if a.more > 0 {
		a.found[len(a.found)-1].Message += fmt.Sprintf("; so are %d more pairs", a.more)
	}
	found.list = append(found.list, a.found...)
	return a.renamed
}

// isShown reports a file of the folders whose names readers see.
func isShown(name string) bool {
	top, _, below := strings.Cut(name, "/")
	return below && (top == "documents" || top == "wiki" || top == "assets")
}

// list returns the path under which a file or folder is listed.
func (a *alike) list(name string, folder bool) string {
	if folder {
		if listed, known := a.folders[name]; known {
			return listed
		}
	}
	dir, base := path.Split(name)
	if dir = strings.TrimSuffix(dir, "/"); dir != "" {
		dir = a.list(dir, true) + "/"
	}
	listed := dir + base
	for n := 2; a.taken[foldName(listed)] != ""; n++ {
		ending := path.Ext(base)
		if folder {
			ending = ""
		} else if strings.HasSuffix(base, mdxEnding+".md") {
			ending = mdxEnding + ".md"
		}
		listed = dir + strings.TrimSuffix(base, ending) + "-" + strconv.Itoa(n) + ending
	}
	if listed != dir+base {
		a.first[name] = a.taken[foldName(dir+base)]
	}
	a.taken[foldName(listed)] = name
	if folder {
		a.folders[name] = listed
	}
	return listed
}

// report names two files that are alike, or, of a file without a twin, the folders that are:
// once for a folder.
func (a *alike) report(first, second, listed string) {
	for ; first == ""; second, listed = path.Dir(second), path.Dir(listed) {
		if second == "." {
			return
		}
		if other, known := a.first[second]; known {
			delete(a.first, second)
			first = other
			break
		}
	}
	if len(a.found) >= maxAlike {
		a.more++
		return
	}
	a.found = append(a.found, diag.Diagnostic{
		ID: idAlike, Severity: diag.Warning, Path: second,
		Message: fmt.Sprintf("%q and %q are one name where letter case or Unicode form does not count; the second is published as %q", first, second, listed),
		Hint:    "rename one of them",
	})
}

// foldName is the form in which names are compared where letter case, Unicode form and
// invisible characters do not count.
func foldName(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFD.String(packpath.Visible(name))))
		}
	}
	return strings.ToLower(name)
}

// ListedAs returns the path under which a file is listed whose own path is another one, because
// a file before it has the same name where letter case or Unicode form does not count; ""
// for any other.
func (p *Pack) ListedAs(name string) string { return p.renamed[name] }

// AsListed returns paths that a file writes, each with "#" and a place or without, as the pack
// lists their files.
func (p *Pack) AsListed(written []string) []string {
	list := slices.Clone(written)
	for i, w := range list {
		name, _, _ := strings.Cut(w, "#")
		if listed := p.renamed[name]; listed != "" {
			list[i] = listed + w[len(name):]
		}
	}
	return list
}
