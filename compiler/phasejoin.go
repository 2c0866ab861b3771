package compiler

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/token"
)

// joined is a pack as a whole: what needs more than one file, in compile order. Its
// outputs are staged.
type joined struct {
	*material
	sourceMap schema.SourceMap
	index     schema.Index
	coverage  []string          // of the chapters, by split
	texts     map[string]string // of the generated views, by path

	found      []diag.Diagnostic      // about claims and views
	inConflict func(text string) bool // claims with that text; nil when there are none
	ids        claimIDs
	facts      *view
	doubts     *Doubts                 // the stale and disputed claims
	leads      map[*file]schema.Status // "stale" or "disputed" for pages whose first sentence is one
}

// join settles paths and claims, makes views and records, and stages them.
func (m *material) join(ctx context.Context) (*joined, error) {
	j := &joined{material: m, texts: map[string]string{}}
	if err := j.out.readIndex(j.pack, j.cache); err != nil {
		return nil, err
	}
	j.settlePaths()
	j.findConflicts()
	if err := j.markSplits(); err != nil {
		return nil, err
	}
	if err := j.parallel(ctx, len(j.files), func(i int) error { return j.stage(j.files[i]) }); err != nil {
		return nil, err
	}
	if err := j.mapSources(); err != nil {
		return nil, err
	}
	views := []schema.View{}
	for _, v := range j.views() {
		v.mark(j.doubts)
		text := v.text.String()
		j.texts[v.path] = text
		views = append(views, v.record())
		if err := j.out.put(v.path, []byte(text)); err != nil {
			return nil, err
		}
	}
	handMade, err := j.out.handMade()
	if err != nil {
		return nil, err
	}
	if err := j.findViewCopies(handMade); err != nil {
		return nil, err
	}
	j.describeIndex(append(views, handMade...))
	if err := j.out.retire(); err != nil {
		return nil, err
	}
	if err := j.out.putRecord(sourceMapPath, &j.sourceMap); err != nil {
		return nil, err
	}
	return j, j.out.putRecord(indexPath, &j.index)
}

// stage hands the splits of a file that have a path to the outputs. Those that are
// known to be there need no look at their text.
func (j *joined) stage(f *file) error {
	var texts []byte
	at := 0
	byPath := make(map[string]*schema.Split, len(f.sections))
	for i := range f.sections {
		if s := &f.sections[i]; !s.shared {
			byPath[s.split.Path] = &s.split
		}
	}
	for _, size := range f.info.Sizes {
		from := at
		at += size.Size
		s := byPath[size.Path]
		if s == nil {
			continue // another file has taken the path
		}
		if j.isIntact(s) {
			j.out.note(s.Path, publish.Unchanged)
			j.out.is(s.Path, store.ParseDigest(s.SHA256))
			continue
		}
		if texts == nil {
			var err error
			if texts, err = j.textsOf(f); err != nil {
				return err
			}
		}
		if at > len(texts) {
			return fmt.Errorf("the splits of %s do not fit their record", f.path)
		}
		if err := j.out.put(s.Path, texts[from:at]); err != nil {
			return err
		}
	}
	return nil
}

// isIntact reports whether nobody has touched a split since it was written.
func (j *joined) isIntact(s *schema.Split) bool {
	if j.opt.OutDir != "" {
		return false
	}
	at, ok := j.pack.Stat(s.Path)
	return ok && j.cache.sameSum(at, store.ParseDigest(s.SHA256))
}

// textsOf returns the texts of the splits of a file, one after another.
func (m *material) textsOf(f *file) ([]byte, error) {
	if f.texts != nil || !f.info.Texts.Known() {
		return f.texts, nil
	}
	texts, ok := m.cache.store.Blob(f.info.Texts)
	if !ok {
		return nil, fmt.Errorf("the splits of %s are no longer in the store: run again", f.path)
	}
	return texts, nil
}

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

