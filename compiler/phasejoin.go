package compiler

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
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
