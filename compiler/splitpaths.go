package compiler

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

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
	name := splitsDir + splitName(f.path, p, whole) + ".md"
	return schema.Split{
		ID:            name[len(splitsDir) : len(name)-len(".md")], // a part of the path: it takes no room
		Title:         p.Title,
		Document:      f.path,
		SectionID:     p.ID,
		Path:          name,
		TokenEstimate: token.Estimate(text),
		SHA256:        schema.SHA256(text),
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
	// has taken the path, settlePaths decides.
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
	f.reportAt(s.at, gatePathCollision, quote(s.split.Path)).Say("two sections would both be written to %s; this one is left out", s.split.Path)
	s.split.Path = ""
}

// fold returns the form in which two output paths are compared: paths that are
// one file on some system are a collision (section 6.3).
func fold(name string) string {
	return strings.ToLower(norm.NFC.String(name))
}

// settlePaths gives each path to the first section in compile order that wants it. A
// file may not be where another needs a directory either: documents/a.md may give
// a/b.md, and documents/a/b.md.md the directory a/b.md.
func (j *joined) settlePaths() {
	files, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range j.files {
		for i := range f.sections {
			s := &f.sections[i]
			if s.shared {
				s.split.Path = f.sections[i-1].split.Path
			}
			if s.split.Path == "" || s.shared {
				continue
			}
			name := fold(s.split.Path)
			parents := fileLikeParents(name)
			if files[name] || dirs[name] || slices.ContainsFunc(parents, func(dir string) bool { return files[dir] }) {
				f.collide(s)
				continue
			}
			files[name] = true
			for _, dir := range parents {
				dirs[dir] = true
			}
		}
	}
}

// fileLikeParents returns the parent directories of a path that are named like a split.
func fileLikeParents(name string) (list []string) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if strings.HasSuffix(dir, ".md") {
			list = append(list, dir)
		}
	}
	return list
}