// mapSources walks the primary source in compile order and builds the source
// map, the facts view and the list of splits on the way (section 8.2).
func (j *joined) mapSources() error {
	j.ids = claimIDs{}
	var facts []fact
	claims, sections, splits := 0, 0, 0
	for _, f := range j.files {
		sections += len(f.sections)
		for i := range f.sections {
			claims += len(f.sections[i].statements)
			if f.sections[i].split.Path != "" && !f.sections[i].shared {
				splits++
			}
		}
	}
	j.sourceMap = schema.SourceMap{Claims: make([]schema.Claim, 0, claims), DocumentSections: make([]schema.Section, 0, sections)}
	j.index.Splits, j.coverage = make([]schema.Split, 0, splits), make([]string, 0, splits)
	for _, f := range j.files {
		for i := range f.sections {
			if f.walked && !f.sections[i].withheld {
				facts = append(facts, j.mapSection(f, &f.sections[i])...)
			}
		}
		j.indexSplits(f)
	}
	j.ids = nil // of a large pack it is much
	return j.chooseFacts(facts)
}

// mapSection adds one section with its claims. It returns the items of it that may go
// into the facts view.
func (j *joined) mapSection(f *file, s *section) (facts []fact) {
	m := &j.sourceMap
	at := []string{f.path + "#" + s.id} // one list for all claims of the section
	if s.split.Path != "" {
		at = append(at, s.split.Path)
	}
	into := at[1:len(at):len(at)]
	s.coverage = "full"
	for i := range s.statements {
		st := &s.statements[i]
		claims, confirmed := j.claimsOf(f, s, st)
		if confirmed && st.item > 0 && j.wiki && s.split.Path != "" {
			facts = append(facts, fact{f, st.item, st.units, int32(len(m.Claims)), int32(len(claims)), int32(len(m.DocumentSections))})
		}
		for _, claim := range claims {
			claim.CompiledInto = at[:len(at):len(at)]
			m.Claims = append(m.Claims, claim)
			s.cover(claim.Status)
		}
	}
	if s.bare && s.coverage != "conflict" {
		s.coverage = "missing"
	}
	m.DocumentSections = append(m.DocumentSections, schema.Section{
		Document: f.path, SectionID: s.id, Title: s.title, SourceAnchors: s.anchors, CompiledInto: into,
	})
	s.statements = nil
	return facts
}

// cover lowers the coverage of a chapter for a claim (section 9).
func (s *section) cover(status schema.Status) {
	switch {
	case status == schema.Disputed:
		s.coverage = "conflict"
	case status != schema.Confirmed && s.coverage == "full":
		s.coverage = "partial"
	}
}

// indexSplits takes the splits of a file over from its sections, which go with that: of all
// files together they are as much as the index.
func (j *joined) indexSplits(f *file) {
	x, first := &j.index, len(j.index.Splits)
	for i := range f.sections {
		s := &f.sections[i]
		switch {
		case s.split.Path == "":
		case s.shared:
			last := &j.coverage[len(j.coverage)-1]
			*last = sharedCoverage(*last, s.coverage)
		default:
			s.split.Order = len(x.Splits) + 1
			x.TotalTokenEstimate += s.split.TokenEstimate
			x.Splits = append(x.Splits, s.split)
			j.coverage = append(j.coverage, s.coverage)
		}
	}
	f.splits, f.sections = x.Splits[first:len(x.Splits):len(x.Splits)], nil
}

// describeIndex completes compiled/index.json, which has the splits.
func (j *joined) describeIndex(views []schema.View) {
	x := &j.index
	x.SchemaVersion, x.Pack, x.Profile, x.RuntimeMode = 1, j.pack.Meta.Name, j.profile, j.mode
	x.PrimaryDocument, x.Views = secret.RedactPath(j.pack.Meta.PrimaryDocument), views
	for _, v := range views {
		x.TotalTokenEstimate += v.TokenEstimate
	}
}
