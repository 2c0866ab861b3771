package compiler

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// splitsDir is where splits live (agent-knowledge section 6.2).
const splitsDir = "compiled/splits/"

// splitBase returns the path below splitsDir that a file's splits share:
// "a/b" for documents/a/b.md, "wiki/x" for wiki/x.md.
func splitBase(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "documents/"), ".md")
}

// splitName returns the path below splitsDir of one split of a file, without ".md".
func splitName(name string, p cut.Piece, whole bool) string {
	if whole {
		return splitBase(name)
	}
	return splitBase(name) + "/" + markdown.Stem(p.ID)
}

// newSplit describes the split of a piece. Its order is given at the join.
func newSplit(f *file, p cut.Piece, whole bool, text []byte, anchors []string) schema.Split {
	name := splitName(f.path, p, whole)
	return schema.Split{
		ID:            name,
		Title:         p.Title,
		Document:      f.path,
		SectionID:     p.ID,
		Path:          splitsDir + name + ".md",
		TokenEstimate: token.Estimate(text),
		SHA256:        hexSum(text),
		SourceAnchors: anchors,
	}
}

// checkSplitPath takes the path away from a split that could not be written: one
// that is not a clean pack path, or that an earlier section has taken. Own holds the
// paths of the sections before it.
func (f *file) checkSplitPath(s *section, own map[string]bool) bool {
	if err := packpath.Check(s.split.Path); err != nil {
		d := f.reportAt(s.at, gateSchemaInvalid, "the path of a split cannot be used: "+err.Error())
		d.Hint = "give the document a shorter path"
		s.split.Path = ""
		return false
	}
	// The stem of a long id may be the id of another section. Whether another file
	// has taken the path, settle decides.
	name := fold(s.split.Path)
	if own[name] {
		f.collide(s)
		return false
	}
	own[name] = true
	return true
}

// collide reports a section whose path is taken, and drops its split.
func (f *file) collide(s *section) {
	f.reportAt(s.at, gatePathCollision, quote(s.split.Path))
	s.split.Path = ""
}

// fold returns the form in which two output paths are compared: paths that are
// one file on some system are a collision (section 6.3).
func fold(name string) string {
	return strings.ToLower(norm.NFC.String(name))
}

// paths knows which output paths are taken, in compile order. A file may not
// are where another needs a directory either: documents/a.md may give a/b.md,
// and documents/a/b.md.md the directory a/b.md.
type paths map[string]claimant

// claimant is who has a path: the first file in compile order.
type claimant struct {
	order int
	dir   bool
}

// before reports whether a file that comes before order in compile order, or
// that very file, has the path or is in its way.
func (t paths) before(name string, order int) bool {
	name = fold(name)
	if at, ok := t[name]; ok && at.order <= order {
		return true
	}
	for dir := range fileLikeParents(name) {
		if at, ok := t[dir]; ok && !at.dir && at.order <= order {
			return true
		}
	}
	return false
}

// take enters a path.
func (t paths) take(name string, order int) {
	name = fold(name)
	t.enter(name, claimant{order: order})
	for dir := range fileLikeParents(name) {
		t.enter(dir, claimant{order: order, dir: true})
	}
}

func (t paths) enter(name string, c claimant) {
	if at, ok := t[name]; !ok || c.order < at.order {
		t[name] = c
	}
}

// fileLikeParents yields the parent directories of a path that are named like a
// split.
func fileLikeParents(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if strings.HasSuffix(dir, ".md") && !yield(dir) {
				return
			}
		}
	}
}

// findRivals marks the files whose splits may meet those of another file, so
// that their texts wait until the paths are settled: files of one base, files
// whose base is the folder of a page, and files below a folder that is named
// like a split. All others are staged as they come.
func findRivals(files []*file) {
	first := map[string]*file{}
	for _, f := range files {
		f.base = fold(splitBase(f.path))
		if rival := first[f.base]; rival != nil {
			f.hold, rival.hold = true, true
		} else {
			first[f.base] = f
		}
	}
	rival := func(f, other *file) {
		if other != nil {
			f.hold, other.hold = true, true
		}
	}
	for _, f := range files {
		for dir := range fileLikeParents(f.base + "/") {
			f.hold = true
			rival(f, first[path.Dir(dir)])                  // cut into sections
			rival(f, first[strings.TrimSuffix(dir, ".md")]) // in one piece
		}
		if f.role == page {
			rival(f, first[path.Dir(f.base)])
		}
	}
}
